"""What a project asks of its examples, and how it marks them: all that its configuration sets.

An output that its code does not print is always an error, and so is code that raises. The rest is
a matter of taste: a rule of this table, which holds where a project names it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tensor_examples.fences import Fence, info_words

RULES = {
    "fences": "all examples have the same kind of fence, and no other block looks like one",
    "form": "a notebook is written as Jupyter writes it",
    "imports": "an example in a docstring imports the names that it uses",
    "order": "the cells of a notebook were run once, from the top",
    "outputs": "all that code prints or shows is there, and can be compared",
    "prose": "a decimal or a percentage in a sentence is a result of the page",
    "stderr": "code writes nothing to stderr, such as a warning, and no cell stores an exception",
    "text": "nothing in text, comments or other fences looks like a result that no one compares",
}
# What can be wrong without a rule.
ALWAYS = {
    "differs": "an output is not what the code prints",
    "raises": "code raises, does not end, or ends its process",
    "file": "a file cannot be read",
}
ALL = "all"
PROMPT = ">>>"


@dataclass(frozen=True)
class Illustration:
    """What a page shows instead of printed numbers, or beside them."""

    line: int
    caption: str
    says: str  # its text, from the line below
    row: str  # that is drawn, if it is one
    rows: str  # their names
    drawn: str  # the numbers, and the names of the axes


@dataclass(frozen=True)
class Dialect:
    """How the pages of a project mark an example, and what their other fences say."""

    languages: tuple[str, ...] = ("python",)  # of the fences that are run, in one word or several
    outputs: tuple[str, ...] = ("output",)  # languages of fences, signs of comments, the prompt
    captions: frozenset[str] = frozenset({"caption", "title"})  # options of a fence: sentences
    names: frozenset[str] = frozenset()  # options: the names of rows, columns, tensors or panels
    prose: frozenset[str] = frozenset()  # languages of fences whose lines are sentences
    # Languages of fences with a question and its answers, and how a page begins to tell the right.
    questions: Mapping[str, str] = field(default_factory=dict)
    drawings: Callable[[Sequence[Fence]], Iterable[Illustration]] = lambda fences: ()

    def __post_init__(self) -> None:
        """Refuse a mark that no fence can have, and one that both code and outputs have."""
        marks = {"examples_languages": self.languages, "examples_outputs": self.fences}
        for setting, mark in [(name, mark) for name in marks for mark in marks[name]]:
            if info_words(mark) != mark.split():
                raise ValueError(f"{setting}: no fence can have the language {mark!r}")
        for language in self.languages:
            if any(is_marked(info_words(language), mark) for mark in self.fences):
                raise ValueError(f"examples_outputs: {language!r} is the language of code")

    @property
    def fences(self) -> list[str]:
        """The languages of the fences that hold outputs. An empty one is a fence without any."""
        return [mark for mark in self.outputs if mark != PROMPT and not mark.startswith("#")]

    @property
    def code(self) -> str:
        """The language of a fence that is written for code."""
        return next(iter(self.languages), "python")

    @property
    def word(self) -> str:
        """The language of a fence that is written for an output."""
        return next(iter(self.fences), "output")

    @property
    def has_prompts(self) -> bool:
        """Whether a fence may be a session at the prompt."""
        return PROMPT in self.outputs

    def sign_in(self, code: Sequence[str]) -> str | None:
        """Return what the comments begin with that hold the outputs of some code, if any do.

        A project whose first mark is such a sign writes new outputs with it.
        """
        signs = [mark for mark in self.outputs if mark.startswith("#")]
        first = self.outputs[0] if self.outputs[0] in signs else None
        return next((sign for sign in signs if any(line.startswith(sign) for line in code)), first)


def is_marked(words: Sequence[str], mark: str) -> bool:
    """Say whether the words of a fence begin with a mark, or whether both have none."""
    wanted = mark.split()
    return list(words[: len(wanted) or 1]) == wanted


def rules_named(names: Iterable[str]) -> frozenset[str]:
    """Return the rules that a project names, and refuse a name that is none.

    Example:
        >>> from tensor_examples.conventions import rules_named
        >>> sorted(rules_named(["prose", "order"]))
        ['order', 'prose']
        >>> len(rules_named(["all"]))
        8
    """
    named = set(names)
    if unknown := sorted(named - {ALL, *RULES}):
        there_are = f"there are: {', '.join(RULES)}"
        raise ValueError(f"examples_rules: no rule is called {', '.join(unknown)}; {there_are}")
    return frozenset(RULES if ALL in named else named)
