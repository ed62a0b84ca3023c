"""The sentences about questions without a reply."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from longctx.cells.cell import Cell
from longctx.recording.missing import why_missing
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from tests.recording.examples import collage_cell, line_cell, recorded

CELL = line_cell(trials=3)
FILE = "cassettes/toy/line_retrieval/lines-5.jsonl"


def said(cell: Cell, tape: Tape, *failed: str) -> str:
    """Return the sentence about the trials of the cell that have no answer on the tape."""
    all_wanted = [Place.of(trial, trial.build()) for trial in cell.each_trial()]
    return why_missing(cell, tape, [place for place in all_wanted if tape.reply(place) is None], failed)


def reworded(cell: Cell) -> Cell:
    words = {**cell.wording.templates, "header": "Another header"}
    return dataclasses.replace(cell, wording=dataclasses.replace(cell.wording, digest="abc123", templates=words))


def test_nothing_was_recorded(tmp_path: Path) -> None:
    text = said(CELL, Tape(tmp_path))
    assert text.startswith(f"3 of 3 trials have no recording in {FILE}. Record them: run this again with ")
    assert "--ctx-record once (and --ctx-base-url URL" in text


def test_a_model_of_a_similar_name_is_suggested(tmp_path: Path) -> None:
    recorded(tmp_path, CELL)
    mistyped = dataclasses.replace(CELL, model=CELL.model.model_copy(update={"model": "toi"}))
    assert "There are recordings of toy: did you mean that model?" in said(mistyped, Tape(tmp_path))
    other = dataclasses.replace(CELL, model=CELL.model.model_copy(update={"model": "another"}))
    assert "did you mean" not in said(other, Tape(tmp_path))


def test_only_other_trials_are_recorded(tmp_path: Path) -> None:
    recorded(tmp_path, CELL)
    others = "It has only other trials: of another seed, other questions or other documents."
    assert others in said(dataclasses.replace(CELL, seed=CELL.seed + 1), Tape(tmp_path))
    assert others not in said(dataclasses.replace(CELL, trials=5), Tape(tmp_path))


def test_an_earlier_version_of_the_trials_is_recorded(tmp_path: Path) -> None:
    cell, advice = collage_cell(letters="own"), 'To use them, write letters = "control" in the profile\'s table.'
    assert advice not in said(cell, Tape(tmp_path))
    recorded(tmp_path, collage_cell())
    assert f"It has answers to an earlier version of its trials. {advice}" in said(cell, Tape(tmp_path))
    assert advice not in said(dataclasses.replace(cell, seed=cell.seed + 1), Tape(tmp_path))


def test_some_are_missing(tmp_path: Path) -> None:
    recorded(tmp_path, line_cell(trials=1))
    assert said(CELL, Tape(tmp_path)).startswith("2 of 3 trials have no recording")


def test_the_file_was_cut_short(tmp_path: Path) -> None:
    file = recorded(tmp_path, CELL)
    file.write_bytes(file.read_bytes()[:-9])
    text = said(CELL, Tape(tmp_path))
    assert text.startswith(f"1 of 3 trials have no recording in {FILE}. A killed run cut its last line short")


def test_the_wording_changed(tmp_path: Path) -> None:
    recorded(tmp_path, CELL)
    text = said(reworded(CELL), Tape(tmp_path))
    was = f"the recorded prompt set is 'protocol' ({CELL.wording.digest}), this one is 'protocol' (abc123)."
    differs = "What differs: messages; model and parameters are the same."
    assert text.startswith(f"3 of 3 trials are stale: {was} {differs} Record them: run this again with ")
    assert "--ctx-record new_episodes (and" in text


def test_the_parts_that_differ_are_named_if_they_are_known(tmp_path: Path) -> None:
    file = recorded(tmp_path, CELL)
    model = CELL.model.model_copy(update={"system": "Be brief."})
    other = dataclasses.replace(CELL, model=model)
    differs = "What differs: system; model, messages and parameters are the same."
    assert differs in said(other, Tape(tmp_path))
    assert "What differs: messages;" in said(reworded(CELL), Tape(tmp_path))
    file.write_text(re.sub(r',"parts":"[^"]*"', "", file.read_text()))
    assert "What differs" not in said(other, Tape(tmp_path)), "an earlier version recorded no parts"


def test_the_corpus_was_given_a_word_of_its_own(tmp_path: Path) -> None:
    recorded(tmp_path, CELL)
    other = reworded(CELL)
    called = dataclasses.replace(other, wording=dataclasses.replace(other.wording, document="staff handbook"))
    assert "this one is 'protocol' (abc123), which calls the documents 'staff handbook'. W" in said(
        called, Tape(tmp_path)
    )


def test_the_request_changed_but_not_its_wording(tmp_path: Path) -> None:
    recorded(tmp_path, CELL)
    text = said(line_cell(trials=3, extra_body={"temperature": 1}), Tape(tmp_path))
    assert "3 of 3 trials are stale: the request changed since the recording, but not its wording" in text
    assert "max_tokens, or the profile of toy (system," in text


def test_some_are_stale_and_some_missing(tmp_path: Path) -> None:
    recorded(tmp_path, line_cell(trials=1))
    text = said(reworded(CELL), Tape(tmp_path))
    assert "1 of 3 trials are stale" in text
    assert "2 of 3 trials have no recording" in text


def test_asking_was_tried_and_failed(tmp_path: Path) -> None:
    text = said(CELL, Tape(tmp_path), "http://h answered 500: busy.", "http://h answered 500: busy.")
    assert text.count("http://h answered 500: busy.") == 1
    assert "have no recording" not in text
    assert "run this again" not in text


def test_a_changed_beta_is_named(tmp_path: Path) -> None:
    recorded(tmp_path, line_cell(betas=("long-2026",)))
    assert "it was recorded with the headers anthropic-beta: long-2026, and the profile of toy sends no betas" in said(
        line_cell(), Tape(tmp_path)
    )
    both = line_cell(betas=("other-2026",), headers={"x-mode": "a"})
    assert "toy sends the headers anthropic-beta: other-2026; x-mode: a." in said(both, Tape(tmp_path))
