"""Each page of this project stands alone, and none of its examples is left out."""

import warnings
from pathlib import Path

import pytest

from tensor_examples.conventions import RULES
from tensor_examples.example import NotRun
from tensor_examples.markdown import parse_page
from tensor_examples.plugin import SETTINGS
from tests.tensor_examples.project_files import PAGES


def test_each_rule_holds_and_a_warning_is_an_error(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.stash[SETTINGS].rules == RULES.keys()
    with pytest.raises(DeprecationWarning, match="old"):
        warnings.warn("old", DeprecationWarning, stacklevel=1)


@pytest.mark.parametrize("page", PAGES, ids=[path.stem for path in PAGES])
def test_each_block_of_a_page_is_run(page: Path) -> None:
    examples = parse_page(str(page), page.read_text(encoding="utf-8"))
    assert not any(isinstance(example, NotRun) for example in examples)
