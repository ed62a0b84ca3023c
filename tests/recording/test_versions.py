"""Answers of another version: found by the question or the number of a trial, never by its bank's digest."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from longctx.cells.cell import Cell
from longctx.recording.missing import of_other_versions, why_unused
from longctx.recording.tape import Tape
from tests.recording.examples import line_cell, of_version, recorded


def trials(cell: Cell) -> list[str]:
    return [str(trial.identity) for trial in cell.each_trial()]


@pytest.mark.parametrize(("before", "now"), [(1, 2), (2, 1)])
def test_the_same_question_of_another_version(before: int, now: int, tmp_path: Path) -> None:
    recorded(tmp_path, of_version(before))
    cell = of_version(now)
    assert of_other_versions(Tape(tmp_path), cell, trials(cell)) == {before: trials(cell)}
    same = of_version(before)
    assert of_other_versions(Tape(tmp_path), same, trials(same)) == {}


@pytest.mark.parametrize("changed", [{"only_trial": "s2-toll"}, {"seed": 1}, {"repeats": 1}])
def test_only_the_same_trials_in_the_same_wording_count(changed: dict[str, object], tmp_path: Path) -> None:
    recorded(tmp_path, of_version(1))
    cell = of_version(2, **changed)
    expected = {1: trials(cell)} if changed == {"repeats": 1} else {}
    assert of_other_versions(Tape(tmp_path), cell, trials(cell)) == expected
    reworded = dataclasses.replace(cell, wording=dataclasses.replace(cell.wording, prompt_set="mine"))
    assert of_other_versions(Tape(tmp_path), reworded, trials(reworded)) == {}


def test_a_test_of_a_later_version(tmp_path: Path) -> None:
    cell = line_cell(trials=2)
    recorded(tmp_path, cell)
    later = [trial.replace(".v1/", ".v2/") for trial in trials(cell)]
    assert of_other_versions(Tape(tmp_path), cell, later) == {1: later}
    assert why_unused(later[0], 1) == ("version 2 of line_retrieval builds other prompts", "")


def test_what_keeps_answers_about_documents() -> None:
    [trial] = trials(of_version(2))
    reason, advice = why_unused(trial, 1)
    assert reason == "these documents are drawn by version 2 now"
    assert "version = 1 in their corpus.toml" in advice
