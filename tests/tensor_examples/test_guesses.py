"""A question whose right answer is computed, and no other answer is right as well."""

from collections.abc import Iterator

import pytest

from tensor_examples.conventions import Dialect
from tensor_examples.example import Malformed, Run, Settings
from tensor_examples.failures import ExampleFailure
from tensor_examples.guesses import Guess
from tensor_examples.markdown import parse_page
from tests.tensor_examples.elsewhere import block

DIALECT = Dialect(questions={"guess": "**The guess.**"})
CODE = block('shares = [0.25, 0.75]\nwords = ["the", "duck"]')
LATER = block("shares = [0.5, 0.5]")


def page_with(*answers: str, told: str = "**The guess.** It is so.") -> str:
    """Return a page whose first answer is on line 4."""
    items = "\n".join(f"- {answer}" for answer in answers)
    return f"```guess\nWhich one?\n\n{items}\n```\n\n{CODE}\n{told}\n\n{LATER}"


def problems(page: str) -> Iterator[str]:
    run = Run(Settings())
    for example in parse_page("page.md", page, DIALECT):
        if isinstance(example, Malformed | Guess):
            try:
                example.check(run)
            except ExampleFailure as failure:
                yield f"{failure.place}: {failure.problem}"


RIGHT = {
    "numbers": ["0.5 and 0.5", "0.25 and 0.75<!-- shares -->", "0.75 and 0.25"],
    "rounded": ["10 %", "80 % of it<!-- shares[1] + 0.05 -->"],
    "a whole number": ["two", "3", "2<!-- len(words) -->"],
    "a word": ["the", "“duck”, the last<!-- words[shares.index(max(shares))] -->", "ducks"],
}


@pytest.mark.parametrize("answers", RIGHT.values(), ids=RIGHT.keys())
def test_the_answer_is_computed_where_the_page_tells_it(answers: list[str]) -> None:
    assert list(problems(page_with(*answers))) == []


IS_3 = "write two to four different answers, with a comment that computes it behind the right"
WRONG = {
    "numbers": (
        ["0.5 and 0.5<!-- shares -->", "0.25 and 0.75"],
        "4: '0.5 and 0.5' is marked as right, and shares is [0.25, 0.75]",
    ),
    "one number of two": (["1", "25 %<!-- shares -->"], "5: '25 %' is marked as right, and"),
    "a word": (["the<!-- words[1] -->", "duck"], "4: 'the' is marked as right, and words[1] is"),
    "a part of a word": (["ducks<!-- words[1] -->", "the"], "4: 'ducks' is marked as right"),
    "two are right": (["25 %<!-- shares[0] -->", "1", "0.25"], "6: '0.25' is right as well"),
    "no number": (["1<!-- len -->", "2"], "4: len gives neither words nor numbers"),
    "infinite": (["1<!-- float('inf') * 1 -->", "2"], "4: float('inf') * 1 gives neither"),
    "no such name": (["1<!-- share -->", "2"], "4: raises NameError"),
    "no comment": (["1", "2"], f"1: {IS_3}"),
    "two comments": (["1<!-- shares[0] -->", "2<!-- shares[1] -->"], f"1: {IS_3}"),
    "one answer": (["1<!-- shares[0] -->"], f"1: {IS_3}"),
    "five answers": (["1<!-- shares[0] -->", "2", "3", "4", "5"], f"1: {IS_3}"),
    "the same twice": (["1<!-- shares[0] -->", "2", "2"], f"1: {IS_3}"),
    "a constant": (["1<!-- 1 -->", "2"], "1: the comment behind the right answer has no"),
}


@pytest.mark.parametrize(("answers", "told"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_binding_fails_at_its_line(answers: list[str], told: str) -> None:
    (problem,) = problems(page_with(*answers))
    assert problem.startswith(told)


def test_a_page_that_does_not_tell_is_refused() -> None:
    answers = ["1", "2<!-- len(words) -->"]
    for told in ("It is so.", "**The guess.** So.\n\n**The guess.** And so.", "- **The guess.**"):
        (problem,) = problems(page_with(*answers, told=told))
        assert problem == "1: one paragraph below this question has to begin with **The guess.**"


def test_numbers_of_the_question_are_compared_and_those_of_wrong_answers_are_not() -> None:
    page = page_with("0.99", "2<!-- len(words) -->")
    assert list(problems(page)) == []
    (problem,) = problems(page.replace("Which one?", "Which of 0.99?"))
    assert problem.startswith("2: 0.99 is in no output")
