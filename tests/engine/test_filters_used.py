"""The filters of the baseline that a run is gated against."""

from __future__ import annotations

from pathlib import Path

from longctx.corpus.filters import make_filter
from longctx.engine.finish import filters_used
from longctx.engine.run import Run
from longctx.results.store import load_rows
from longctx.workspace import Workspace
from tests.cli.runs import rows, run

KEPT = {"model": "some-model", "bank": "0123456789ab", "made": "2026-11-22", "run": "r", "kept": ["q1"], "dropped": []}


def asked(folder: Path, model: str = "some-model", **fields: object) -> Path:
    return run(folder, rows("correct", test="collage", item="q1@0123456789ab", model=model), **fields)


def gated(mine: Workspace, baseline: str | None) -> Run:
    return Run(root=mine.root, baseline=baseline)


def test_without_a_baseline_there_are_none(mine: Workspace) -> None:
    assert gated(mine, None).plan.filters is None


def test_they_are_those_its_run_was_made_with(tmp_path: Path, mine: Workspace) -> None:
    [used] = gated(mine, str(asked(tmp_path / "run", filters=(KEPT,)))).plan.filters or ()
    assert (used.model, used.kept) == ("some-model", ("q1",))


def test_a_run_keeps_the_filters_that_it_used(tmp_path: Path, mine: Workspace) -> None:
    folder = asked(tmp_path / "new", model="new")
    assert filters_used(gated(mine, None), load_rows(folder)) == []
    make_filter(mine, "new", "0123456789ab", "a-run", {"q1": True})
    assert [used.model for used in filters_used(gated(mine, None), load_rows(folder))] == ["new"]
    baseline = str(asked(tmp_path / "before", filters=(KEPT,)))
    assert [used.model for used in filters_used(gated(mine, baseline), load_rows(folder))] == ["some-model"]
