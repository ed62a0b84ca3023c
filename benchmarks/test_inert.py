"""What an installed longctx costs a project that does not use it: 100 trivial tests, with and without it, in pairs.

Aim: at most 1.1 times. Runs of a pair follow each other, and take turns at being first.
"""

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAIRS = 40
TESTS = """
import pytest

@pytest.mark.parametrize("number", range(100))
def test_nothing(number):
    pass
"""
OFF = "cacheprovider", "hypothesispytest", "benchmark"
"""Plugins that longctx does not bring along, but this environment has."""
METADATA = "Metadata-Version: 2.4\nName: pytest-longctx\nVersion: 0\n"
ENTRY = "[pytest11]\nlongctx = longctx.entry_point\n"


@pytest.fixture
def installed(tmp_path: Path):
    """A folder that makes Python take the checkout for an installed distribution."""
    info = tmp_path / "site" / "pytest_longctx-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(ENTRY)
    return info.parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "test_nothing.py").write_text(TESTS)
    return folder


def seconds(project: Path, *path: Path) -> float:
    """Return the processor time of a run and its children, with these folders on Python's path."""
    command = [sys.executable, "-m", "pytest", *(f"-pno:{name}" for name in OFF)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert "100 passed" in done.stdout
    assert ("longctx" in done.stdout) == any(path.match("site") for path in path)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.benchmark(group="an unrelated project of 100 tests, with longctx against without")
def test_unrelated(benchmark, capsys, installed, project):
    empty = project.parent / "empty"
    empty.mkdir()
    ratios = []

    def pair():
        sides = [(installed, ROOT), (empty, ROOT)]
        turn = -1 if len(ratios) % 2 else 1
        taken = {side[0]: seconds(project, *side) for side in sides[::turn]}
        ratios.append(taken[installed] / taken[empty])

    benchmark.pedantic(pair, rounds=PAIRS, warmup_rounds=1)
    ordered = sorted(ratios[1:] or ratios)  # the first warms up; under --benchmark-disable it is the only one
    low, high = ordered[len(ordered) // 4], ordered[-len(ordered) // 4]
    benchmark.extra_info["ratio"] = statistics.median(ordered)
    with capsys.disabled():
        print(
            f"\n{statistics.median(ordered):.2f} times the processor time (half of the pairs: {low:.2f} to {high:.2f})"
        )
