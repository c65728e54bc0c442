"""Pages of MyST, Quarto and MDX."""

import pytest

from tensor_examples.markdown import parse_page
from tests.tensor_examples.elsewhere import Project

MYST = """\
```{{code-cell}} ipython3
:tags: [raises-exception]

x = 1 / 0
```

````{{code-block}} python
---
emphasize-lines: 1
---
x = 3
print(x)
````

```output
{output}
```

```{{code-cell}}
---
tags:
- skip-execution
---
1 / 0
```

```{{code-cell}} r
print(x)
```
"""
QUARTO = """\
```{{python}}
#| error: true
x = 1 / 0
```

```{{python}}
%matplotlib inline
x = 3
x
```

```output
{output}
```

```{{python}}
#| eval: false
1 / 0
```

```{{python, eval=FALSE}}
1 / 0
```
"""
MDX = """\
```python
print(3)
```

```output
{output}
```

{{/* not run: it needs a GPU */}}
```python
1 / 0
```
"""
PAGES = [
    ("page.md", MYST, 16, {"skipped": 1, "passed": 2}),
    ("page.qmd", QUARTO, 13, {"skipped": 2, "passed": 2}),
    ("page.mdx", MDX, 6, {"skipped": 1, "passed": 1}),
]


@pytest.mark.parametrize(("name", "page", "line", "counts"), PAGES)
def test_a_page_is_run_as_its_program_would(
    project: Project, name: str, page: str, line: int, counts: dict[str, int]
) -> None:
    project.configure()
    project.write(name, "").write_text(page.format(output=3))
    assert project.run().counts == counts
    assert f"{name}:{line}: expected 4, got 3" in project.told(name, page.format(output=4))


def test_a_line_for_ipython_is_listed(project: Project) -> None:
    project.configure()
    told = project.told("page.qmd", QUARTO.format(output=3))
    assert "page.qmd::line:7: not run: %matplotlib inline" in told


def test_quarto_runs_a_page_in_its_folder(project: Project) -> None:
    project.configure()
    project.write("docs/one.csv", "7")
    told = project.told("docs/page.qmd", "```{python}\nprint(open('one.csv').read())\n```\n")
    assert "1 passed" in told


def test_a_fence_that_is_no_cell_has_no_settings() -> None:
    page = "```python\n#| eval: false\n:tags: [skip-execution]\n```\n"
    (found,) = parse_page("page.md", page)
    assert found.code == "#| eval: false\n:tags: [skip-execution]"
