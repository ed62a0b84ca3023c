"""Lines of history: whom a family is measured of, run by run."""

from __future__ import annotations

from longctx.gate.verdict import Rules
from longctx.history.tracks import Track, tracks
from longctx.registry import shipped
from longctx.results.baseline import Baseline
from tests.history.kept import kept, outcomes


def made(*runs: Baseline) -> list[Track]:
    return tracks(runs, Rules(), shipped())


def test_a_line_goes_on_under_another_model_and_says_what_changed() -> None:
    [track] = made(kept(1, outcomes(90)), kept(2, outcomes(40, model="new"), version="9.9"))
    first, second = track.points
    assert (first.verdict, first.changed, first.verdict_of("all")) == (None, (), "")
    assert second.verdict_of("all") == "regression"
    assert [point.date for point in track.points] == ["2026-11-01", "2026-11-02"]
    assert [subject.model for subject in track.subjects] == ["some-model", "new"]
    assert "model: some-model → new" in second.changed
    assert any(change.startswith("longctx: ") for change in second.changed)


def test_several_subjects_are_lines_of_their_own() -> None:
    both = outcomes(90), outcomes(80, prompt_set="mine")
    made_tracks = made(kept(1, *both), kept(2, *both), kept(3, outcomes(80, prompt_set="mine")))
    assert [[str(subject) for subject in track.subjects] for track in made_tracks] == [
        ["some-model, prompts protocol"],
        ["some-model, prompts mine"],
    ]
    assert [len(track.points) for track in made_tracks] == [2, 3]


def test_where_it_is_not_clear_who_became_whom_new_lines_begin() -> None:
    made_tracks = made(
        kept(1, outcomes(90, model="a")),
        kept(2, outcomes(90, model="b"), outcomes(90, model="c"), outcomes(90, model="a", prompt_set="mine")),
    )
    assert [len(track.points) for track in made_tracks] == [1, 1, 1, 1]


def test_families_are_in_their_order_and_bands_in_that_of_the_runs() -> None:
    [lrt, passkey] = made(
        kept(1, outcomes(9, 10, family="passkey"), outcomes(9, 10, band="short"), outcomes(9, 10, band="long"))
    )
    assert (lrt.family, lrt.bands) == ("line_retrieval", ["short", "long"])
    assert passkey.family == "passkey"


def test_runs_that_have_nothing_in_common_give_no_verdict() -> None:
    [track] = made(kept(1, outcomes(90)), kept(2, outcomes(90, seed=7)))
    assert [point.verdict_of("all") for point in track.points] == ["", ""]
