"""All questions in one list, in the order of the course, and a way to it from each step."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from posixpath import relpath

QUESTIONS = "guides/questions"  # how the sources of their pages begin
INDEX = "guides/all-questions.md"

HEADING = re.compile(
    r'<h([23]) id="([^"]*)">(.*?)<a class="headerlink".*?</h\1>(.*?)(?=<h[23]|\Z)', re.DOTALL
)
STEP = re.compile(r'href="[./]*/(steps/[^/"]*/)')


def asked(pages: Iterable[tuple[str, str]], steps: Mapping[str, str], index: str) -> dict[str, str]:
    """Return the list of all questions by its address, and a link to it by that of each step.

    A question belongs to a step that its answer links to, of several to the one that has the fewest
    questions, or else to its section. A step that nobody asked about leads to the whole list.

    Args:
        pages: The addresses of those with questions, and their HTML.
        steps: The titles of the steps by their addresses, in their order.
        index: The address of the list.
    """
    names = {step: step.split("/")[1] for step in steps}
    titles = {names[step]: escape(title) for step, title in steps.items()}
    about: dict[str, list[str]] = {name: [] for name in titles}
    found = {url: HEADING.findall(html) for url, html in pages}
    answers = [answer for headings in found.values() for *_, answer in headings]
    often = Counter(step for answer in answers for step in set(STEP.findall(answer)))
    for url, headings in found.items():
        section = ""
        for level, anchor, title, answer in headings:
            if level == "2":
                section = anchor
                titles.setdefault(section, title)
                continue
            linked = [step for step in STEP.findall(answer) if step in names]
            name = names[min(linked, key=often.__getitem__)] if linked else section
            link = f'<li><a href="{relpath(url, index)}/#{anchor}">{title}</a></li>'
            about.setdefault(name, []).append(link)
    about = {name: links for name, links in about.items() if links}
    parts = (
        f'<h2 id="{name}">{titles[name]}</h2><ul>{"".join(links)}</ul>'
        for name, links in about.items()
    )
    way = '<p><a href="{}/#{}">Asked about this page</a></p>'
    other = '<p><a href="{}/">All questions</a></p>'
    ways = {
        step: (way if name in about else other).format(relpath(index, step), name)
        for step, name in names.items()
    }
    return {**ways, index: "".join(parts)}
