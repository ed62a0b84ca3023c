"""Collections as subprocesses, beside pytest's own floor: the same number of empty tests. test_sizes.py has whole runs.

Aim: collecting 5,000 cells at most twice collecting 5,000 empty parametrized tests.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EMPTY = """
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_nothing(number):
    pass
"""
GRID = """
[line_retrieval]
models = ["simulated"]
lines = [{lines}]
orders = ["ordered", "shuffled", 2, 3, 4]
trials = 50
"""


def run(*arguments: str, cwd: Path = ROOT) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False).stdout


def cells(tests: str = "tests_longctx") -> int:
    return sum("::" in line for line in run(tests, "--collect-only").splitlines())


@pytest.fixture
def wide(small: bool) -> int:
    """The number of cells to collect."""
    return 50 if small else 5000


@pytest.fixture
def empty(tmp_path: Path):
    """A folder with that many empty tests."""

    def write(count: int) -> Path:
        (tmp_path / "test_empty.py").write_text(EMPTY.format(count=count))
        return tmp_path

    return write


@pytest.mark.benchmark(group="collecting 5,000")
def test_collect_cells(benchmark, tmp_path, wide):
    profile = tmp_path / "wide.toml"
    profile.write_text(GRID.format(lines=", ".join(str(5 + number) for number in range(wide // 5))))
    arguments = ("tests_longctx/test_line_retrieval.py", "--collect-only", "--ctx-profile", str(profile))
    assert f"{wide} tests collected" in benchmark.pedantic(lambda: run(*arguments), rounds=3)


@pytest.mark.benchmark(group="collecting 5,000")
def test_collect_empty(benchmark, empty, wide):
    folder = empty(wide)
    benchmark.pedantic(lambda: run("--collect-only", cwd=folder), rounds=3)
