"""The cases for pytest: each is checked alone."""

from collections.abc import Callable
from functools import cache
from typing import Any
from unittest import SkipTest

from attention_verify.cases import Case, cases_for
from attention_verify.engine import verify


class AttentionCase(Case):
    """A case that is checked alone."""

    def check(self, function: Callable[..., Any], **options: Any) -> None:
        """Run this case alone, for pytest.

        Args:
            function: Your attention.
            **options: Those of `verify`, such as `layout`.

        Raises:
            AssertionError: If the function fails it; with the mistake, if it is known.
            SkipTest: If it is left out, with the reason.
        """
        __tracebackhide__ = True
        verdict = verify(function, self.features, cases=[self], **options)
        if {result.status for result in verdict.results} == {"left out"}:
            raise SkipTest(verdict.results[0].says)
        if not verdict.passed:
            raise AssertionError(verdict.text)


def attention_cases(*features: str) -> list[AttentionCase]:
    """Return the cases for which a function needs no other features than these.

    Args:
        *features: Of `FEATURES`, in one string or several, in any order.

    Returns:
        The cases, to be given to `pytest.mark.parametrize` with `ids=str`.

    Raises:
        ValueError: If there is no such feature.

    Examples:
        >>> from attention_verify import attention_cases
        >>> [str(case) for case in attention_cases("gqa")][-2:]
        ['grouped heads', 'one key head']
    """
    return [_to_check(case) for case in cases_for(*features)]


@cache
def _to_check(case: Case) -> AttentionCase:
    return AttentionCase(**vars(case))
