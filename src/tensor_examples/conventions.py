"""What a project asks of its examples, and how it marks them: all that its configuration sets.

An output that its code does not print is always an error, and so is code that raises. The rest is
a matter of taste: a rule of this table, which holds where a project names it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

RULES = {
    "fences": "all examples have the same kind of fence, and no other block looks like one",
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
class Dialect:
    """How the pages of a project mark an example."""

    languages: tuple[str, ...] = ("python",)  # of the fences that are run
    outputs: tuple[str, ...] = ("output",)  # languages of fences, signs of comments, the prompt

    @property
    def fences(self) -> list[str]:
        """The languages of the fences that hold outputs. An empty one is a fence without any."""
        return [mark for mark in self.outputs if mark != PROMPT and not mark.startswith("#")]

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


def rules_named(names: Iterable[str]) -> frozenset[str]:
    """Return the rules that a project names, and refuse a name that is none.

    Example:
        >>> from tensor_examples.conventions import rules_named
        >>> sorted(rules_named(["prose", "order"]))
        ['order', 'prose']
        >>> len(rules_named(["all"]))
        7
    """
    named = set(names)
    if unknown := sorted(named - {ALL, *RULES}):
        raise ValueError(f"no rule is called {', '.join(unknown)}; there are: {', '.join(RULES)}")
    return frozenset(RULES if ALL in named else named)
