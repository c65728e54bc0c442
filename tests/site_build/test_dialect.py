"""What the fences of this site say is compared: captions, names, and the numbers that are drawn."""

from contextlib import suppress
from typing import Any

import pytest

from site_build.dialect import DIALECT
from site_build.figures import figure
from site_build.markdown.extension import PageReader
from tensor_examples.example import Malformed
from tensor_examples.fences import find_fences
from tensor_examples.markdown import parse_page, without_comments
from tests.conftest import ROOT
from tests.site_build.figures.examples import EXAMPLES, page_of

SAID = {
    "a caption": '```figure kind="map" of="x" caption="It is 0.57."\nSquares.\n```',
    "titles": '```figure kind="map" of="x" titles="0.57|0.55"\nSquares.\n```',
    "the text of a figure": '```figure kind="map" of="x"\nOne is 0.57.\n```',
    "what a figure says": '```figure kind="map" of="x" says="No: 0.57|Yes."\nSquares.\n```',
}


@pytest.mark.parametrize("fence", SAID.values(), ids=SAID.keys())
def test_a_number_that_a_fence_says_is_compared(fence: str) -> None:
    found = parse_page("page.md", f"Title\n\n{fence}", DIALECT)
    assert {each.line for each in found if isinstance(each, Malformed)} >= {
        3 + ("\n" in fence.partition("0.57")[0])
    }


def test_comments_in_what_a_fence_says_are_not_shown() -> None:
    page = '```figure of="a" caption="0.6<!-- x -->"\n0.60<!-- x + 0.05 --> of it\n```'
    bare = '```figure of="a" caption="0.6"\n0.60 of it\n```'
    assert without_comments(page, DIALECT) == bare


LABELLED = """\
```figure kind="bars" of="shares" row="duck" titles="muddy|dry" caption="The row of “duck”."
Two bars of 2 rows: 3 for muddy, -1 for dry, 2<!-- scores[0].sum() --> in all.
```

| word | muddy | dry | all |
| --- | --- | --- | --- |
| duck | 3 | **-1** | sum: 2<!-- scores[0].sum() --> |

```python
rows = {
    "duck": [3, -1],
    "dry": [7, 8],
}
parts = ["head 0.1", "head 1.0"]
scores = torch.tensor([[3, -1], [0, 5]])  # duck, bank
weights = scores * 2
print("muddy", "dry")
print(scores)
print(weights)
for turn in range(5, 50, 15): ...
```

```output name="shares" rows="duck bank" columns="muddy dry" tensors="scores weights"
muddy dry
tensor([[ 3, -1],
        [ 0,  5]])
tensor([[ 6, -2],
        [ 0, 10]])
```

```figure kind="map" of="shares" names="turn 5|turn 50" titles="head 0.1|head 1.0"
Two maps.
```"""
MISLABELLED = {  # what is put there instead, and the line
    'columns="muddy dry"': ('columns="muddy quack"', 23),
    ' columns="muddy dry"': (' columns="dry muddy"', 23),
    'rows="duck bank"': ('rows="bank duck"', 23),
    'tensors="scores weights"': ('tensors="weights scores"', 23),
    '"turn 5|turn 50"': ('"turn 5|turn 500"', 31),
    "turn 5|turn 50": ("turn 50|turn 5", 31),
    "head 0.1|head 1.0": ("head 1.0|head 0.1", 31),
    "# duck, bank": ("# of duck and of bank", 23),
    'titles="muddy|dry"': ('titles="dry|muddy"', 1),
    'row="duck"': ('row="bank"', 1),
    "2 rows": ("4 rows", 2),
    "3 for muddy": ("2 for muddy: 7", 2),
    "| duck | 3": ("| duck | 6", 7),
    "| duck | 3 | **-1** |": ("| duck | 7 | 8 |", 7),
    "sum: 2<!-- scores[0].sum() -->": ("sum: 4", 7),
}


@pytest.mark.parametrize(("right", "wrong", "line"), [(k, *v) for k, v in MISLABELLED.items()])
def test_a_wrong_label_is_refused_at_its_line(right: str, wrong: str, line: int) -> None:
    assert LABELLED.count(right) == 1
    for page, lines in (LABELLED, []), (LABELLED.replace(right, wrong), [line]):
        found = parse_page("page.md", page, DIALECT)
        assert [each.line for each in found if isinstance(each, Malformed)] == lines


PROBE = "9.87"


class Asked(dict[str, str]):
    """The options of a figure, which remembers the names that were asked for."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self.names: set[str] = set()

    def pop(self, name: str, *default: Any) -> Any:
        self.names.add(name)
        return super().pop(name, *default)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_what_an_option_writes_is_compared(example: tuple[str, str, str, str]) -> None:
    page = page_of(*example)
    reader = PageReader(ROOT)
    reader.run(page.split("\n"))
    options = next(find_fences(page.split("\n"))).options
    figure("What is seen.", asked := Asked(options), reader)
    writes = set()
    for name in asked.names:
        with suppress(ValueError):  # an option that takes no text, or not this one
            changed = {**options, name: options.get(name, "") + PROBE}
            if PROBE in figure("What is seen.", changed, reader):
                writes.add(name)
    assert "caption" in writes
    assert writes <= DIALECT.captions | DIALECT.names
