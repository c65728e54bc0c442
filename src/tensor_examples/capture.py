"""Stops an example that never ends, or never ends to print."""

import contextlib
import io
import signal
from collections.abc import Iterator
from types import FrameType

MOST_CHARACTERS = 1_000_000


class Stopped(BaseException):
    """An example went past a limit. Not an Exception, so that its own code does not catch it."""


class Late(Stopped):
    """An example ran for longer than it may."""


class Captured(io.TextIOWrapper):
    """A stream that keeps what is printed, up to a limit."""

    def __init__(self) -> None:
        self.kept = io.BytesIO()
        self.count = 0
        super().__init__(self.kept, encoding="utf-8", newline="\n", write_through=True)

    def write(self, text: str) -> int:
        """Keep some text."""
        self.count += len(text)
        if self.count > MOST_CHARACTERS:
            raise Stopped(f"printed more than {MOST_CHARACTERS} characters")
        return super().write(text)

    def text(self) -> str:
        """Return all that was printed."""
        return self.kept.getvalue().decode("utf-8", "replace")


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `Stopped` in code that takes longer than this.

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
