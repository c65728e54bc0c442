"""What a function did with the inputs of a case, and whether two functions did the same."""

import math
import warnings
from dataclasses import dataclass
from typing import Any, TypeGuard

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from attention_practice._exercise import Call, Exercise, Function

RTOL, ATOL = 1e-4, 1e-5


@dataclass(frozen=True)
class Outcome:
    """What came of one call.

    Attributes:
        value: What was returned, a list if it was one tensor or several; or the exception.
        warnings: Texts of the warnings that were given.
    """

    value: Any
    warnings: tuple[str, ...] = ()


def are_tensors(value: Any) -> TypeGuard[list[Tensor]]:
    """Tell whether a function returned a tensor, or several."""
    return isinstance(value, list) and all(isinstance(x, Tensor) for x in value)


def run(exercise: Exercise, function: Function, inputs: tuple[Any, ...]) -> Outcome:
    """Call a function as its exercise does, and keep what it returned or raised."""
    return outcome(exercise.run, function, inputs)


def outcome(call: Call, function: Function, inputs: tuple[Any, ...]) -> Outcome:
    """Call a function, and keep what it returned or raised."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            value = call(function, inputs)
        except (Exception, SystemExit) as error:  # whatever the reader's function raises
            value = error
    said = tuple(dict.fromkeys(str(warning.message) for warning in given))
    if isinstance(value, Tensor):
        return Outcome([value], said)
    return Outcome(list(value) if isinstance(value, tuple) else value, said)


class AllKeysAtOnce(TorchFunctionMode):
    """Remembers the shape of the largest tensor in which a function takes all keys at once.

    The number of keys is a prime, so only a tensor with an axis of all keys has a multiple of it.
    Keys, values, and the two side by side are allowed.
    """

    def __init__(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        super().__init__()
        both = key.numel() + value.numel()
        self.keys, self.allowed = len(key), {key.numel(), value.numel(), both}
        self.all_pairs = len(query) * len(key)
        self.shape = torch.Size()

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        for x in result if isinstance(result, tuple | list) else (result,):
            if isinstance(x, Tensor) and self._is_of_all_keys(x):
                self.shape = max(self.shape, x.shape, key=math.prod)
        return result

    def _is_of_all_keys(self, x: Tensor) -> bool:
        many = x.numel() % self.keys == 0 and x.numel() not in self.allowed
        return x.is_floating_point() and (many or x.numel() >= self.all_pairs)


def outcomes(exercise: Exercise, function: Function) -> list[Outcome]:
    """Call a function on a copy of the inputs of each case."""
    return [run(exercise, function, copied(case.inputs)) for case in exercise.cases]


def agree(one: Outcome, other: Outcome) -> bool:
    """Tell whether two calls did the same: equal tensors, or the same exception."""
    a, b = one.value, other.value
    if isinstance(a, BaseException):
        return type(a) is type(b) and str(a) == str(b)
    if not (are_tensors(a) and are_tensors(b) and len(a) == len(b)):
        return False
    return all(alike(x, y) for x, y in zip(a, b, strict=True))


def alike(x: Tensor, y: Tensor) -> bool:
    """Tell whether two tensors are of one shape and kind, with numbers that are close."""
    return x.shape == y.shape and kind_of(x) == kind_of(y) and bool(close(x, y).all())


def kind_of(x: Tensor) -> tuple[bool, bool]:
    """Tell numbers with a point, whole numbers, and True and False apart."""
    return x.is_floating_point(), x.dtype == torch.bool


def close(x: Tensor, y: Tensor) -> Tensor:
    """Say for each number whether two tensors of one shape agree in it."""
    return torch.isclose(x.double(), y.double(), RTOL, ATOL, equal_nan=True)


def copied(inputs: Any) -> Any:
    """Copy the tensors among the inputs."""
    if isinstance(inputs, Tensor):
        return inputs.detach().clone()
    return tuple(map(copied, inputs)) if isinstance(inputs, tuple) else inputs
