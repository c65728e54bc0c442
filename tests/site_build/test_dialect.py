"""What the fences of this site say is compared: captions, names, and the numbers that are drawn."""

import pytest

from site_build.dialect import DIALECT
from tensor_examples.example import Malformed
from tensor_examples.markdown import parse_page, without_comments

SAID = {
    "a caption": '```output heat="a b" caption="It is 0.57."\n```',
    "the text of a stage": '```stage run of="x" height="500"\nOne is 0.57.\n```',
    "a task": '```task is="x[a] == 0"\nDrag it to 0.57.\n```',
    "what a card says": '```card says="0.57 of {i}" i="a b"\n```',
}


@pytest.mark.parametrize("fence", SAID.values(), ids=SAID.keys())
def test_a_number_that_a_fence_says_is_compared(fence: str) -> None:
    found = parse_page("page.md", f"Title\n\n{fence}", DIALECT)
    assert {each.line for each in found if isinstance(each, Malformed)} >= {
        3 + ("\n" in fence.partition("0.57")[0])
    }


def test_comments_in_what_a_fence_says_are_not_shown() -> None:
    page = '```stage run of="a" says="0.6<!-- x -->"\n0.60<!-- x + 0.05 --> of it\n```'
    bare = '```stage run of="a" says="0.6"\n0.60 of it\n```'
    assert without_comments(page, DIALECT) == bare


LABELLED = """\
```stage bars of="shares" height="500"
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
scores = torch.tensor([[3, -1], [0, 5]])  # duck, bank
weights = scores * 2
print("muddy", "dry")
print(scores)
print(weights)
```

```output name="shares" rows="duck bank" columns="muddy dry" tensors="scores weights"
muddy dry
tensor([[ 3, -1],
        [ 0,  5]])
tensor([[ 6, -2],
        [ 0, 10]])
```"""
MISLABELLED = {  # what is put there instead, and the line
    'columns="muddy dry"': ('columns="muddy quack"', 21),
    ' columns="muddy dry"': (' columns="dry muddy"', 21),
    'rows="duck bank"': ('rows="bank duck"', 21),
    'tensors="scores weights"': ('tensors="weights scores"', 21),
    "# duck, bank": ("# of duck and of bank", 21),
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
