"""The examples of a Markdown page, and the line at which each failure is told."""

import pytest

from tensor_examples.example import Malformed, NotRun
from tensor_examples.markdown import parse_page
from tests.tensor_examples.elsewhere import Project, block

RIGHT = f"# A page\n\n{block('x = [1, 2]; print(x)', '[1, 2]')}\n{block('print(sum(x))', '3')}"


def test_a_right_page_passes(project: Project) -> None:
    project.write("page.md", f"{block('y = 1')}\n{RIGHT}")
    outcome = project.run()
    assert outcome.passed == 3
    assert "2 outputs of examples compared, 0 not run or not compared" in outcome.text


LOG = "import logging, sys\nlogging.basicConfig({})\nlogging.warning('oh')"
SHOWN_LOG = LOG.format("stream=sys.stdout")
WRONG = {
    "a number": (RIGHT.replace("\n[1, 2]", "\n[1, 7]"), "8: element [1]: expected 7, got 2"),
    "in a list": (
        "- ```python\n  print(1)\n  ```\n\n  ```output\n  2\n  ```",
        "6: expected 2, got 1",
    ),
    "no output": (block("print(41 + 1)"), "2: prints, and no output stands below it"),
    "syntax": ("- item\n\n  ```python\n  x = 1\n  y = (\n  ```\n", "5: raises SyntaxError"),
    "stderr": (block("import sys\nprint('oh', file=sys.stderr)"), "2: writes to stderr"),
    "the end of its process": (block("import os\nos._exit(0)"), "2: ends its process"),
    "a log": (block(LOG.format("")), "2: writes to stderr"),
    "a log that is shown": (block(SHOWN_LOG, "WARNING:root:no"), "8: expected no, got oh"),
    "Windows": (block("print(1)", "2").replace("\n", "\r\n"), "6: expected 2, got 1"),
    "a byte order mark": ("\ufeff" + block("print(1)", "2"), "6: expected 2, got 1"),
}


@pytest.mark.parametrize(("page", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_page_fails_at_its_line(project: Project, page: str, message: str) -> None:
    assert f"page.md:{message}" in project.told("page.md", page)


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
    lines = block("if True:\n    print(1)\n\n    print(2)", "1\n3").split("\n")
    page = start + "".join(f"{prefix}{line}".rstrip() + "\n" for line in lines)
    line = start.count("\n") + lines.index("3") + 1
    assert f"page.md:{line}: expected 3, got 2" in project.told("page.md", page)


MALFORMED = {
    "py": "```py\n1\n```",
    "python3": "```python3\n1\n```",
    "Python": "```Python\n1\n```",
    "pycon": "```pycon\n>>> 1\n```",
    "ipython": "```ipython\n1\n```",
    "attributes": "``` { .py title='x' }\n1\n```",
    "a directive": "```{ipython}\n1\n```",
    "prompts in python": "```python\n>>> 1\n```",
    "prompts in text": "```text\n>>> 1\n```",
    "prompts without language": "```\nIn [1]: 1\n```",
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
    "not closed": "```python\nprint(1)",
    "not closed before another": "```python\nprint(1)\n\n```output\n1\n```",
    "text not closed before an example": "```text\nx\n\n```python\nprint(1)\n```",
    "closed further in": "```python\nprint(1)\n  ```",
    "closed by another prefix": "> ```python\n> 1\n  ```",
    "in a list in a list": "- - ```python\n    1\n    ```\n" * 2,
    "in a list in a quote": "> 1. ~~~python\n>    1\n>    ~~~\n" * 2,
    "inline code that looks like a fence": "```x``` is\n\n```python\n1\n```",
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
    "a drawing": "```chart\nsteps a b\n```",
    "an example of Markdown": "````markdown\n```python\nprint(1)\n```\n\n```output\n2\n```\n````",
    "a title that names a file": '```text title="page.py"\nx\n```',
    "inline code": "The prompt is `>>>`, and ```` ```python ```` opens a fence.",
    "words": "See `<pre>` and tensor(x) in the text.",
}


@pytest.mark.parametrize("page", NO_EXAMPLES.values(), ids=NO_EXAMPLES.keys())
def test_what_is_no_example(page: str) -> None:
    assert list(parse_page("page.md", f"# Title\n\n{page}\n")) == []


def test_opting_out_takes_a_reason_covers_the_output_and_is_counted(project: Project) -> None:
    page = f"<!-- not run: needs a GPU -->\n{block('print(gpu)', '2')}"
    assert [type(example) for example in parse_page("page.md", page)] == [NotRun]
    project.write("page.md", f"{page}\n{block('print(1)', '1')}")
    outcome = project.run()
    assert outcome.counts == {"passed": 1, "skipped": 1}
    assert "page.md::line:2: not run: needs a GPU" in outcome.text
    assert "1 outputs of examples compared, 1 not run or not compared" in outcome.text


def test_an_exception_shows_the_pages_own_lines(project: Project) -> None:
    raising = "??? note\n\n    ```python\n    divide(1, 0)\n    ```\n"
    blocks = [block("def divide(a, b):\n    return a / b"), raising, block("print(1)", "1")]
    project.write("page.md", "").write_text("\n".join(blocks))
    text = project.run("-rs").text
    assert "page.md:3: raises ZeroDivisionError: division by zero" in text
    assert 'page.md", line 9, in <module>\n        divide(1, 0)' in text
    assert "return a / b" in text
    assert "tensor_examples" not in text.partition("FAILURES")[2].partition("SKIPPED")[0]
    assert "not run, because the block at line 9 failed" in text


def test_what_follows_a_failure_is_told_once_whichever_is_asked_for(project: Project) -> None:
    blocks = [block(code) for code in ["import missing", *["missing.use()"] * 200]]
    project.write("page.md", "").write_text("\n".join(blocks))
    outcome = project.run()
    assert outcome.counts == {"failed": 1, "skipped": 200}
    assert "page.md:2: raises ModuleNotFoundError" in outcome.text
    outcome = project.run("page.md::line:6", "page.md::line:10")
    assert outcome.counts == {"failed": 1, "skipped": 1}
    assert "page.md:6: not run, because the block at line 2 failed" in outcome.text


def test_a_page_has_the_environment_of_the_run(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("page.md", block("import os\nprint(os.environ.get('PAGE'))", "1"))
    for value, failed in (("1", 0), ("2", 1)):
        monkeypatch.setenv("PAGE", value)
        assert project.run().failed == failed
