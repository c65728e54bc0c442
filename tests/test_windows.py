"""A window ends with the run that opened it, even if the run has no time to close it."""

import socket
import subprocess
import sys
import time

import pytest

from tests.conftest import ROOT
from tests.windows import free_port, program

OPENS = """
import sys
from tests.windows import program
with program(int(sys.argv[1]), "env", sys.executable, "-m", "http.server", sys.argv[1]):
    print("open", flush=True)
    sys.stdin.read()
"""


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def test_a_run_that_is_killed_leaves_no_program_behind() -> None:
    port = free_port()
    command = [sys.executable, "-c", OPENS, str(port)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as run:
        assert run.stdout
        assert run.stdout.readline() == "open\n"
        run.kill()
    for _ in range(200):
        if not listens(port):
            return
        time.sleep(0.05)
    raise AssertionError("it still listens")


def test_a_program_that_does_not_start_is_named() -> None:
    with pytest.raises(AssertionError, match=r"'false'.*has ended"), program(free_port(), "false"):
        pass
