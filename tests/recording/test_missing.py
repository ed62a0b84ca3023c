"""The questions that the tape lacks, and the order in which they are asked."""

from __future__ import annotations

import dataclasses
import itertools
import random
from pathlib import Path

import pytest

from longctx.cells.cell import Trial
from longctx.recording.missing import missing
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from tests.recording.examples import collage_cell, line_cell, passkey_cell, recorded


def test_only_what_the_record_mode_wants_is_missing(tmp_path: Path) -> None:
    recorded(tmp_path, line_cell(5, trials=1))
    cell = line_cell(5, trials=3)
    modes = "none", "once", "all"
    asked = {mode: [each.trial.index for each in missing(Tape(tmp_path, mode), [cell])] for mode in modes}
    assert asked == {"none": [], "once": [1, 2], "all": [0, 1, 2]}


def test_what_is_passed_over_is_reported(tmp_path: Path) -> None:
    recorded(tmp_path, line_cell(5, trials=1))
    counts: list[int] = []
    missing(Tape(tmp_path, "once"), [line_cell(5, trials=3)], lambda trial, _: counts.append(trial.index))
    assert counts == [0]


def test_neighbours_share_the_beginning_of_their_prompts(tmp_path: Path) -> None:
    """For any order of the cells, the order is by model, wording and window, with ever more filler before the key."""
    cells = [
        passkey_cell(window, k, model=model).fitted()
        for model in ("a", "b")
        for window in (512, 1024)
        for k in (128, 256, 512)
    ]
    random.Random(7).shuffle(cells)
    trials = missing(Tape(tmp_path, "once"), cells)
    assert [trial.cell.model.model for trial in trials] == ["a"] * 12 + ["b"] * 12
    for model in (trials[:12], trials[12:]):
        for window in (model[:6], model[6:]):
            assert len({trial.cell.point.params["window"] for trial in window}) == 1
            before = [trial.build().recorded["fillers_before"] for trial in window]
            assert before == sorted(before)
            shared = [trial.build().user.split("The pass key")[0].rstrip() for trial in window]
            assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(shared))


def test_prompt_sets_are_not_mixed(tmp_path: Path) -> None:
    cell = passkey_cell().fitted()
    other = dataclasses.replace(cell, wording=dataclasses.replace(cell.wording, prompt_set="a", digest="a"))
    sets = [trial.cell.wording.prompt_set for trial in missing(Tape(tmp_path, "once"), [cell, other])]
    assert sets == ["a", "a", "protocol", "protocol"]


@pytest.mark.parametrize(("room", "kept"), [(10**6, 3), (700, 2), (0, 0)])
def test_prompts_are_kept_as_far_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, kept: int
) -> None:
    monkeypatch.setattr("longctx.recording.missing.KEPT", room)
    trials = missing(Tape(tmp_path, "once"), [line_cell(5, trials=3)])
    assert sum(trial.built is not None for trial in trials) == kept
    for trial in trials:
        anew = Trial(trial.cell, trial.trial.index)
        assert trial.trial == anew
        assert trial.build().user == anew.build().user
        assert trial.place == Place.of(anew, anew.build())


def test_an_estimate_asks_in_the_same_order_and_builds_the_first_of_each_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [passkey_cell(512, k).fitted() for k in (512, 128)]
    cells += [collage_cell(variant, depth, trials=3) for variant in ("five", "none") for depth in (100, 0)]
    cells += [line_cell(5)]
    tape = Tape(tmp_path, "once")
    asked = missing(tape, cells)
    built: list[Trial] = []
    build = Trial.build
    monkeypatch.setattr(Trial, "build", lambda trial: built.append(trial) or build(trial))
    assert [each.trial for each in missing(tape, cells, build=False)] == [each.trial for each in asked]
    assert [trial.cell for trial in built] == cells


def test_what_is_recorded_is_not_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded(tmp_path, line_cell())
    monkeypatch.setattr(Trial, "build", None)
    assert not missing(Tape(tmp_path, "once"), [line_cell()])


def test_what_is_stale_is_known_by_its_request(tmp_path: Path) -> None:
    recorded(tmp_path, line_cell())
    changed = line_cell(extra_body={"top_k": 1})
    for build in (True, False):
        assert not missing(Tape(tmp_path, "new_episodes"), [line_cell()], build=build)
        asked = missing(Tape(tmp_path, "new_episodes"), [changed], build=build)
        assert [trial.place.sha256 for trial in asked] == [
            Place.of(trial, trial.build()).sha256 for trial in changed.each_trial()
        ]


@pytest.mark.parametrize(("early", "built"), [(0, 1), (1, 1), (400, 2), (10**6, 3)])
def test_a_direct_run_builds_a_few_prompts_before_it_asks(tmp_path: Path, early: int, built: int) -> None:
    trials = missing(Tape(tmp_path, "once"), [line_cell(5, trials=3)], build=False, early=early)
    assert sum(trial.built is not None for trial in trials) == built
