"""What is easily forgotten beside a new file. Each message says what to add, and where."""

import json
import re
from itertools import chain

from markdown.extensions.toc import slugify

from attention_practice._exercise import function_with
from attention_practice.exercises import EXERCISES
from tests.attention_practice.oracles import ORACLES
from tests.conftest import ROOT, sources

EXERCISE_FILES = ROOT / "src" / "attention_practice" / "exercises"


def test_every_page_is_in_the_navigation() -> None:
    named = set(re.findall(r"[\w./-]+\.(?:md|ipynb)\b", (ROOT / "mkdocs.yml").read_text("utf-8")))
    pages = {p.relative_to(ROOT / "docs").as_posix() for p in sources(".md", ".ipynb")}
    assert pages <= named, f"name under nav in mkdocs.yml: {sorted(pages - named)}"


def test_every_exercise_is_named_has_an_oracle_and_stands_in_a_notebook() -> None:
    cells = [
        "".join(cell["source"])
        for path in (ROOT / "docs" / "practice").glob("*.ipynb")
        for cell in json.loads(path.read_text("utf-8"))["cells"]
    ]
    asked = set(re.findall(r"\bcheck\((?:my_|\")(\w+)", "\n".join(cells)))
    files = {path.stem for path in EXERCISE_FILES.glob("[!_]*.py")}
    places = {
        f"PARTS of {EXERCISE_FILES.relative_to(ROOT)}/__init__.py": set(EXERCISES),
        "EXERCISE of its file, as the name that it begins with": {
            each.name for each in EXERCISES.values()
        },
        "ORACLES of tests/attention_practice/oracles.py": set(ORACLES),
        "a notebook of docs/practice, with check(my_...)": asked,
    }
    forgotten = {place: sorted(files - names) for place, names in places.items() if files - names}
    assert not forgotten, "\n".join(f"add to {place}: {name}" for place, name in forgotten.items())
    assert files == set(EXERCISES)


def sections_of(page: str) -> set[str] | None:
    """Return the anchors of a page, or None where there is no such page."""
    files = [ROOT / "docs" / f"{page.rstrip('/')}{suffix}" for suffix in (".md", ".ipynb")]
    text = next((file.read_text("utf-8") for file in files if file.exists()), None)
    if text is None:
        return None
    titles = re.findall(r"^ *#+ (.*?)(?: \{ #(\S+) \})?$", text, re.MULTILINE)
    named = re.findall(r'\bid="([^"]+)"|^::: (\S+)$|^\{: #(\S+) \}$', text, re.MULTILINE)
    return {
        *chain(*named),
        *(anchor or slugify(title.replace("`", ""), "-") for title, anchor in titles),
    }


def test_every_mistake_can_be_made_and_leads_to_a_section() -> None:
    wrong = []
    for exercise in EXERCISES.values():
        file = f"{EXERCISE_FILES.relative_to(ROOT)}/{exercise.name}.py"
        for mistake in exercise.mistakes:
            if mistake.edits and not function_with((mistake,), exercise.solution):
                wrong.append(f"{file}: each edit of {mistake.name!r} must fit the solution once")
            page, _, section = mistake.page.partition("#")
            sections = sections_of(page)
            if sections is None:
                wrong.append(f"{file}: {mistake.name!r} leads to {page}, which is no page of docs")
            elif section and section not in sections:
                wrong.append(f"{file}: {mistake.name!r} leads to #{section}, which {page} lacks")
    assert not wrong, "\n".join(wrong)
