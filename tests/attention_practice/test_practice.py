"""What `check` says: each known mistake is named as itself, and nothing else is named."""

import functools
import inspect
import json
import math
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import attention_practice as practice
import attention_steps
from attention_practice import _words, diagnose
from attention_practice._exercise import Exercise, function_with, planted
from attention_practice._outcome import agree, outcomes
from attention_practice.exercises import EXERCISES
from attention_verify.words import published_at
from tests.attention_practice.oracles import ORACLES
from tests.attention_practice.styles import NEARLY, STYLES

ROOT = Path(__file__).parents[2]
MISTAKES = [(name, m.name) for name, e in EXERCISES.items() for m in e.mistakes]
NAMES = vars(attention_steps) | {"torch": torch, "math": math, "F": F, "functools": functools}


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test begin without progress and without hints."""
    monkeypatch.setattr(practice, "_done", set())
    monkeypatch.setattr(practice, "_hints_given", {})
    monkeypatch.setattr(practice, "_kept_in", [])


def written(source: str) -> Callable[..., Any]:
    """Return what a source defines last, as a notebook's cell would."""
    own: dict[str, Any] = {}
    exec(source, dict(NAMES), own)
    function: Callable[..., Any] = next(reversed(own.values()))
    return function


def making(exercise: Exercise, *names: str) -> Callable[..., Any]:
    """Return the function that makes these mistakes, or say where one is written that cannot be."""
    mistakes = tuple(mistake for mistake in exercise.mistakes if mistake.name in names)
    file = Path(inspect.getfile(exercise.solution))
    before, _, after = file.read_text("utf-8").partition("    mistakes=")
    line = f"{before}{after.partition(mistakes[0].name)[0]}".count("\n") + 1
    function = function_with(mistakes, exercise.solution)
    assert function, f"{file}:{line}: each edit of {names} must fit the solution just once"
    return function


def test_a_mistake_that_is_written_wrongly_is_refused() -> None:
    text = "Read: a/\none `x` -> `y`: Says so.\ntwo `x` -> `z`,\n    `q` -> `r`: It says:\n    no."
    assert [(m.name, m.says, m.page, len(m.edits)) for m in planted(text)] == [
        ("one", "Says so.", "a/", 1),
        ("two", "It says: no.", "a/", 2),
    ]
    for wrong in ("one `x` -> `y`: Says so.", "Read: a/\none: says so."):
        with pytest.raises(ValueError, match="not 'one"):
            planted(wrong)


@pytest.mark.parametrize(("name", "mistake"), MISTAKES)
def test_a_mistake_is_named_as_itself(name: str, mistake: str) -> None:
    report = diagnose(name, making(EXERCISES[name], mistake))
    assert report.mistakes == (mistake,), (
        f"{name}: {mistake!r} is taken for {report.mistakes}. If no case tells them apart, "
        "leave it out or add a case; otherwise write it above the other, or its edit more narrowly"
    )
    assert not report.passed
    says = next(m.says for m in EXERCISES[name].mistakes if m.name == mistake)
    assert says in report.text.replace("\n", " ")


@pytest.mark.parametrize("old", ["values", "query"])  # nowhere, and at two places
def test_a_mistake_that_does_not_fit_its_solution_is_refused_at_file_and_line(old: str) -> None:
    exercise = EXERCISES["scores"]
    swapped = next(m for m in exercise.mistakes if m.name == "swapped")
    misfit = replace(exercise, mistakes=(replace(swapped, edits=((old, "key"),)),))
    line = 1 + next(
        i
        for i, text in enumerate(Path(inspect.getfile(exercise.solution)).read_text().split("\n"))
        if text.startswith("        swapped ")
    )
    with pytest.raises(AssertionError, match=rf"scores\.py:{line}: each edit of \('swapped',\)"):
        making(misfit, "swapped")


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_the_right_function_passes_and_the_stub_is_not_written_yet(exercise: Exercise) -> None:
    assert diagnose(exercise.name, written(exercise.source)).passed
    assert diagnose(exercise.name, ORACLES[exercise.name]).passed
    is_class = exercise.stub.startswith("class")
    body = "def append(self, key, value):\n        ..." if is_class else "..."
    for nothing in (body, body.replace("...", "raise NotImplementedError")):
        assert (
            diagnose(exercise.name, written(f"{exercise.stub}\n    {nothing}")).kind
            == "not written"
        )


@pytest.mark.parametrize(("name", "style"), [(n, s) for n in STYLES for s in STYLES[n]])
def test_a_right_answer_passes_in_any_style(name: str, style: str) -> None:
    report = diagnose(name, eval(style, dict(NAMES)))
    assert report.passed, report.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "exercise", [e for e in EXERCISES.values() if e.in_pairs], ids=lambda e: str(e.name)
)
def test_two_mistakes_are_named_as_two_unless_one_hides_the_other(exercise: Exercise) -> None:
    for pair in combinations(exercise.mistakes, 2):
        if function := function_with(pair, exercise.solution):  # most lines have room for one
            mine = outcomes(exercise, function)
            named = diagnose(exercise.name, function).mistakes
            # By arithmetic two can be equal to one, to another two, or cancel out.
            meant = making(exercise, *named) if named else exercise.solution
            assert all(map(agree, mine, outcomes(exercise, meant))), (pair, named)


def test_two_mistakes_at_once_are_told_as_two() -> None:
    report = diagnose("attention", lambda q, k, v: (q @ k.mT / q.shape[-1]).softmax(-2) @ v)
    assert report.mistakes == ("no root", "over queries")
    assert report.kind == "two mistakes"


def test_a_mistake_is_named_where_only_a_batch_raises() -> None:
    report = diagnose("attention", lambda q, k, v: (q @ k.T).softmax(-1) @ v)
    assert report.mistakes == ("no scale",)
    assert "For a batch of two sentences, it also raises an exception." in report.text
    assert "`.T` reverses all axes" in report.text.replace("\n", " ")
    # Several are alike without a batch.
    assert not diagnose("weights", lambda s: s.softmax(0 if s.dim() == 2 else 3)).mistakes
    # Right without a batch: there is no mistake to name but the exception.
    assert not diagnose("context", lambda w, v: w @ v[: w.shape[1]]).mistakes


def test_the_exception_of_a_batch_is_shown_as_it_is() -> None:
    def my_self_attention(inputs: Tensor, *matrices: Tensor) -> Tensor:
        n, _ = inputs.shape
        query, key, value = (inputs @ W.mT for W in matrices)
        return (query @ key.mT).softmax(-1) @ value + 0 * n

    report = diagnose(my_self_attention)
    assert report.mistakes == ("no scale",)
    text = report.text.replace("\n", " ")
    assert "Line 2 of my_self_attention raised ValueError: too many values to unpack" in text
    assert ".T`" not in text


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_a_task_whose_inputs_may_have_more_axes_says_so(exercise: Exercise) -> None:
    axes = (
        {x.dim() for x in inputs if isinstance(x, Tensor)}
        for inputs in zip(*(case.inputs for case in exercise.cases), strict=True)
    )
    assert all(len(numbers) < 2 for numbers in axes) or "(...," in exercise.task


@pytest.mark.parametrize(("name", "nearly"), [(n, s) for n in NEARLY for s in NEARLY[n]])
def test_what_is_nearly_right_does_not_pass(name: str, nearly: str) -> None:
    assert not diagnose(name, eval(nearly, dict(NAMES))).passed


def test_guesses_that_are_divided_by_the_number_of_words_are_told_so() -> None:
    def my_padded_loss(logits: Tensor, tokens: Tensor, pad: int) -> Tensor:
        guesses, words = logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()
        total = F.cross_entropy(guesses, words, ignore_index=pad, reduction="sum")
        return total / (tokens != pad).sum()

    report = diagnose(my_padded_loss)
    assert not report.passed
    assert report.mistakes == ("divided by the words",)


def test_a_mistake_that_is_made_in_two_ways_is_told_in_words_true_of_both() -> None:
    """What the code does otherwise is not said: there need be no masked_fill, nor large number."""

    def equal_shares(scores: Tensor, mask: Tensor) -> Tensor:
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
        return torch.where(weights.isnan(), 1 / scores.shape[-1], weights)

    text = diagnose("masked_weights", equal_shares).text.replace("\n", " ")
    assert "equal shares, as a large negative number in place of minus infinity would" in text
    text = diagnose("masked_weights", lambda scores, mask: scores.softmax(-1)).text
    assert "If you call masked_fill, use its result" in text.replace("\n", " ")


@pytest.mark.parametrize(
    ("returned", "types"),
    [((None, None), "NoneType, NoneType"), ((torch.ones(2),), "Tensor"), ("kv", "str")],
)
def test_a_cache_is_told_what_append_should_return(returned: Any, types: str) -> None:
    class MyCache:
        def append(self, key: Tensor, value: Tensor) -> Any:
            return returned

    report = diagnose("cache", MyCache)
    assert report.kind == "form"
    says = "append should return two tensors, all keys and all values, and returned: "
    assert f"{says}{types}." in report.text.replace("\n", " ")


@pytest.mark.parametrize("name", ["weights", "ring"])
def test_a_function_that_exits_does_not_end_the_grading(name: str) -> None:
    report = diagnose(name, lambda *inputs: sys.exit(3))
    assert report.kind == "error"
    assert "raised SystemExit: 3" in report.text


def test_a_table_that_is_kept_by_its_length_is_not_right() -> None:
    kept: dict[int, Tensor] = {}

    def my_rotary(x: Tensor, positions: Tensor) -> Tensor:
        turned = kept.setdefault(len(positions), positions)
        return attention_steps.rotary_embedding(x, turned, interleaved=True)

    assert not diagnose(my_rotary).passed


def test_a_reader_can_still_interrupt() -> None:
    def interrupted(scores: Tensor) -> Tensor:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        diagnose("weights", interrupted)


def test_a_page_is_a_link_where_the_wheel_knows_its_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    information = tmp_path / "attention_steps-0.1.0.dist-info"
    information.mkdir()
    urls = (
        "Project-URL: Course, https://site.example/course\nProject-URL: Source, https://x.example"
    )
    (information / "METADATA").write_text(f"Name: attention-steps\nVersion: 0.1.0\n{urls}\n")
    published_at.cache_clear()
    assert _words.reading("steps/", "steps/") == "Read: steps/"
    monkeypatch.syspath_prepend(tmp_path)
    published_at.cache_clear()
    assert _words.reading("steps/", "a/") == (
        "Read: https://site.example/course/steps/\nRead: https://site.example/course/a/"
    )
    published_at.cache_clear()


def test_what_a_page_offers_to_the_stuck_is_imported_there() -> None:
    pages = {path: path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md")}
    stuck = [text for text in pages.values() if "Stuck? " in text]
    for text in stuck:
        assert re.search(r"from attention_practice import .*\bhint\b", text)
    assert stuck


def test_each_step_with_an_exercise_lets_build_it() -> None:
    for home in {e.page.partition("#")[0].rstrip("/") for e in EXERCISES.values()}:
        assert "```build exercise=" in (ROOT / "docs" / f"{home}.md").read_text("utf-8")


def spoiled(function: Callable[..., Any], spoil: Callable[[Tensor], Any]) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        result = function(*inputs)
        return spoil(result) if isinstance(result, Tensor) else tuple(map(spoil, result))

    return run


SPOILS: dict[str, tuple[Callable[[Tensor], Any], str]] = {
    "doubled": (lambda x: x * 2, "relation"),
    "moved": (lambda x: x + 0.25, "relation"),
    "a little off": (
        lambda x: x + 0.01 * torch.sin(1 + torch.arange(x.numel())).view(x.shape),
        "difference, relation",
    ),
    "an axis more": (lambda x: x[None], "form"),
    "a list": (lambda x: x.tolist(), "form"),
    "nothing": (lambda x: [x.sum(), None][1], "form"),
}


@pytest.mark.parametrize("spoil", SPOILS)
@pytest.mark.parametrize(
    "exercise", [e for e in EXERCISES.values() if e.differentiable], ids=lambda e: str(e.name)
)
def test_what_is_no_known_mistake_is_named_by_none(exercise: Exercise, spoil: str) -> None:
    function, kind = SPOILS[spoil]
    report = diagnose(exercise.name, spoiled(exercise.solution, function))
    assert report.mistakes == ()
    assert report.kind in kind


def my_weights(scores: Tensor) -> Tensor:
    return scores @ scores[:2]


def test_an_exception_shows_the_readers_line_and_its_shapes() -> None:
    text = diagnose("attention", lambda query, key, value: query @ key @ value).text
    with pytest.raises(RuntimeError) as raised:  # each release of torch has its own words
        torch.ones(6, 4) @ torch.ones(6, 4)
    assert f"raised RuntimeError: {raised.value}" in " ".join(text.split())
    assert "with query (6, 4), key (6, 4), value (6, 4)" in text
    text = diagnose("weights", my_weights).text
    assert "Line 2 of my_weights raised RuntimeError" in text
    assert "    return scores @ scores[:2]\n    with scores (6, 6)" in text


def test_of_two_single_numbers_no_offset_is_told() -> None:
    report = diagnose("next_word_loss", lambda logits, tokens: logits.sum())
    assert report.kind == "difference"


def test_the_place_that_differs_most_is_shown_in_words() -> None:
    report = diagnose("weights", lambda s: s.softmax(-1) * torch.linspace(0.5, 1, s.shape[-1]))
    assert report.kind == "difference"
    text = report.text.replace("\n", " ")
    assert "row 5 “bank”, column 1 “duck”: yours 0.24, right 0.40." in text
    assert "Your rows add up to" in text


@pytest.mark.parametrize(
    ("function", "kind", "text"),
    [
        (lambda s: s.detach().softmax(-1), "gradient", "no gradient comes back"),
        (lambda s: s.sub_(s.amax(-1, True)).softmax(-1), "changed input", "`scores`"),
        (lambda s: s.float().softmax(-1), "float64", "torch.float32"),
        (lambda s: s.softmax(-1) + 0 * (s - s).sqrt(), "gradient", "NaN"),
        (lambda s: s.softmax(-1).detach() + 0 * s, "gradient", "is 0"),
        (
            lambda s: s.softmax(-1) * 1.5 - 0.5 * s.softmax(-1).detach(),
            "gradient",
            "is not that of",
        ),
    ],
)
def test_right_numbers_are_not_enough(function: Any, kind: str, text: str) -> None:
    report = diagnose("weights", function)
    assert report.kind == kind
    assert text in report.text.replace("\n", " ")


@pytest.mark.parametrize(
    "function",
    [
        lambda q, k, v, size: (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ v,
        lambda q, k, v, size: torch.einsum(
            "...ij,...je->...ie",
            attention_steps.attention_weights(q @ k.mT / q.shape[-1] ** 0.5),
            v,
        ),
        # The scores come tile by tile, and are then laid side by side.
        lambda q, k, v, size: (
            (
                torch.cat([q @ tile.mT for tile in k.split(size, -2)], -1).div(q.shape[-1] ** 0.5)
            ).softmax(-1)
            @ v
        ),
    ],
)
def test_tiles_that_hold_all_scores_at_once_are_not_right(function: Any) -> None:
    report = diagnose("tiles", function)
    assert report.kind == "memory"
    assert not report.passed
    assert "a tensor of shape (96, 97): it takes all keys at once" in report.text.replace("\n", " ")


def test_a_warning_of_torch_is_repeated() -> None:
    def my_weights(scores: Tensor) -> Tensor:
        warnings.warn("Implicit dimension choice", stacklevel=1)
        return scores.softmax(-1)

    assert "torch warns: Implicit dimension choice" in diagnose(my_weights).text


def test_a_failure_of_the_exercise_is_not_the_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = replace(EXERCISES["scores"], solution=lambda query, key: query @ key)
    monkeypatch.setitem(EXERCISES, "scores", broken)
    report = diagnose("scores", lambda query, key: query @ key.mT)
    assert report.kind == "harness"
    assert not report.passed


def test_devices_that_call_pass_on_unequally_end() -> None:
    def my_ring(
        query: Tensor, key: Tensor, value: Tensor, rank: int, size: int, pass_on: Any
    ) -> Any:
        for _ in range(rank):
            key = pass_on(key)
        return query

    assert "the device before has ended" in diagnose("ring", my_ring).text.replace("\n", " ")


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (("weights",), TypeError, r"check\(\"weights\", my_weights\)"),
        ((torch.zeros(2),), TypeError, r"not a tensor of shape \(2,\)"),
        ((3,), TypeError, "not 3"),
        ((lambda s: s,), ValueError, r"function is for, as in check\(\"weights\", function\)"),
        ((type("MyCache", (), {}),), ValueError, r"as in check\(\"cache\", MyCache\)"),
        (("weigths", abs), ValueError, "is 'weights' meant?"),
        (("", abs), ValueError, "there are embed, scores"),
    ],
)
def test_a_call_that_means_nothing_says_what_to_write(given: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        diagnose(*given)


def test_hints_come_one_by_one_and_progress_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    practice.check("context", lambda w, v: v)
    for _ in range(3):
        practice.hint("context")
    practice.check("context", lambda w, v: v)
    practice.check("context", lambda w, v: w @ v)
    practice.progress()
    said = capsys.readouterr().out
    assert re.findall(r"Stuck\? (\w+)", said) == ["hint", "solution"]
    assert [h in said for h in EXERCISES["context"].hints] == [True, True]
    assert "There are no more hints" in said
    assert "Set 1  ○○○●  1 of 4, next: embed" in said
    assert re.findall(r"^Set \d", said.rpartition("of 4, next: embed\n")[2], re.M) == [
        "Set 2",
        "Set 3",
        "Set 4",
        "Set 5",
        "Set 6",
    ]


def test_progress_is_kept_in_the_file_that_the_reader_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "attention.json"
    practice.check("scores", EXERCISES["scores"].solution)
    assert list(tmp_path.iterdir()) == []  # nothing is written unasked
    practice.progress(file)
    practice.check("embed", EXERCISES["embed"].solution)
    monkeypatch.setattr(practice, "_done", set())  # Python begins anew
    monkeypatch.setattr(practice, "_kept_in", [])
    practice.progress(str(file))
    assert capsys.readouterr().out.rpartition("Set 1")[2].startswith("  ●●○○  2 of 4")
    practice.check("weights", EXERCISES["weights"].solution)
    practice.check("context", lambda weights, value: value)
    assert json.loads(file.read_text()) == {"done": ["embed", "scores", "weights"]}


@pytest.mark.parametrize("text", ["notes", "[1]", '{"done": 3}', '{"done": [3]}'])
def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match="one that progress has written"):
        practice.progress(file)
    assert file.read_text() == text
    assert practice._kept_in == []
