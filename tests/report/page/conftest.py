"""The pages of some runs, each drawn once, and the tab that they are opened in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.engine.upgrade import Candidate, MeasuredTreatment, Treatment, Upgrade, write
from longctx.gate.verdict import give_verdict
from longctx.results.row import Row
from longctx.results.trial_view import View
from tests.browser import Tab, launched
from tests.gate.examples import AGELESS
from tests.given import json_lines
from tests.here import HERE
from tests.report.sample import HOSTILE, gated_rows, write_gated, write_run


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with launched(offline=True) as tab:
        yield tab


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


@pytest.fixture(scope="session")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of an upgrade with two candidates, of which the second answers as the old model does."""
    before, after = gated_rows()
    return _upgraded(tmp_path_factory.mktemp("upgrade"), before, new=after, same=before)


@pytest.fixture(scope="session")
def worse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of an upgrade whose only candidate loses answers."""
    before, after = gated_rows()
    return _upgraded(tmp_path_factory.mktemp("worse"), before, new=after)


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of `longctx gate` on two files of another tool."""
    folder = tmp_path_factory.mktemp("judged")
    files = [folder / "old.jsonl", folder / "new.jsonl"]
    for file, wrong in zip(files, (10, 70), strict=True):
        results = (
            {"id": f"q{n}", "correct": n >= wrong, "answer": "42" if n >= wrong else HOSTILE, "expected": "42"}
            for n in range(100)
        )
        json_lines(file, *results)
    assert main(["gate", *map(str, files), f"--out={folder / 'gate.html'}"]) == 10
    return folder / "gate.html"


def _upgraded(folder: Path, before: list[Row], **candidates: list[Row]) -> Path:
    old = _measured("old", before)
    new = [_measured(name, rows) for name, rows in candidates.items()]
    judged = [Candidate(each, give_verdict(old.rows, each.rows, AGELESS)) for each in new]
    write(folder, Upgrade(old, tuple(judged)), HERE, 1_000_000)
    return folder / "index.html"


def _measured(name: str, rows: list[Row]) -> MeasuredTreatment:
    views = [View("", reply=f"A customer said: {HOSTILE}") for _ in rows]
    return MeasuredTreatment(Treatment.of(name), [replace(row, model=name) for row in rows], views)
