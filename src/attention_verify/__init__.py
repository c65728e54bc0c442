"""Check attention of your own: which cases it gets wrong, and which known mistake it makes.

    python -m attention_verify my.module:attend --features causal,gqa

runs a function against an oracle in float64. In Python it is `verify(attend, ["causal", "gqa"])`;
in a test, a case of `attention_cases("causal", "gqa")` is checked with `case.check(attend)`.
"""

from attention_verify.adapters import LeftOutError
from attention_verify.engine import verify
from attention_verify.testing import AttentionCase, attention_cases
from attention_verify.verdict import CaseResult, Verdict

__all__ = ["AttentionCase", "CaseResult", "LeftOutError", "Verdict", "attention_cases", "verify"]
