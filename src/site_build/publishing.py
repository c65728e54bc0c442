"""What whoever publishes the site has to set: its address, and that of the project."""

from urllib.parse import urlencode, urlsplit

LOCAL = {"", "localhost", "127.0.0.1", "::1"}


def unfit_to_publish(site: str, repository: str) -> str:
    """Say what must be set before a site is published, or nothing.

    Args:
        site: Its address, which stands in the links to other pages that search engines and
            downloads get.
        repository: The address of the project, to which a reader sends a wrong number.
    """
    wrong = []
    if (urlsplit(site).hostname or "") in LOCAL:
        wrong.append(f"SITE_URL to the address of the site (it is {site or 'empty'})")
    if not urlsplit(repository).hostname:
        wrong.append(f"REPO_URL to the address of the project (it is {repository or 'empty'})")
    return f"to publish, set {' and '.join(wrong)}" if wrong else ""


def wrong_number(repository: str, page: str, version: str) -> str:
    """Return the address of the form for a wrong number, with its page and version filled in.

    The names of the fields are those of `.github/ISSUE_TEMPLATE/wrong-number.yml`.
    """
    fields = {"template": "wrong-number.yml", "place": page, "site": version}
    return f"{repository}/issues/new?{urlencode(fields)}" if repository else ""
