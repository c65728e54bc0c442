"""What a project asks of its examples, and what its own fences say: all that it can set.

An output that its code does not print is always an error. What else a page has to be is a matter
of taste: a rule of this table, which holds where a project names it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tensor_examples.fences import Fence

RULES = {
    "outputs": "all that code prints or shows is there, and nothing is written to stderr",
    "prose": "a decimal or a percentage in a sentence is a result of the page",
    "text": "nothing in text, comments or other fences looks like a result that no one compares",
}
ALL = "all"


@dataclass(frozen=True)
class Illustration:
    """What a page shows instead of printed numbers, or beside them."""

    line: int
    says: str  # its text, from the line below
    drawn: str  # the numbers, and the names of the axes


@dataclass(frozen=True)
class Dialect:
    """What the fences of a project say that hold neither code nor its output."""

    captions: frozenset[str] = frozenset({"caption", "title"})  # options of a fence: sentences
    names: frozenset[str] = frozenset()  # options: the names of rows, columns, tensors or panels
    prose: frozenset[str] = frozenset()  # languages of fences whose lines are sentences
    # Languages of fences with a question and its answers, and how a page begins to tell the right.
    questions: Mapping[str, str] = field(default_factory=dict)
    drawings: Callable[[Sequence[Fence]], Iterable[Illustration]] = lambda fences: ()
    formulas: str = ""  # the module that computes displayed formulas

    @property
    def sentences(self) -> frozenset[str]:
        """The languages of all fences that hold sentences."""
        return self.prose | self.questions.keys()


DEFAULT = Dialect()


def rules_named(names: Iterable[str]) -> frozenset[str]:
    """Return the rules that a project names, and refuse a name that is none.

    Examples:
        >>> from tensor_examples.conventions import rules_named
        >>> sorted(rules_named(["prose", "outputs"]))
        ['outputs', 'prose']
        >>> len(rules_named(["all"]))
        3
    """
    named = set(names)
    if unknown := sorted(named - {ALL, *RULES}):
        there_are = f"there are: {', '.join(RULES)}"
        raise ValueError(f"examples_rules: no rule is called {', '.join(unknown)}; {there_are}")
    return frozenset(RULES if ALL in named else named)
