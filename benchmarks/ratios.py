"""Processor time, and how it compares with a floor that was measured in the same minute."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Spent:
    """cpu_s: processor time of a process and its children, user and system. peak_mb: of the largest of them."""

    cpu_s: float
    peak_mb: float
    output: str


def spent(*arguments: str, cwd: Path = ROOT, path: Path = ROOT, page: bool = True) -> Spent:
    """Return the processor time of Python with these arguments.

    path: the folder in which it finds longctx. page: whether a run of longctx writes its page.
    """
    measured = "import json,resource,subprocess,sys; d=subprocess.run([sys.executable,*sys.argv[1:]],text=True,"
    measured += "stdout=subprocess.PIPE,stderr=subprocess.STDOUT); r=resource.getrusage(resource.RUSAGE_CHILDREN); "
    measured += "print(d.stdout); print(r.ru_utime+r.ru_stime, r.ru_maxrss/1024)"
    env = os.environ | {"PYTHONPATH": str(path), "LONGCTX_PAGE": str(int(page))}
    command = [sys.executable, "-c", measured, *arguments]
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=True)
    *output, last, _ = done.stdout.split("\n")
    cpu_s, peak_mb = map(float, last.split())
    return Spent(cpu_s, peak_mb, "\n".join(output))


def pytest_of(*arguments: str, cwd: Path = ROOT, page: bool = True) -> Spent:
    quiet = "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:benchmark"
    return spent(*quiet, *arguments, cwd=cwd, page=page)


def in_turns(rounds: int, **measured: Callable[[], object]) -> Mapping[str, tuple[float, float]]:
    """Return the shortest and the median processor seconds of each. They take turns, so that noise hits all."""
    taken: dict[str, list[float]] = {name: [] for name in measured}
    for function in measured.values():
        function()
    for _ in range(rounds):
        for name, function in measured.items():
            before = time.process_time()
            function()
            taken[name].append(time.process_time() - before)
    return {name: (min(seconds), statistics.median(seconds)) for name, seconds in taken.items()}
