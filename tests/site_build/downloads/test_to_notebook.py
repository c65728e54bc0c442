"""A page as a notebook, cell by cell."""

import nbformat

from site_build.blocks_and_cells import blocks_in
from site_build.downloads.to_notebook import to_notebook
from tests.conftest import ROOT

PAGE = """---
description: Left out.
---
# A page

<p class="question" markdown>Why
not?</p>

See [the next](folder/next.md#there), [above](#a-page), [elsewhere](https://example.org){ .big }
and `[a](b.md){ .c }`; $x < {y}$.<!-- not for readers -->

<div class="wide" markdown>
## A part {#part}
</div>

::: package.name

```guess
Which of the 2<!-- len(letters) -->
letters?

- “a”<!-- letters[0] -->
- “b”
```

```python
print("a\\n")
```

```output name="letter" heat="a b"
a

```

```stage bars of="letter"
It has no cell to stand in.
```

??? success "Solution"

    !!! note

        Twice in.

    ```python
    # A comment
    if True:
        print(1)
    ```

    ```output
    1
    ```

    The end.

<!-- not run: it is not here -->
```python
import no_such_module
```

```source
src/attention_steps/core.py context_vectors
```

````markdown
```python
shown("only")
```
??? note
````
"""


def notebook_of(page: str) -> str:
    blocks = blocks_in("page.md", page)
    return to_notebook(page, blocks, ROOT, lambda target: f"<{target}>", "*From here.*", "")


def test_a_page_becomes_cells() -> None:
    body = PAGE.partition("---\n# ")[2]
    text = notebook_of("# " + body)
    found = nbformat.reads(text, 4)
    nbformat.validate(found)
    assert [(cell.cell_type, cell.source) for cell in found.cells] == [
        (
            "markdown",
            "# A page\n\n> Why not?\n\nSee [the next](<folder/next.md#there>), "
            "[above](<#a-page>), [elsewhere](<https://example.org>)\n"
            "and `[a](b.md){ .c }`; $x < {y}$.\n\n*From here.*",
        ),
        (
            "markdown",
            "## A part\n\n[`package.name`](<#package.name>)\n\n"
            "**Guess first**\n\nWhich of the 2 letters?\n\n- “a”\n- “b”",
        ),
        ("code", 'print("a\\n")'),
        ("markdown", "**Solution**\n\n**Note**\n\nTwice in."),
        ("code", "# A comment\nif True:\n    print(1)"),
        (
            "markdown",
            "The end.\n\n```python\nimport no_such_module\n```\n\n"
            "`src/attention_steps/core.py`:\n\n```python\n"
            "def context_vectors(weights: Tensor, value: Tensor) -> Tensor:\n"
            "    check_context_arguments(weights, value)\n"
            "    return weights @ value\n```\n\n"
            '````markdown\n```python\nshown("only")\n```\n??? note\n````',
        ),
    ]
    assert [cell.outputs[0].text for cell in found.cells if cell.get("outputs")] == ["a\n\n", "1\n"]
    assert [cell.execution_count for cell in found.cells if "outputs" in cell] == [1, 2]
    assert text == notebook_of("# " + body)
