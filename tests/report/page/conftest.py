"""The pages of two runs, each drawn once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.sample import HOSTILE, write_run


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("hostile"), model=HOSTILE, text=HOSTILE + "\ud800")
