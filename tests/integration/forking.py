"""Starts the runs of the integration tests: a process that has imported what every run imports, forked for each.

A run is a process of its own, as `python -m MODULE ARGUMENTS` is, without the two to four seconds of imports. longctx
itself is never imported here. Reads a run as a line of JSON on stdin, answers its pid, then its exit code.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import sys

import anthropic  # noqa: F401
import httpx2  # noqa: F401
import pandas  # noqa: F401
import pytest  # noqa: F401
import rich.progress  # noqa: F401
import vcr.cassette  # noqa: F401


def main() -> None:
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        run = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(run)
            return
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n")
        sys.stdout.flush()


def _become(run: dict[str, object]) -> None:
    """Run the module as `python -m` does, in the run's folder, with its environment and its output files."""
    folder = str(run["cwd"])
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(dict(run["env"]))  # type: ignore[call-overload]
    for number, name in enumerate((os.devnull, str(run["stdout"]), str(run["stderr"]))):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
    module, *arguments = run["command"]  # type: ignore[misc]
    sys.path[:1] = [folder, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)


main()
