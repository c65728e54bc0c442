"""Runs each page in a process of its own, so that nothing which it sets or patches outlives it.

To start Python and to load torch takes seconds, so the processes are forks of one in which both
has happened and nothing else. That one is not the process of the tests: a fork hangs where
OpenMP, which torch's larger operations use, has run before. Where a system cannot fork, each page
starts a process from nothing.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterator
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from types import FrameType, ModuleType
from typing import Any

Job = Callable[[dict[str, Any]], Iterator[Any]]  # from the namespace of a main module

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()
CONTEXT: Any = multiprocessing.get_context("forkserver" if CAN_FORK else "spawn")
# torch itself loads its compiler at the first optimizer, meta tensor or checkpoint of a process: a
# second for each such page, unless it is here once.
COMPILER = "torch._dynamo"
LOADED = ["tensor_examples.script", "numpy", "torch", COMPILER, "tensor_examples.frozen"]
if CAN_FORK:
    CONTEXT.set_forkserver_preload(LOADED)
PATIENCE = 60  # seconds for what is not the job's own doing, on a machine that is busy


class Late(BaseException):
    """Code ran for longer than it may. Not an Exception, so that the code does not catch it."""


def start_server() -> None:
    """Let the process whose forks run the pages load torch meanwhile, for a few pages."""
    if CAN_FORK:
        CONTEXT.set_forkserver_preload([name for name in LOADED if name != COMPILER])
        with without_main():
            forkserver.ensure_running()


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Hide the main module, or a process that is started would load it first."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def results_of(job: Job, seconds: float) -> Generator[Any, None, None]:
    """Yield what a job yields in a process of its own, until that ends, or is late.

    Args:
        job: A function that can be pickled, with its arguments.
        seconds: How long it may take for one result.

    Raises:
        TimeoutError: If it takes longer, and is stopped for that.
    """
    receiver, sender = CONTEXT.Pipe(duplex=False)
    arguments = (job, sender, dict(os.environ), list(warnings.filters))
    process = CONTEXT.Process(target=work, args=arguments)
    with without_main():
        process.start()
    sender.close()
    try:
        while receiver.poll(seconds + PATIENCE):
            yield receiver.recv()
        raise TimeoutError
    except EOFError:
        pass
    finally:
        process.kill()
        process.join()
        receiver.close()


def work(job: Job, sender: Connection, environment: dict[str, str], filters: list[Any]) -> None:
    """Do a job as the only thing that this process does.

    Args:
        job: What to do.
        sender: Where each of its results goes.
        environment: The variables of the process that asks for it.
        filters: Of warnings, as pytest has set them there.
    """
    os.environ.clear()
    os.environ.update(environment)
    warnings.resetwarnings()
    warnings.filters.extend(filters)  # type: ignore[attr-defined]
    main = sys.modules["__main__"] = ModuleType("__main__")
    for result in job(vars(main)):
        sender.send(result)


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `Late` in code that takes longer than this.

    Only on Unix can code be interrupted. Elsewhere the process that waits for it ends it.
    """

    def stop(signal_number: int, frame: FrameType | None) -> None:
        raise Late(f"ran for more than {seconds:g} seconds (see --example-timeout)")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
