"""Keeps what one page sets from reaching the next: each begins as a fresh process does."""

import contextlib
import decimal
import functools
import gc
import logging
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

Restore = Callable[[], None]


@contextlib.contextmanager
def isolated() -> Iterator[dict[str, Any]]:
    """Run code as the only code of a process; gives it the namespace of its main module."""
    restore = remember()
    pristine()()
    logging.getLogger().handlers.clear()  # pytest's: what a page logs goes where the page says
    main = ModuleType("__main__")
    sys.modules["__main__"] = main
    try:
        with warnings.catch_warnings():
            yield vars(main)
    finally:
        restore()


@functools.cache
def pristine() -> Restore:
    """Return a function that restores the state of a process in which nothing has happened.

    The first call notes that state, so it comes before the first test.
    """
    restore = remember()
    # What is loaded by now stays. A collection of garbage that walks through all of torch takes
    # longer than most pages.
    gc.freeze()
    return restore


def remember() -> Restore:
    """Note the state that code may change, and return a function that restores it."""
    restores = [
        remember_python(),
        remember_logging(),
        remember_numpy(),
        remember_torch(),
        remember_matplotlib(),
    ]

    def restore() -> None:
        for each in restores:
            each()

    return restore


def remember_python() -> Restore:
    """Note the state of the interpreter."""
    main, random_state = sys.modules["__main__"], random.getstate()
    folder, environment = os.getcwd(), os.environ.copy()
    import_path, arguments = sys.path[:], sys.argv[:]
    context, recursion, show = decimal.getcontext().copy(), sys.getrecursionlimit(), sys.displayhook

    def restore() -> None:
        sys.modules["__main__"] = main
        random.setstate(random_state)
        os.chdir(folder)
        if os.environ != environment:
            os.environ.clear()
            os.environ.update(environment)
        sys.path[:], sys.argv[:] = import_path, arguments
        decimal.setcontext(context.copy())
        sys.setrecursionlimit(recursion)
        sys.displayhook = show

    return restore


def remember_logging() -> Restore:
    """Note what the root logger lets through, and where it sends that."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def restore() -> None:
        root.handlers[:] = handlers
        if root.level != level:
            root.setLevel(level)

    return restore


def remember_numpy() -> Restore:
    """Note how NumPy prints, what it does about errors, and its old random generator."""
    numpy = imported("numpy")
    if not numpy:
        return lambda: None
    prints, errors = numpy.get_printoptions(), numpy.geterr()
    random_state = numpy.random.get_state()

    def restore() -> None:
        numpy.set_printoptions(**prints)
        numpy.seterr(**errors)
        numpy.random.set_state(random_state)

    return restore


def remember_torch() -> Restore:
    """Note torch's defaults, how it prints, and its random generator."""
    torch = imported("torch")
    if not torch:
        return lambda: None
    print_options = torch._tensor_str.PRINT_OPTS
    prints, random_state = vars(print_options).copy(), torch.get_rng_state()

    def set_default_device(device: Any) -> None:
        torch.set_default_device(None if device.type == "cpu" else device)

    # Each is set only where it has changed: some setters import a great deal.
    pairs = [
        (torch.get_default_dtype, torch.set_default_dtype),
        (torch.get_default_device, set_default_device),
        (torch.is_grad_enabled, torch.set_grad_enabled),
        (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
        (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
        (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
        (torch.get_num_threads, torch.set_num_threads),
    ]
    states = [(get, set_state, get()) for get, set_state in pairs]

    def restore() -> None:
        for get, set_state, state in states:
            if get() != state:
                set_state(state)
        vars(print_options).update(prints)
        torch.set_rng_state(random_state)

    return restore


def imported(name: str) -> Any:
    """Return a library, or None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


def remember_matplotlib() -> Restore:
    """Note matplotlib's settings and open figures, without importing it for that."""
    before = sys.modules.get("matplotlib")
    settings = dict(vars(before)["rcParams"]) if before else None
    pyplot = sys.modules.get("matplotlib.pyplot")
    figures = set(pyplot.get_fignums()) if pyplot else set()

    def restore() -> None:
        matplotlib: Any = sys.modules.get("matplotlib")
        if not matplotlib:
            return
        before = settings or dict(matplotlib.rcParamsOrig)
        if dict(matplotlib.rcParams) != before:
            with warnings.catch_warnings(action="ignore"):  # some old settings are deprecated
                matplotlib.rcParams.update(before)
        pyplot: Any = sys.modules.get("matplotlib.pyplot")
        for figure in set(pyplot.get_fignums()) - figures if pyplot else ():
            pyplot.close(figure)

    return restore
