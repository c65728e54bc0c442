"""Pages need Python-Markdown and its extensions, and no particular generator."""

import re
import subprocess
import sys

import pytest
from pymdownx.superfences import SuperFencesException

from tensor_examples.fences import find_fences
from tests.conftest import ROOT
from tests.site_build.markdown.plain_markdown import convert

REFERENCE = ROOT / "docs" / "reference"
TEXTS = [(REFERENCE / name).read_text("utf-8") for name in ("layers.md", "training.md")]
ALONE = f"""
import sys
from tests.site_build.markdown.plain_markdown import convert
for text in {TEXTS!r}:
    print(convert(text))
sys.exit(any(name.startswith("mkdocs") for name in sys.modules))
"""


def test_pages_are_converted_without_mkdocs() -> None:
    command = [sys.executable, "-c", ALONE]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    text = "\n".join(TEXTS)
    fences = list(find_fences(text.splitlines()))
    for language, shown in {
        "output": '<div class="language-output highlight"|<div class="heat"',
        "source": r'<span class="filename">src/',
    }.items():
        written = sum(fence.language == language for fence in fences)
        assert len(re.findall(shown, ran.stdout)) == written > 0
    formulas = re.findall(r"\$\$(?s:.+?)\$\$|\$.+?\$", text)
    assert ran.stdout.count("<math") == len(formulas) + text.count(r"\qquad") > 0
    assert '<table class="heat-map" data-name="both"' in ran.stdout


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (r"$$\fraq{1}{2}$$", "fraq"),
        (r"so $\frac{1}$ of", "frac"),
        ("```source\nsrc/attention_steps/core.py no_such_name\n```", "no_such_name"),
        ("```source\nsrc/no_such_module.py name\n```", "no_such_module"),
    ],
)
def test_a_mistake_in_a_page_is_an_error(text: str, complaint: str) -> None:
    with pytest.raises((ValueError, SuperFencesException), match=complaint):
        convert(text)


def test_an_output_is_one_part_and_a_comment_before_it_another() -> None:
    html = convert("```pycon\n>>> a  # why\ntensor([1.,\n\n        2.])\n>>> b\n<3>\n```")
    comment, tensor, other = re.split('(?=<span class="(?:c1|go)">)', html)[1:]
    assert re.sub("<[^>]*>", "", comment) == "# why\n"
    assert re.sub("<[^>]*>", "", tensor) == "tensor([1.,\n\n        2.])\n&gt;&gt;&gt; b\n"
    assert tensor.count("<i ") == 2
    assert other.startswith('<span class="go">&lt;3&gt;</span>')


NUMBERS = """# A page

It is **0.60**<!-- x + 0.05 --> of [2<!-- len(many) -->](#a), as in `0.60<!-- x -->`.

| a |
| --- |
| 0.60<!-- x + 0.05 --> |

![It is 0.60<!-- x + 0.05 -->](a.png)

```output name="x" columns="a b"
tensor([1., 2.])
```

```output heat="a b" caption="It is 0.60<!-- x + 0.05 -->."
tensor([[1., 2.],
        [3., 4.]])
```
"""


def test_a_page_does_not_show_where_its_numbers_come_from() -> None:
    html = convert(NUMBERS)
    assert html.count("0.60") == 5
    assert "<!--" not in html
    assert html.count("&lt;!--") == 1  # in the code that shows how one is written
