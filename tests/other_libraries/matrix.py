"""What `attention_verify` finds in the attention of public libraries.

    pytest tests/other_libraries/matrix.py -k NAME

runs one of them, and prints what it finds; with `--record-results`, all is written down.
"""

import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from attention_verify import Verdict, verify
from tests.conftest import ROOT
from tests.other_libraries.subjects import SUBJECTS
from tests.results import OPTION, Results

KEYS = {subject.name: subject.function.__name__ for subject in SUBJECTS}
NOTHING = "\N{EN DASH}"
Found = dict[str, dict[str, str]]  # by subject, by column
RESULTS = Results(
    file=Path(__file__).with_name("matrix.json"),
    page=ROOT / "docs" / "guides" / "other-code.md",
    head=["attention", "cases", "True", "causal", "empty row", "what it gets otherwise"],
    rows=lambda found: [[name, *columns.values()] for name, columns in found.items()],
    libraries=[
        "torch",
        "transformers",
        "x-transformers",
        "jax",
        "flax",
        "equinox",
        "keras",
        "onnx",
        "onnxruntime",
    ],
)


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest) -> Iterator[Found]:
    """Return a place for what is found. In the end it is compared, or written down if so asked."""
    found: Found = {}
    yield found
    if request.config.getoption(OPTION):
        assert found.keys() == KEYS.keys(), "what is written down is all, or nothing"
        RESULTS.record(found, request.session)
    else:
        known = RESULTS.read()["found"]
        assert found == {name: known.get(name) for name in found}


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.function.__name__)
def test_what_is_found(
    subject: SimpleNamespace, found: Found, request: pytest.FixtureRequest
) -> None:
    asked = request.config.getoption
    if "compiled" in KEYS[subject.name] and not (asked(OPTION) or asked("keyword")):
        pytest.skip(f"it compiles for minutes: ask for it with -k, or with {OPTION}")
    if find_spec(subject.distribution.replace("-", "_")) is None:
        pytest.skip(f"{subject.distribution} is not installed: pip install --group other-libraries")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the libraries
        verdict = verify(subject.function, subject.features, interface=subject.interface)
    print(verdict.text)
    found[subject.name] = columns(verdict, subject.has_causal_flag)


def columns(verdict: Verdict, has_causal_flag: bool = True) -> dict[str, str]:
    """Return a row of the table."""
    run = [result for result in verdict.results if result.status != "left out"]
    good = [result for result in run if result.status in ("passes", "differs")]
    answers = {
        question: answer.replace("True ", "").replace("empty is ", "") or NOTHING
        for question, answer in verdict.conventions.items()
    }
    if not has_causal_flag:
        answers["where the queries of a causal call stand"] = NOTHING
    return {"cases": f"{len(good)}/{len(run)}", **answers, "otherwise": otherwise(verdict)}


def otherwise(verdict: Verdict) -> str:
    """Say which mistakes are named, what no known mistake explains, and what is refused."""
    refused = [result.case for result in verdict.results if result.status == "raises"]
    parts = [
        *(f"**{name}**" for name in verdict.mistakes),
        *(
            f"{'NaN' if result.yours == 'nan' else 'other numbers'} in “{result.case}”"
            for result in verdict.results
            if result.status == "fails" and not result.mistakes
        ),
    ]
    if refused:
        more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
        parts.append(f"refuses “{refused[0]}”{more}")
    return "; ".join(parts) or NOTHING
