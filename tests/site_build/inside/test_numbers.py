"""The comments that bind numbers are for writers: no reader gets them."""

from site_build.before.to_notebook import readable
from tests.site_build.inside.plain_markdown import convert

PAGE = """# A page

It is **0.60**<!-- x + 0.05 --> of [2<!-- len(many) -->](#a), as in `0.60<!-- x -->`.

| a |
| --- |
| 0.60<!-- x + 0.05 --> |

![It is 0.60<!-- x + 0.05 -->](a.png)

```output name="x" columns="a b"
tensor([1., 2.])
```

```figure kind="bars" of="x" caption="It is 0.60<!-- x + 0.05 -->."
Two bars, 0.60<!-- x + 0.05 --> apart.
```
"""


def test_a_page_does_not_show_where_its_numbers_come_from() -> None:
    html = convert(PAGE)
    assert html.count("0.60") == 6
    assert "<!--" not in html
    assert html.count("&lt;!--") == 1  # in the code that shows how one is written


def test_neither_does_the_text_of_its_notebook() -> None:
    text = readable("It is **0.60**<!-- x + 0.05 -->.", lambda target: target)
    assert text == "It is **0.60**."
