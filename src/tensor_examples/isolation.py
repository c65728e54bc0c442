"""Keeps what one file sets from reaching the next: each begins as a fresh process does."""

import os
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch._tensor_str import PRINT_OPTS


def remember() -> Callable[[], None]:
    """Note the state that an example may change, and return a function that restores it."""
    default_dtype = torch.get_default_dtype()
    grad_enabled = torch.is_grad_enabled()
    deterministic = torch.are_deterministic_algorithms_enabled()
    threads = torch.get_num_threads()
    torch_prints = vars(PRINT_OPTS).copy()
    torch_random = torch.get_rng_state()
    numpy_prints: Any = np.get_printoptions()
    numpy_random: Any = np.random.get_state()  # the generator that lessons use is the old one
    python_random = random.getstate()
    folder = os.getcwd()
    filters = warnings.filters[:]

    def restore() -> None:
        torch.set_default_dtype(default_dtype)
        torch.set_grad_enabled(grad_enabled)
        torch.use_deterministic_algorithms(deterministic)
        torch.set_num_threads(threads)
        vars(PRINT_OPTS).update(torch_prints)
        torch.set_rng_state(torch_random)
        np.set_printoptions(**numpy_prints)
        np.random.set_state(numpy_random)
        random.setstate(python_random)
        os.chdir(folder)
        warnings.filters[:] = filters  # type: ignore[index]

    return restore
