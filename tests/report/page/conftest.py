"""The pages of two runs, each drawn once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.sample import HOSTILE, write_gated, write_run


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("hostile"), model=HOSTILE, text=HOSTILE + "\ud800")


@pytest.fixture(scope="session")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a gated run of 40 trials: 5 lost, 3 gained, 4 still wrong, 27 unchanged, 1 not measured."""
    return write_gated(tmp_path_factory.mktemp("gated"))
