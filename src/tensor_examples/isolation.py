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
State = tuple[Callable[[], Any], Callable[[Any], object]]  # how to read it, and how to set it


@contextlib.contextmanager
def isolated() -> Iterator[dict[str, Any]]:
    """Run code as the only code of a process; gives it the namespace of its main module."""
    restore = snapshot()
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
    restore = snapshot()
    # What is loaded by now stays. A collection of garbage that walks through all of torch takes
    # longer than most pages.
    gc.freeze()
    return restore


def snapshot() -> Restore:
    """Note the state that code may change, and return a function that restores it."""
    states = [
        *python_states(),
        *numpy_states(),
        *torch_states(),
        (matplotlib_state, set_matplotlib),
    ]
    noted = [(put, get()) for get, put in states]

    def restore() -> None:
        for put, state in noted:
            put(state)

    return restore


def python_states() -> Iterator[State]:
    """Yield the states of the interpreter and of its library."""
    root = logging.getLogger()
    yield lambda: sys.modules["__main__"], lambda main: sys.modules.update(__main__=main)
    yield lambda: sys.displayhook, lambda hook: setattr(sys, "displayhook", hook)
    yield sys.getrecursionlimit, sys.setrecursionlimit
    yield items_of(sys, "path")
    yield items_of(sys, "argv")
    yield os.getcwd, os.chdir
    yield if_changed(os.environ.copy, set_environment)
    yield random.getstate, random.setstate
    yield decimal.getcontext().copy, lambda context: decimal.setcontext(context.copy())
    yield items_of(root, "handlers")
    yield if_changed(lambda: root.level, root.setLevel)


def items_of(owner: Any, name: str) -> State:
    """Return a list as a state: the items of whatever list has that name by then."""
    return (
        lambda: getattr(owner, name)[:],
        lambda items: getattr(owner, name).__setitem__(slice(None), items),
    )


def if_changed(get: Callable[[], Any], put: Callable[[Any], object]) -> State:
    """Return a state that is set only where it has changed, because setting it is slow."""
    return get, lambda state: None if get() == state else put(state)


def set_environment(environment: dict[str, str]) -> None:
    """Set all environment variables."""
    os.environ.clear()
    os.environ.update(environment)


def numpy_states() -> Iterator[State]:
    """Yield how NumPy prints, what it does about errors, and its old random generator."""
    with contextlib.suppress(ImportError):
        numpy: Any = import_module("numpy")
        yield numpy.get_printoptions, lambda options: numpy.set_printoptions(**options)
        yield numpy.geterr, lambda errors: numpy.seterr(**errors)
        yield numpy.random.get_state, numpy.random.set_state


def torch_states() -> Iterator[State]:
    """Yield torch's defaults, how it prints, and its random generator."""
    with contextlib.suppress(ImportError):
        torch: Any = import_module("torch")
        options = vars(torch._tensor_str.PRINT_OPTS)

        def set_default_device(device: Any) -> None:
            torch.set_default_device(None if device.type == "cpu" else device)

        yield if_changed(torch.get_default_dtype, torch.set_default_dtype)
        yield if_changed(torch.get_default_device, set_default_device)
        yield if_changed(torch.is_grad_enabled, torch.set_grad_enabled)
        yield if_changed(torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly)
        yield if_changed(
            torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms
        )
        yield if_changed(torch.get_float32_matmul_precision, torch.set_float32_matmul_precision)
        yield if_changed(torch.get_num_threads, torch.set_num_threads)
        yield options.copy, options.update
        yield torch.get_rng_state, torch.set_rng_state


def matplotlib_state() -> tuple[dict[str, Any] | None, set[int]]:
    """Return matplotlib's settings and open figures, without importing it for that."""
    matplotlib: Any = sys.modules.get("matplotlib")
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    settings = dict(matplotlib.rcParams) if matplotlib else None
    return settings, set(pyplot.get_fignums()) if pyplot else set()


def set_matplotlib(state: tuple[dict[str, Any] | None, set[int]]) -> None:
    """Restore matplotlib's settings, and close the figures that were not open."""
    matplotlib: Any = sys.modules.get("matplotlib")
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    settings, figures = state
    if matplotlib:
        settings = settings or dict(matplotlib.rcParamsOrig)
        if dict(matplotlib.rcParams) != settings:
            with warnings.catch_warnings(action="ignore"):  # some old settings are deprecated
                matplotlib.rcParams.update(settings)
    for figure in matplotlib_state()[1] - figures:
        pyplot.close(figure)
