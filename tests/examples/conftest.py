"""What the tests of the example checks share."""

import functools

import pytest
import torch  # noqa: F401 (before a run in this process imports it, and forgets it again)
from elsewhere import Project

from tensor_examples import isolation


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.import_plugin("pytester")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    # Importing the other plugins anew takes longer than what is tested.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    # The run in that project begins with a state of its own.
    monkeypatch.setattr(isolation, "pristine", functools.cache(isolation.remember))
    return Project(pytester)
