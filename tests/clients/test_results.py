"""What the page says was found is what was found."""

from tests.clients.conftest import PAGE, read_results, shown


def test_the_page_shows_the_results() -> None:
    assert shown(read_results()) in PAGE.read_text("utf-8")
