"""The distribution: what the wheel holds, and that what it installs does all that a new user needs."""

from __future__ import annotations

import configparser
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import longctx
from tests.integration.conftest import ROOT

INFO = f"pytest_longctx-{longctx.__version__}.dist-info"
OURS_ALONE = "baselines", "cassettes", "fetched", "filters", "handbook", "reports"
"""Folders of this checkout that no other project needs."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built of this checkout by the build backend that is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    [built] = folder.iterdir()
    return built


def test_the_wheel_holds_what_a_project_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [Path(name) for name in archive.namelist()]
        metadata = message_from_bytes(archive.read(f"{INFO}/METADATA"))
        entries = configparser.ConfigParser()
        entries.optionxform = str  # type: ignore[assignment,method-assign]
        entries.read_string(archive.read(f"{INFO}/entry_points.txt").decode())
    assert wheel.stat().st_size < 5_000_000
    assert {name.parts[0] for name in names} == {"longctx", INFO}

    data = Path("longctx/fixtures")
    kinds = {name.relative_to(data).parts[0] for name in names if name.is_relative_to(data)}
    assert kinds == {"models", "profiles", "prompts", "questions", "register", "vocabularies"}
    assert not [name for name in names if {*name.parts} & {*OURS_ALONE} or name.suffix == ".pyc"]
    assert {name.stem for name in names if name.parent == data / "profiles"} == {"frontier", "paper", "smoke"}
    shipped = {*data.parts, "py.typed", "claude-2.LICENSE", "register.xml", "register.jsonl", "page.js"}
    assert shipped <= {part for name in names for part in name.parts}

    assert dict(entries["pytest11"]) == {"longctx.plugin": "longctx.plugin"}
    assert dict(entries["console_scripts"]) == {"longctx": "longctx.cli:main"}
    assert metadata["Version"] == longctx.__version__
    assert {"bedrock", "vertex", "dev"} == {*metadata.get_all("Provides-Extra", [])}
    assert "Framework :: Pytest" in metadata.get_all("Classifier", [])
    licences = {f"{INFO}/licenses/{name}" for name in metadata.get_all("License-File", [])}
    assert licences <= {name.as_posix() for name in names}
    assert len(licences) == 2
