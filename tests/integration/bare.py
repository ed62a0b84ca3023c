"""Bare environments: what a command of pip installs and nothing else, linked from the packages that run the tests.

No network is needed. pip checks the versions, and installs longctx itself from its source.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

PYTHON = """#!/bin/sh
[ "$1 $2" = "-m venv" ] || exec {python} "$@"
exec {python} {here} make "$3"
"""
"""The `python3` of a machine without packages: its `-m venv FOLDER` makes a bare environment."""
PIP = """#!/bin/sh
exec {python} {here} pip {venv} "$@"
"""
PROGRAM = "#!{venv}/bin/python\nimport sys, {module}\nsys.exit({module}.{name}())\n"
BUILD = "hatchling", "hatch-fancy-pypi-readme"
"""What builds longctx: pip would fetch it into an environment that lasts as long as the build."""


def commands(folder: Path) -> Path:
    """Write a folder of commands, for the head of PATH, whose `python3` makes bare environments."""
    folder.mkdir()
    _program(folder / "python3", PYTHON.format(python=sys.executable, here=__file__))
    return folder


def make(venv: Path) -> None:
    """Make an environment without packages, whose `pip install` needs no network."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    _program(venv / "bin/pip", PIP.format(python=sys.executable, here=__file__, venv=venv.absolute()))


def pip(venv: Path, *arguments: str) -> int:
    """Run a command of pip; its packages are linked first, so that it finds all but longctx installed."""
    [site] = venv.glob("lib/*/site-packages")
    link(required(_named(arguments[1:])), site)
    build = venv / "build"
    build.mkdir(exist_ok=True)
    link(required(BUILD), build)
    command = [sys.executable, "-m", "pip", f"--python={venv}", *arguments[:1], "--quiet", "--no-index"]
    command += ["--no-build-isolation", "--no-compile", *arguments[1:]]
    done = subprocess.run(command, env={"PYTHONPATH": str(build), "PATH": "/usr/bin:/bin"}, check=False)
    [entry] = distribution("pytest").entry_points.select(group="console_scripts", name="pytest")
    if (site / "pytest").exists():
        text = PROGRAM.format(venv=venv, module=entry.module, name=entry.attr)
        _program(venv / "bin/pytest", text)
    return done.returncode


def _named(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the requirements that arguments name: files of requirements, or the source of longctx with its extras."""
    words = iter(arguments)
    for word in words:
        if word == "-r":
            yield from _of_file(Path(next(words)))
        elif not word.startswith("-") and ".whl" not in word:
            folder, _, extras = word.rstrip("]").partition("[")
            project = tomllib.loads((Path(folder) / "pyproject.toml").read_text(encoding="utf-8"))["project"]
            yield from project["dependencies"]
            for extra in filter(None, extras.split(",")):
                yield from project["optional-dependencies"][extra]


def _of_file(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.partition(" #")[0].strip()
        if text.startswith("-r "):
            yield from _of_file(path.with_name(text.removeprefix("-r ")))
        elif text and not text.startswith(("#", "-e ")):
            yield text


def required(requirements: Iterable[str], *extras: str) -> dict[str, Distribution]:
    """Return the installed distributions that requirements name, directly and indirectly. extras: those that count."""
    taken: dict[str, Distribution] = {}
    left = [(text, extra) for text in requirements for extra in ("", *extras)]
    while left:
        text, extra = left.pop()
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        for name in ("", *requirement.extras):
            if (key := f"{requirement.name}[{name}]") not in taken:
                taken[key] = distribution(requirement.name)
                left += [(more, name) for more in taken[key].requires or []]
    return taken


def link(packages: dict[str, Distribution], site: Path) -> None:
    """Link the files of distributions into a folder of packages."""
    for package in packages.values():
        for name in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
            if not (site / name).exists():
                (site / name).symlink_to(Path(str(package.locate_file(name))))


def _program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]))
    else:
        sys.exit(pip(Path(sys.argv[2]), *sys.argv[3:]))
