"""The requirements: the ranges of the distribution, the pins of what is imported, and the lock files agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from longctx.extras import EXTRAS

ROOT = Path(__file__).parents[1]
LOCKS = {"requirements.lock": "requirements.txt", "requirements-dev.lock": "requirements-dev.txt"}
"""The lock files, and what each was made of."""
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
USED = "live", "report", "parquet"
"""The extras that requirements.txt has."""
ENTRY = re.compile(
    r"^([a-z0-9][\w.-]*)(?:\[[\w,]+\])?==(\S+)(?: ; [^\\]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M
)


def pins(file: str) -> dict[str, str]:
    """Return the version of each package that a file and those it includes pin."""
    pinned: dict[str, str] = {}
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        line = line.partition(" #")[0].strip()
        if line.startswith("-r "):
            pinned |= pins(line.removeprefix("-r "))
        elif line and not line.startswith(("#", "-e ")):
            requirement = Requirement(line)
            [pin] = requirement.specifier
            assert pin.operator == "==", line
            pinned[canonicalize_name(requirement.name)] = pin.version
    return pinned


def locked(file: str) -> dict[str, set[str]]:
    """Return the versions of each package in a lock file."""
    versions: dict[str, set[str]] = {}
    for name, version, _ in ENTRY.findall((ROOT / file).read_text(encoding="utf-8")):
        versions.setdefault(name, set()).add(version)
    return versions


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_has_each_pin_and_a_hash_for_each_package(lock: str) -> None:
    versions = locked(lock)
    assert {name: versions.get(name) for name in pins(LOCKS[lock])} == {
        name: {version} for name, version in pins(LOCKS[lock]).items()
    }
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    assert sum(map(len, versions.values())) == len([line for line in lines if re.match(r"\w", line)])


def test_the_command_of_longctx_is_installed_with_what_a_run_needs() -> None:
    assert (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()[-1] == "-e ."
    assert {canonicalize_name(Requirement(name).name) for name in BUILD} <= pins("requirements.txt").keys()
    assert all("pytest-longctx" not in locked(lock) for lock in LOCKS), "it has no hash"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_names_no_place_to_install_from(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host| @ |file:", text)


def test_what_a_run_needs_has_the_same_versions_in_both() -> None:
    development = locked("requirements-dev.lock")
    assert {name: development.get(name) for name in locked("requirements.lock")} == locked("requirements.lock")


def test_the_ranges_of_the_distribution_hold_the_pins() -> None:
    extras = PROJECT["optional-dependencies"]
    ranges = [
        each
        for each in map(Requirement, [*PROJECT["dependencies"], *(name for extra in extras.values() for name in extra)])
        if each.name != PROJECT["name"]
    ]
    pinned = pins("requirements-dev.txt")
    assert {canonicalize_name(each.name) for each in ranges} <= pinned.keys()
    assert [str(each) for each in ranges if pinned[canonicalize_name(each.name)] not in each.specifier] == []
    run = [*PROJECT["dependencies"], *(name for extra in USED for name in extras[extra])]
    assert {canonicalize_name(Requirement(name).name) for name in run} <= pins("requirements.txt").keys()
    assert extras["all"] == [f"{PROJECT['name']}[{','.join(USED)}]"]


def test_each_module_that_may_be_missing_is_named_with_its_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    named = {
        canonicalize_name(Requirement(name).name): extra
        for extra in (*USED, "google", "openai", "chunks")
        for name in extras[extra]
    }
    named.pop(PROJECT["name"])
    del named["httpx2"], named["markupsafe"]  # they come with anthropic and jinja2
    assert {package: extra for extra, package in EXTRAS.values()} == named


@pytest.mark.parametrize("version", ["3.20.0", "3.20.1", "3.20.2"])
def test_no_version_with_a_known_advisory_is_in_the_range_of_filelock(version: str) -> None:
    """CVE-2025-68146 before 3.20.1, CVE-2026-22701 before 3.20.3."""
    [filelock] = [each for each in map(Requirement, PROJECT["dependencies"]) if each.name == "filelock"]
    assert version not in filelock.specifier


def test_ci_installs_from_the_lock_files() -> None:
    installed = re.findall(r"^ *pip install (.*)$", (ROOT / ".ci/run").read_text(encoding="utf-8"), re.M)
    assert installed == ["--dry-run --require-hashes -r requirements.lock", "--require-hashes -r requirements-dev.lock"]
