"""What a writer gets wrong on a page with a stage fails the build, or its stills are refused."""

import re
from typing import Any

import pytest
from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.browser import draw_stills
from site_build.stage import Staged, Task
from tests.site_build.markdown.plain_markdown import extensions

INPUTS = """```python
print(inputs)
```

```output name="inputs" rows="a bank" columns="water money acts describes"
tensor([[3., 0., 0., 3.], [1., 1., 0., 0.]])
```
"""


def convert(text: str, scene: str = "scores") -> str:
    configs = extensions()
    ours = configs["site_build.markdown.extension"] | {"scene": scene, "page": "scores"}
    configs = configs | {"site_build.markdown.extension": ours}
    return Markdown(extensions=[*configs], extension_configs=configs).convert(text)


def fence(info: str, text: str = "Said.") -> str:
    return f"{INPUTS}\n```{info}\n{text}\n```\n"


ARROWS = fence('stage arrows of="inputs"')


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (fence("stage nowhere"), 'line 9: stage: the state "nowhere" of this page is not drawn'),
        (fence('stage arrows of="outputs"'), "line 9: no output of this page is named outputs"),
        (fence("stage"), "line 9: cannot read 'stage'"),
        (fence('stage arrows to="inputs"'), "line 9: cannot read"),
        (f"{ARROWS}\n```stage arrows\n```\n", 'line 13: two sections are in the state "arrows"'),
        (f"{ARROWS}\n## B\n\n## C\n\n```stage six\n```\n", "a section before the end of the stage"),
        (f'{ARROWS}\n```task is="scores[bank] == 0"\n```\n', "line 13: no stage of this page has"),
        (f'{ARROWS}\n```task is="inputs[duck, water] == 0"\n```\n', 'has no "duck", but a, bank'),
        (f'{ARROWS}\n```task is="inputs"\n```\n', "line 13: cannot read"),
    ],
)
def test_a_mistake_fails_the_build_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises((ValueError, SuperFencesException), match=re.escape(complaint)):
        convert(text)


def test_a_stage_needs_a_scene() -> None:
    with pytest.raises(SuperFencesException, match="names no scene"):
        convert(ARROWS, scene="")


def staged(*tasks: Task, word: str = "muddy", **numbers: dict[str, Any]) -> Staged:
    rows = [[3.0, 0.0, 0.0, 3.0]] * 5 + [[1.0, 1.0, 0.0, 0.0]]
    inputs = {"values": rows, "rows": [*[word] * 5, "bank"]}
    return Staged("scores", "no page", {"six": 500}, {"inputs": inputs, **numbers}, [*tasks])


def score(sign: str, number: float) -> Task:
    return Task("scores", ["bank", "muddy"], sign, number)


@pytest.mark.browser
@pytest.mark.usefixtures("playwright")
@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        (staged(bank_scores={"values": [3, 3, 3, 3, 3, 2.1]}), "as 2 at 5, and printed as 2.1"),
        (staged(other={"values": [1]}), 'the scene has no "other"'),
        (staged(score("==", 3)), "is done before anyone begins"),
        (staged(word="unfathomable"), '"unfathomable" and "unfathomable" touch'),
        (staged(score(">", 100)), "no move does the task scores[bank, muddy] > 100"),
    ],
)
def test_other_numbers_and_a_task_that_cannot_be_done_are_refused(
    page: Staged, complaint: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        draw_stills(page)


@pytest.mark.browser
@pytest.mark.usefixtures("playwright")
def test_a_still_is_drawn_for_each_state() -> None:
    drawn = draw_stills(staged(score("==", 0)))
    assert list(drawn) == ["six"]
    assert drawn["six"].startswith('<svg viewBox="0 0 760 500">')
