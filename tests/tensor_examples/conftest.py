"""The fixture of the tests of the example checks: a project of its own."""

# A run in this process forgets again what it imports, and these are slow to import.
import matplotlib.pyplot  # noqa: F401
import pytest
import torch  # noqa: F401

from tensor_examples import isolation, notebooks  # noqa: F401
from tests.tensor_examples.elsewhere import Project


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.import_plugin("pytester")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    # Importing the other plugins anew takes longer than what is tested.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Project(pytester)
