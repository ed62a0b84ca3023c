"""A run whose cells were measured, for tests of how runs end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longctx.engine.run import Run
from longctx.results.row import Row
from tests.cli.runs import rows
from tests.given import written
from tests.here import HERE
from tests.integration import conftest

PASSKEY = f"{conftest.PASSKEY}min_k_max = 200\n"


def run_of(tmp_path: Path, *tables: str, **settings: Any) -> Run:
    profile = written(tmp_path / "profile.toml", "".join(tables))
    run = Run(str(profile), root=HERE.root, **settings)
    run.name, run.folder = "r", tmp_path / "r"
    return run


def measured(run: Run, *cells: str, **fields: Any) -> list[Row]:
    """Return the rows of a run that measured one trial of each of these cells."""
    of = {"model": "toy", "test": "passkey", "labels": dict(run.settings.labels), **fields}
    return [row for cell in cells for row in rows("correct", cell=cell, **of)]
