"""Tests that send SIGINT to their runs, where the tests themselves ignore it, as under nohup."""

from __future__ import annotations

import functools
import signal
import subprocess
import sys

from tests.here import HERE


def test_runs_can_be_interrupted_where_the_tests_ignore_sigint() -> None:
    program = "import tests.conftest, signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=HERE.root,
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_IGN),
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == "True\n"
