"""What a Markdown page's examples are, and at which line each failure is told."""

from pathlib import Path

import pytest

from tensor_examples.example import Malformed, NotRun
from tensor_examples.markdown import parse_page
from tensor_examples.script import ScriptExample
from tests.tensor_examples.elsewhere import Project

RIGHT = """
    # A page

    ```python
    x = [1, 2]
    print(x)
    ```

    ```output
    [1, 2]
    ```

    ```python
    print(sum(x))
    ```

    ```output
    3
    ```
    """


def test_a_right_page_passes(project: Project) -> None:
    project.write("page.md", RIGHT)
    outcome = project.run()
    assert outcome.passed == 2
    assert "2 outputs of examples compared, 0 examples not run" in outcome.text


def test_a_wrong_number_fails_at_its_line(project: Project) -> None:
    project.write(
        "page.md",
        RIGHT.replace("[1, 2]\n    ```\n\n    ```python", "[1, 7]\n    ```\n\n    ```python"),
    )
    outcome = project.run()
    assert (outcome.passed, outcome.failed) == (1, 1)
    assert "page.md:9: element [1]: expected 7, got 2" in outcome.text


IN_PLACES = {
    "a tab": ('=== "torch"\n\n', "    "),
    "an admonition": ("??? success\n\n", "    "),
    "a quote": ("> Quoted\n>\n", "> "),
    "a nested quote": ("> > Quoted\n> >\n", "> > "),
    "an indented quote": ("- item\n\n", "  > "),
    "a list": ("1. An item\n\n", "   "),
    "an indented block": ("text\n\n", "        "),
}


@pytest.mark.parametrize(("start", "prefix"), IN_PLACES.values(), ids=IN_PLACES.keys())
def test_a_fence_is_run_wherever_it_stands(project: Project, start: str, prefix: str) -> None:
    code = ["```python", "if True:", "    print(1)", "    print(2)", "```"]
    lines = [*code, "", "```output", "1", "3", "```"]
    page = start + "".join(f"{prefix}{line}\n" for line in lines)
    project.write("page.md", "\n" + page)
    outcome = project.run()
    line = start.count("\n") + lines.index("3") + 1
    assert f"page.md:{line}: expected 3, got 2" in outcome.text


def test_a_fence_may_begin_a_list_item(project: Project) -> None:
    project.write("page.md", "- ```python\n  print(1)\n  ```\n\n  ```output\n  2\n  ```\n")
    assert "page.md:6: expected 2, got 1" in project.run().text


@pytest.mark.parametrize(
    "opening", ["```{.python}", "``` python", '~~~python title="x.py"', "`````python"]
)
def test_attributes_and_longer_fences_change_nothing(project: Project, opening: str) -> None:
    marks = opening[: len(opening) - len(opening.lstrip("`~"))]
    project.write("page.md", f"{opening}\nprint(1)\n{marks}\n\n```output heat='a'\n2\n```\n")
    assert "page.md:6: expected 2, got 1" in project.run().text


MALFORMED = {
    "py": "```py\n1\n```",
    "python3": "```python3\n1\n```",
    "Python": "```Python\n1\n```",
    "pycon": "```pycon\n>>> 1\n```",
    "ipython": "```ipython\n1\n```",
    "attributes": "``` { .py title='x' }\n1\n```",
    "a directive": "```{code-cell} ipython3\n1\n```",
    "prompts in python": "```python\n>>> 1\n```",
    "prompts in text": "```text\n>>> 1\n```",
    "prompts without language": "```\nIn [1]: 1\n```",
    "a printed tensor": "```text\ntensor([1., 2.])\n```",
    "a printed shape": "```\ntorch.Size([1])\n```",
    "output without code": "```output\n1\n```",
    "output after other code": "```bash\nls\n```\n\n```output\n1\n```",
    "output after text": "```python\n1\n```\n\ntext\n\n```output\n1\n```",
    "two outputs": "```python\nprint(1)\n```\n\n```output\n1\n```\n\n```output\n1\n```",
    "Output": "```python\nprint(1)\n```\n\n```Output\n1\n```",
    "result": "```python\nprint(1)\n```\n\n```result\n1\n```",
    "a prompt in the text": "text\n\n>>> 1",
    "an indented prompt": "text\n\n    >>> 1\n    1",
    "a prompt in a comment": "<!--\n>>> 1\n-->",
    "html": "<pre><code>print(1)</code></pre>",
    "not closed": "```python\nprint(1)",
    "not closed before another": "```python\nprint(1)\n\n```output\n1\n```",
    "text not closed before an example": "```text\nx\n\n```python\nprint(1)\n```",
    "closed further in": "```python\nprint(1)\n  ```",
    "indented too little": "-   ```python\n    print(1)\n print(2)\n    ```",
    "no reason": "<!-- not run: -->\n```python\n1\n```",
    "a reason for nothing": "<!-- not run: because -->\n\ntext",
    "a reason too far above": "<!-- not run: because -->\n\n```python\n1\n```",
}


@pytest.mark.parametrize("page", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_looks_like_an_example_and_is_none_is_an_error(page: str) -> None:
    found = list(parse_page("page.md", f"# Title\n\n{page}\n"))
    assert any(isinstance(example, Malformed) for example in found)


NO_EXAMPLES = {
    "a shell": "```bash\npython -m pytest\n```",
    "an included source": "```source\nsrc/a.py b\n```",
    "an example of Markdown": "````markdown\n```python\nprint(1)\n```\n\n```output\n2\n```\n````",
    "a title that names a file": '```text title="page.py"\nx\n```',
    "inline code": "The prompt is `>>>`, and ```` ```python ```` opens a fence.",
    "words": "See `<pre>` and tensor([1.]) in the text.",
}


@pytest.mark.parametrize("page", NO_EXAMPLES.values(), ids=NO_EXAMPLES.keys())
def test_what_is_no_example(page: str) -> None:
    assert list(parse_page("page.md", f"# Title\n\n{page}\n")) == []


def test_opting_out_takes_a_reason_and_is_counted(project: Project) -> None:
    project.write(
        "page.md",
        """
        <!-- not run: needs a GPU -->
        ```python
        print(torch.ones(1, device="cuda"))
        ```

        ```output
        tensor([1.], device='cuda:0')
        ```

        ```python
        print(1)
        ```

        ```output
        1
        ```
        """,
    )
    outcome = project.run()
    assert outcome.counts == {"passed": 1, "skipped": 1}
    assert "page.md::line:2: not run: needs a GPU" in outcome.text
    assert "1 outputs of examples compared, 1 examples not run" in outcome.text


def test_code_that_prints_needs_an_output(project: Project) -> None:
    project.write("page.md", "```python\nprint(41 + 1)\n```\n")
    outcome = project.run()
    assert "page.md:2: prints, and no output stands below it" in outcome.text
    assert "    42" in outcome.text


def test_a_block_is_an_example_with_or_without_output() -> None:
    found = list(
        parse_page(
            "page.md", "```python\nx = 1\n```\n\n```python\nprint(x)\n```\n\n```output\n1\n```\n"
        )
    )
    assert [type(example) for example in found] == [ScriptExample, ScriptExample]
    assert [example.name for example in found] == ["line:2", "line:6"]


def test_a_reason_covers_code_and_output() -> None:
    page = "<!-- not run: slow -->\n```python\nprint(1)\n```\n\n```output\n2\n```\n"
    assert [type(example) for example in parse_page("page.md", page)] == [NotRun]


def test_an_exception_shows_the_pages_own_lines(project: Project) -> None:
    project.write(
        "page.md",
        """
        ```python
        def divide(a, b):
            return a / b
        ```

        ??? note

            ```python
            divide(1, 0)
            ```

        ```python
        print("never")
        ```

        ```output
        never
        ```
        """,
    )
    outcome = project.run()
    assert "page.md:3: raises ZeroDivisionError: division by zero" in outcome.text
    assert 'page.md", line 9, in <module>\n        divide(1, 0)' in outcome.text
    assert "return a / b" in outcome.text
    assert "tensor_examples" not in outcome.text.partition("FAILURES")[2]
    assert "page.md:13: not run, because the block at line 9 failed" in outcome.text


def test_a_syntax_error_is_told_at_its_line(project: Project) -> None:
    project.write("page.md", "- item\n\n  ```python\n  x = 1\n  y = (\n  ```\n")
    assert "page.md:5: raises SyntaxError" in project.run().text


def test_a_long_output_shows_only_the_lines_that_differ(project: Project) -> None:
    rows = [f"row {number}" for number in range(200)]
    wrong = "\n".join(rows).replace("row 150", "row 151")
    project.write(
        "page.md",
        f"```python\nfor i in range(200):\n    print('row', i)\n```\n\n```output\n{wrong}\n```\n",
    )
    text = project.run().text
    assert "page.md:157: expected 151, got 150" in text
    assert "expected  row 151" in text
    assert "actual    row 150" in text
    assert "row 149" not in text


def test_stderr_is_no_output(project: Project) -> None:
    project.write("page.md", "```python\nimport sys\nprint('oh', file=sys.stderr)\n```\n")
    assert "page.md:2: writes to stderr" in project.run().text


def test_a_page_logs_as_a_script_does(project: Project) -> None:
    log = "import logging, sys\nlogging.basicConfig({})\nlogging.warning('oh')\n"
    lost = project.write("stderr.md", f"```python\n{log.format('')}```\n")
    shown = f"```python\n{log.format('stream=sys.stdout')}```\n\n```output\nWARNING:root:oh\n```\n"
    project.write("stdout.md", shown)
    outcome = project.run()
    assert f"{lost.name}:2: writes to stderr" in outcome.text
    assert (outcome.passed, outcome.failed) == (1, 1)


def test_an_example_meets_the_hooks_of_its_own_folders(project: Project) -> None:
    for folder in ("one", "two"):
        project.write(f"{folder}/page.md", "```python\n1\n```\n")
        hook = f"def pytest_runtest_call(item):\n    print('hook of {folder}:', item.nodeid)\n"
        project.write(f"{folder}/conftest.py", hook)
    text = project.run("-s").text
    assert "hook of one: one/page.md::line:2" in text
    assert "hook of two: two/page.md::line:2" in text
    assert text.count("hook of") == 2


def test_windows_line_ends_simply_work(project: Project) -> None:
    page = Path(project.folder / "page.md")
    page.write_bytes(
        b"```python\r\nprint(1)\r\nprint(2)\r\n```\r\n\r\n```output\r\n1\r\n3\r\n```\r\n"
    )
    assert "page.md:8: expected 3, got 2" in project.run().text


def test_code_runs_as_the_main_module(project: Project) -> None:
    project.write(
        "page.md",
        """
        ```python
        from __future__ import annotations
        from dataclasses import dataclass
        import pickle
        ```

        ```python
        @dataclass
        class Point:
            x: Undefined

        print(pickle.loads(pickle.dumps(Point(1))), __name__)
        ```

        ```output
        Point(x=1) __main__
        ```
        """,
    )
    assert project.run().passed == 2
