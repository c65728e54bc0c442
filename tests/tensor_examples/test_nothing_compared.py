"""A file with code of which nothing was compared is no success."""

import pytest

from tests.tensor_examples.elsewhere import Project, block


def test_code_of_which_nothing_is_compared_is_told(project: Project) -> None:
    project.configure(rules=[])
    project.write("page.md", block("print(4)\n\n# Output\n# tensor(1.)"))
    project.write("right.md", block("print(1)", "1"))
    outcome = project.run()
    assert outcome.result.ret == pytest.ExitCode.TESTS_FAILED
    assert "page.md: has code, and nothing of it was compared" in outcome.text
    assert "right.md: has code" not in outcome.text


ELSEWHERE = {
    "another fence": block("print(4)") + "\n```shell\ntensor([4., 5.])\n```\n",
    "another mark": "```py\nprint(4)\n```\n",
}


@pytest.mark.parametrize("page", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_what_would_not_be_compared_fails_without_any_rule(project: Project, page: str) -> None:
    project.configure(rules=[])
    project.write("page.md", "").write_text(page)
    project.write("right.md", block("print(1)", "1"))
    assert project.run().failed == 1


def test_each_rule_can_be_switched(project: Project) -> None:
    pages = {
        "outputs": block("print(1)") + block("print(2)", "2"),
        "prose": f"It is 0.25.\n\n{block('print(1)', '1')}",
        "text": block("print(6 * 7)  # 42", "42"),
    }
    for rule, page in pages.items():
        project.write(f"{rule}.md", "").write_text(page)
    for rules in ([], ["all"], *([rule] for rule in pages)):
        project.configure(rules=rules)
        told = project.run().text
        failed = {rule for rule in pages if f"FAILED {rule}.md::" in told}
        assert failed == (pages.keys() if rules == ["all"] else set(rules)), rules
    project.configure(rules=["prose", "dates"])
    assert "no rule is called dates; there are: outputs, prose, text" in project.run().text


def test_a_notebook_without_outputs_is_told(project: Project) -> None:
    project.configure(rules=[])
    project.notebook("book.ipynb", ("x = 1", ""))
    outcome = project.run()
    assert outcome.result.ret == pytest.ExitCode.TESTS_FAILED
    assert "book.ipynb: has code, and nothing of it was compared" in outcome.text


FINE = {
    "no code": "Only words.",
    "a reason": f"<!-- not run: it needs a GPU -->\n{block('print(4)')}",
    "one output": block("x = 1") + block("print(x)", "1"),
}


@pytest.mark.parametrize("page", FINE.values(), ids=FINE.keys())
def test_what_is_said_or_compared_is_a_success(project: Project, page: str) -> None:
    project.configure(rules=[])
    project.write("page.md", "").write_text(page)
    project.write("right.md", block("print(1)", "1"))
    assert project.run().result.ret == pytest.ExitCode.OK


def test_code_that_has_to_print_nothing_is_compared_with_that(project: Project) -> None:
    project.write("page.md", block("x = 1"))
    assert project.run().result.ret == pytest.ExitCode.OK


def test_memory_that_nobody_wrote_is_told(project: Project) -> None:
    code = "import torch\nprint(torch.empty(2).fill_(1))"
    told = project.told("page.md", block(code, "tensor([3.1625e+02, 0.0000e+00])"))
    assert "; what empty() returns holds whatever was there before: fill it, then" in told
