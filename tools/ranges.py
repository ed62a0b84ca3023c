"""Tries both ends of the ranges in pyproject.toml: the lowest version of each package, and the highest there is.

    python -m tools.ranges            # a few minutes: it makes two environments and downloads their packages

In each it replays the recorded suite, and runs the tests of what uses these packages: recordings, results, the server's
answers, test functions.
"""

from __future__ import annotations

import subprocess
import tempfile
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
EXTRAS = "live", "report", "parquet"
TESTS = "tests/recording", "tests/results", "tests/live/test_asking.py", "tests/functions"
OF_TESTS = "hypothesis", "pytest-benchmark", "networkx", "scipy", "statsmodels"
"""What these tests import besides."""


def ranges() -> Iterator[Requirement]:
    """Yield the requirements of the distribution and of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    yield from map(Requirement, [*project["dependencies"], *(name for extra in EXTRAS for name in extras[extra])])


def lowest(requirement: Requirement) -> str:
    """Return the requirement with the lowest versions alone: 9.4 stands for 9.4.*."""
    [least] = [each.version for each in requirement.specifier if each.operator == ">="]
    return f"{requirement.name}=={least}{'' if least.count('.') > 1 else '.*'}"


def attempt(requirements: list[str], folder: Path) -> None:
    """Install these into an environment in a folder, and run what needs them. Raises CalledProcessError."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"

    def run(*arguments: str) -> None:
        subprocess.run([python, "-m", *arguments], cwd=ROOT, check=True)  # noqa: S603

    run("pip", "install", "--quiet", *requirements, *OF_TESTS)
    run("pip", "check")
    run("pip", "list")
    run("pytest", "-q", "-n", "2", "tests_longctx", "--ctx-report", str(folder / "report"))
    run("pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS)


def main() -> None:
    declared = list(ranges())
    with tempfile.TemporaryDirectory() as folder:
        attempt([lowest(each) for each in declared], Path(folder, "lowest"))
        attempt([str(each) for each in declared], Path(folder, "highest"))


if __name__ == "__main__":
    main()
