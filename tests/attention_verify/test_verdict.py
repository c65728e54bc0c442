"""What is told of a function that cannot be judged, and in which forms one can be called."""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention as torch_attention
from torch.utils._pytree import tree_leaves

from attention_steps.drop_in import transformers_attention
from attention_verify import LeftOutError, attention_cases, verify
from attention_verify.__main__ import run_command
from attention_verify.cases import FEATURES
from attention_verify.oracle import RIGHT, Given
from attention_verify.ways import WAYS
from tests.attention_verify.attentions import Cache, making, plain, plain_of_transformers
from tests.conftest import ROOT

SMALL = [case for case in attention_cases() if case.given.key.shape[2] < 20]


def test_layouts_and_other_names_of_arguments() -> None:
    def attend(q: Tensor, k: Tensor, v: Tensor, bias: Any = None, softmax_scale: Any = None) -> Any:
        q, k, v = (x.transpose(1, 2) for x in (q, k, v))
        context = torch_attention(q, k, v, attn_mask=bias, scale=softmax_scale)
        return context.transpose(1, 2), None

    assert verify(attend, ["float-mask", "scale"], layout="blhd").passed
    assert not verify(attend, layout="bhld", cases=SMALL).passed


def test_torchs_layer_is_judged_by_what_true_means_there() -> None:
    verdict = verify(nn.MultiheadAttention, ["mask", "float-mask", "gradients"], interface="mha")
    assert verdict.passed, verdict.text
    assert verdict.conventions["what True means in the mask"] == "True hides"


def test_a_layer_that_reads_a_mask_otherwise_is_found() -> None:
    class Padding(nn.MultiheadAttention):
        def forward(self, *inputs: Any, **options: Any) -> Any:
            if "key_padding_mask" in options:
                options["key_padding_mask"] = ~options["key_padding_mask"]
            return super().forward(*inputs, **options)

    class Heads(nn.MultiheadAttention):
        def forward(self, *inputs: Any, **options: Any) -> Any:
            if (mask := options.get("attn_mask")) is not None:
                turned = mask.unflatten(0, (self.num_heads, -1)).transpose(0, 1)
                options["attn_mask"] = turned.flatten(0, 1)
            return super().forward(*inputs, **options)

    verdict = verify(Padding, ["mask"], interface="mha")
    failing = [r.case for r in verdict.results if r.status == "fails"]
    assert failing == ["padding", "first 16 keys hidden"]
    assert "Told, not blamed: True hides elsewhere" in verdict.text
    assert verify(Heads, ["mask"], interface="mha").mistakes == ("mask of another",)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_interface_of_transformers(swapped: bool) -> None:
    def attend(module: Any, query: Tensor, key: Tensor, *others: Any, **options: Any) -> Any:
        key = key.flip(1) if swapped else key
        return transformers_attention(module, query, key, *others, **options)

    few = {"padding", "causal", "grouped heads", "window", "sinks", "soft cap", "causal, mask"}
    cases = [case for case in attention_cases(*FEATURES) if case.name in few]
    verdict = verify(attend, cases=cases, interface="transformers")
    assert verdict.passed is not swapped


def test_a_cache_is_run_where_it_can_be() -> None:
    verdict = verify(Cache, ["gradients"], interface="cache")
    assert verdict.passed, verdict.text
    run = [result.case for result in verdict.results if result.status == "passes"]
    assert run[:4] == [
        "causal",
        "causal, 5 tokens first",
        "causal, in pieces of 3+3+2",
        "causal, 2 keys before",
    ]
    assert "gradients, causal" in run
    no_cache: Any = lambda: 3  # noqa: E731
    causal = [case for case in attention_cases("causal") if case.name == "causal"]
    (result, *_) = verify(no_cache, interface="cache", cases=causal).results
    assert result.says == "it made int, which cannot be called"


def of_one_length(attend: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse what a layer of self-attention cannot be given."""

    def same_length(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Any:
        assert query.shape[2] == key.shape[2] == value.shape[2]
        return attend(query, key, value, **options)

    return same_length


@pytest.mark.parametrize(
    ("interface", "name"),
    [
        ("self", ""),
        ("self", "own key hidden"),
        ("causal-self", ""),
        ("causal-self", "no scale"),
        ("causal-self", "heads scrambled"),
        ("causal-self", "own key hidden"),
    ],
)
def test_self_attention_is_given_as_many_queries_as_keys(name: str, interface: str) -> None:
    way = WAYS[name][0].steps if name else RIGHT

    def attend(*tensors: Tensor, **options: Any) -> Tensor:
        options = {"causal": True} if interface == "causal-self" else options
        context = making(way)(*tensors, **options)
        if name == "own key hidden" and options.get("causal"):  # as a softmax of -inf alone
            context[:, :, 0] = math.nan
        return context

    cases = [*SMALL, *attention_cases("causal", "mask")]
    verdict = verify(of_one_length(attend), cases=cases, interface=interface)
    assert verdict.mistakes == ((name,) if name else ())
    left_out = {r.case: r.says for r in verdict.results if r.status == "left out"}
    for each in ("one key", "more queries than keys", "causal, more queries than keys"):
        assert left_out.pop(each) == "more queries than keys"
    assert set(left_out.values()) == (
        {"a mask without the causal rule"} if interface == "causal-self" else set()
    )


def test_what_is_left_out_says_why() -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        if query.shape[2] == 1:
            raise LeftOutError
        return plain(query, key, value)

    assert "Left out: 1 (no reason)" in verify(attend, cases=SMALL).text
    (case,) = (case for case in attention_cases() if case.name == "one key")
    with pytest.raises(SkipTest, match="more queries than keys"):
        case.check(torch_attention, interface="self")


def sigmoid(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return (query @ key.mT / math.sqrt(query.shape[-1])).sigmoid() @ value


def raises(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    raise RuntimeError("no kernel for this\nand more")


def in_place(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    result = plain(query, key, value)
    query.zero_()
    return result


def as_if_contiguous(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    steps = (
        torch.empty_like(x, memory_format=torch.contiguous_format) for x in (query, key, value)
    )
    tensors = zip((query, key, value), steps, strict=True)
    return plain(*(x.as_strided(x.shape, step.stride()) for x, step in tensors))


class Counting:
    """Gives other numbers each time."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        self.calls += 1
        return plain(query, key, value) * self.calls


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (raises, "  RuntimeError: no kernel for this\n"),
        (lambda q, k, v: plain(q, k, v) * math.nan, "yours nan, right"),
        (
            lambda q, k, v: plain(q, k, v).flatten(0, 1),
            "it returned the shape (8, 5, 8), and (2, 4, 5, 8) was expected",
        ),
        (
            lambda q, k, v: plain(q, k, v).double(),
            "it returned torch.float64 for inputs in torch.float32",
        ),
        (lambda q, k, v: None, "it returned NoneType, and a tensor was expected"),
        (in_place, "input changed: The function writes into a tensor that it was given."),
        (as_if_contiguous, "strides ignored: A tensor that is not contiguous is read as if it"),
    ],
)
def test_what_a_broken_function_does_is_told(function: Callable[..., Any], says: str) -> None:
    verdict = verify(function, cases=SMALL)
    assert not verdict.passed
    assert says in verdict.text


def test_a_function_that_raises_in_one_case_does_not_pass() -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return raises(query, key, value) if query.shape[2] == 1 else plain(query, key, value)

    verdict = verify(attend, cases=SMALL)
    assert {result.status for result in verdict.results} == {"passes", "raises"}
    assert not verdict.passed


def test_no_number_is_judged_where_a_second_call_gives_others() -> None:
    verdict = verify(Counting(), cases=SMALL)
    assert verdict.mistakes == ("second call differs",)
    assert "second call differs: A second call" in verdict.text
    fails = [result for result in verdict.results if result.status == "fails"]
    assert all(result.mistakes == verdict.mistakes for result in fails)
    assert "No known" not in verdict.text


def test_a_shape_that_is_wrong_anywhere_is_told_alone() -> None:
    def attend(module: Any, query: Tensor, *others: Any, **options: Any) -> Tensor:
        return plain_of_transformers(module, query, *others, **options).transpose(1, 2)

    verdict = verify(attend, interface="transformers", cases=SMALL)
    assert verdict.mistakes == ()
    (first, *_) = verdict.results
    assert first.says == "it returned the shape (2, 4, 5, 8), and (2, 5, 4, 8) was expected"
    assert "Another form, or not judged for it: all" in verdict.text


def test_a_result_without_a_gradient_is_told_and_one_of_a_mask_is_compared() -> None:
    def detached(*tensors: Tensor) -> Tensor:
        return plain(*tensors).detach()

    verdict = verify(detached, cases=attention_cases("gradients")[-1:])
    assert "its result has no gradient" in verdict.text
    steps = WAYS["mask without gradient"][0].steps
    (case,) = (c for c in attention_cases(*FEATURES) if c.name == "gradients, float mask")
    wrong = verify(making(steps), cases=[case])
    assert wrong.mistakes == ("mask without gradient",)
    assert re.match(r"mask \[\d", wrong.results[0].place)


def test_cases_that_fail_alike_are_shown_three_times_and_named() -> None:
    text = verify(sigmoid, cases=SMALL).text
    assert text.count("\nfails ") == 3
    assert f"\nand {len(SMALL) - 3} more like these, named below\n" in text
    assert "It raises the same in: more queries than keys" in verify(raises, cases=SMALL).text


def test_a_case_with_another_convention_says_by_what_it_is_compared() -> None:
    def attend(*tensors: Tensor, causal: bool = False) -> Tensor:
        more = tensors[0].shape[2] > tensors[1].shape[2]
        return making(WAYS["top-left"][0].steps if more else RIGHT)(*tensors, causal=causal)

    verdict = verify(attend, cases=[c for c in attention_cases("causal") if "caus" in c.name])
    assert verdict.passed
    assert re.search(
        r"^differs causal, more queries than keys  at \[.+\] yours \S+, by your usual answer \S+; "
        r"\d+ of 56 rows are off$",
        verdict.text,
        re.MULTILINE,
    )


@pytest.mark.parametrize(
    ("function", "features", "interface"),
    [
        (plain, ["mask", "gradients", "bfloat16"], "function"),
        (Cache, ["gradients"], "cache"),
        (plain_of_transformers, ["mask", "float-mask", "causal", "both"], "transformers"),
        (nn.MultiheadAttention, ["mask", "float-mask", "gradients"], "mha"),
    ],
)
def test_nothing_stays_on_another_device(
    function: Callable[..., Any], features: list[str], interface: str
) -> None:
    """Until the result is copied or compared, which the device meta cannot do."""
    if function is Cache:
        function = lambda: lambda query, key, value: plain(query, key, value)  # noqa: E731
    verdict = verify(function, features, interface=interface, device="meta")
    stopped = "NotImplementedError: (Cannot copy out of meta tensor|aten::equal)"
    run = [result for result in verdict.results if result.status != "left out"]
    assert run
    assert all(re.match(stopped, result.says) for result in run), verdict.text


class Elsewhere(Tensor):
    """Stands for a tensor on a GPU: it meets none of the CPU until it is moved there."""

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, arguments: Any = (), options: Any = None
    ) -> Any:
        options = options or {}
        with torch._C.DisableTorchFunctionSubclass():
            tensors = [x for x in tree_leaves((arguments, options)) if isinstance(x, Tensor)]
            if function is Tensor.cpu:
                return tensors[0].as_subclass(Tensor)
            if function is Tensor.to and not isinstance(tensors[0], Elsewhere):
                return tensors[0].to(tensors[1].dtype).as_subclass(Elsewhere)
            assert all(isinstance(x, Elsewhere) or not x.dim() for x in tensors), function
        call: Callable[..., Any] = super().__torch_function__
        return call(function, types, arguments, options)


def test_results_are_compared_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    to = Given.to

    def moved(given: Given, device: str, dtype: torch.dtype) -> Given:
        copy = to(given, "cpu", dtype)
        parts: Iterator[Any] = (getattr(copy, field.name) for field in fields(Given))
        there: Iterator[Any] = (
            x.as_subclass(Elsewhere) if isinstance(x, Tensor) else x for x in parts
        )
        return copy if device == "cpu" else Given(*there)

    monkeypatch.setattr(Given, "to", moved)
    verdict = verify(plain, ["mask", "gradients", "float16", "float64"], device="cpu:0")
    assert verdict.passed, verdict.text


def test_what_is_not_asked_for_is_not_tested() -> None:
    verdict = verify(torch_attention)
    sizes = ("more than 5 texts", "more than 2100 keys", "head_dim over 128")
    assert verdict.not_tested == (*FEATURES, *sizes)
    caches = verify(Cache, ["gradients", "mask"], interface="cache")
    assert {"causal", "gradients"}.isdisjoint(caches.not_tested)
    assert "mask" in caches.not_tested  # none of its cases is for a cache
    assert not verify(torch_attention, cases=[]).passed


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"features": ["masks"]}, "features must be among mask, .*, got 'masks'"),
        ({"layout": "lbhd"}, "layout must be one of bhld, blhd, got 'lbhd'"),
        ({"interface": "layer"}, "interface must be one of function, .*, got 'layer'"),
        ({"device": "tpu"}, "device 'tpu' is not there: RuntimeError: Expected one of cpu, cuda"),
        ({"expect": ["lower left"]}, "expect must be among True attends, .*, got 'lower left'"),
        ({"pieces": [3, 0]}, r"pieces must each have a token, got \(3, 0\)"),
        ({"interface": "mha"}, r"function must take \(embed_dim, num_heads, batch_first=True\)"),
    ],
)
def test_what_does_not_exist_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        verify(plain, **options)


def test_cases_are_for_pytest() -> None:
    cases = {case.name: case for case in attention_cases("gqa")}
    assert attention_cases("causal, scale") == attention_cases("causal", "scale")
    cases["one key head"].check(torch_attention)
    with pytest.raises(AssertionError, match="Your key heads repeat 0 1 0 1"):
        cases["grouped heads"].check(making(WAYS["tiled groups"][0].steps))


def test_the_old_place_of_the_suite_leads_on() -> None:
    with pytest.raises(ImportError, match="verify is attention_verify now"):
        __import__("attention_steps.verify")


WRONG = """
import threading
from torch.nn.functional import scaled_dot_product_attention as attend

def tiled(query, key, value):
    group = query.shape[1] // key.shape[1]
    return attend(query, *(x.repeat(1, group, 1, 1) for x in (key, value)))

def hangs(query, key, value):
    threading.Event().wait()

class Layers:
    number = 3
"""


def command(folder: Path, *arguments: str, out: int = subprocess.PIPE) -> Any:
    """Run the command in a process of its own, of which standard output may lead elsewhere."""
    (folder / "mine.py").write_text(WRONG)
    return subprocess.run(
        [sys.executable, "-m", "attention_verify", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_command_of_a_shell(tmp_path: Path) -> None:
    reads, writes = os.pipe()  # which nobody reads
    os.close(reads)
    run = command(tmp_path, "mine:attend", out=writes)
    os.close(writes)
    assert (run.stderr, run.returncode) == ("", 0)
    hangs = command(tmp_path, "mine:hangs", "--seconds", "0.5")
    assert hangs.returncode == 1
    assert "no options: no answer after 0.5 s" in hangs.stderr


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run the command in this process."""
    (tmp_path / "mine.py").write_text(WRONG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "mine", None)  # so that afterwards it is gone
    del sys.modules["mine"]
    monkeypatch.setattr("faulthandler.enable", lambda: None)
    return lambda *arguments: run_command(arguments)


def test_the_command(run: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("mine:attend", "--features", "gqa, causal") == 0
    assert "Told, not blamed: top-left" in capsys.readouterr().out
    assert run("mine:tiled", "--features", "gqa", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["passed"], told["device"]) == (False, "cpu")
    assert [mistake["name"] for mistake in told["mistakes"]] == ["tiled groups"]
    (grouped,) = (result for result in told["results"] if result["case"] == "grouped heads")
    assert grouped["place"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["mine:attend", "--features", "masks"], "features must be among"),
        (["mine:attend", "--pieces", "3,x"], "argument --pieces: invalid"),
        (["mine:missing"], "has no attribute 'missing'"),
        (["missing:attend"], "No module named 'missing'"),
        (["mine:Layers.number"], "one that can be called, got int"),
    ],
)
def test_the_command_says_what_stops_it(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(*arguments)
    assert says in capsys.readouterr().err
