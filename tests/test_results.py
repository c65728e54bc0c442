"""What the pages say was found is what was found."""

import pytest

from tests import engines, thorough
from tests.other_libraries import conftest as other_libraries
from tests.results import Results


@pytest.mark.parametrize("results", [thorough.RESULTS, engines.RESULTS, other_libraries.RESULTS])
def test_the_page_shows_the_results(results: Results) -> None:
    assert results.shown() in results.page.read_text("utf-8")
