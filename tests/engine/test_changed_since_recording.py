"""What changed in a request since it was recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from longctx.engine.changed_since_recording import RecordedTexts, StaleRequest
from longctx.report.verdict_blocks import TextChange
from longctx.results.sent_texts import KeptByDigest, SentText
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import Templates
from longctx.workspace import Workspace
from tests.recording.examples import line_cell
from tests.report.sample import MANIFEST

OLD, NEW = "0a1b2c3d", "11112222"
CELL = line_cell()
SAME = {"prompt_set": CELL.wording.prompt_set, "digest": CELL.wording.digest}
STALE = StaleRequest(CELL, SAME, Both(f"system={OLD}", f"system={NEW}"), [SentText("system", NEW, "Be kind.\nEnd.")])
KEPT = {"system": {OLD: "Be brief.\nEnd."}}
NOTHING: dict[str, Templates] = {}


def keep(root: Path, name: str, texts: KeptByDigest, templates: dict[str, Templates] = NOTHING) -> None:
    """Write a run of the project that keeps these texts."""
    folder = root / "reports" / name
    folder.mkdir(parents=True)
    replace(MANIFEST, texts=texts, templates=templates).write(folder)


def changes(root: Path, stale: StaleRequest = STALE) -> list[TextChange]:
    return [*RecordedTexts(Workspace(root)).changes(stale)]


def test_a_text_that_an_earlier_run_keeps_is_the_recorded_one(tmp_path: Path) -> None:
    """A run without it, and one that cannot be read, hide none."""
    keep(tmp_path, "1", KEPT)
    keep(tmp_path, "2", {})
    keep(tmp_path, "3", {})
    (tmp_path / "reports/3/run.json").write_text("{")
    [change] = changes(tmp_path)
    assert (change.name, change.lines) == ("system prompt of line_retrieval", ("-Be brief.", "+Be kind.", " End."))


def test_a_text_that_no_run_keeps_is_not_shown(tmp_path: Path) -> None:
    assert changes(tmp_path) == []
    keep(tmp_path, "1", {"system": {NEW: "Be kind.\nEnd."}})
    assert changes(tmp_path) == []


@pytest.mark.parametrize("parts", [Both("", f"system={NEW}"), Both(f"system={OLD}", f"system={OLD} messages=1")])
def test_what_is_the_same_or_unknown_is_not_shown(tmp_path: Path, parts: Both[str]) -> None:
    keep(tmp_path, "1", KEPT)
    assert changes(tmp_path, replace(STALE, parts=parts)) == []


def test_a_part_that_came_needs_no_earlier_run(tmp_path: Path) -> None:
    [change] = changes(tmp_path, replace(STALE, parts=Both("messages=1", f"messages=1 system={NEW}")))
    assert change.lines == ("+Be kind.", "+End.")


def test_recorded_templates_are_found_by_their_digest(tmp_path: Path) -> None:
    was = {**CELL.wording.templates, "header": "Testing"}
    stale = replace(STALE, recorded={"prompt_set": "gone", "digest": "0123456789ab"}, parts=Both("", ""))
    assert changes(tmp_path, stale) == []
    keep(tmp_path, "1", {}, {"0123456789ab": was})
    [change] = changes(tmp_path, stale)
    assert change.name == "protocol/line_retrieval/header"
    assert change.lines == ("-Testing", "+Testing Long Context")


def test_no_key_is_shown(tmp_path: Path) -> None:
    keep(tmp_path, "1", {"system": {OLD: f"The key is sk-ant-{'a' * 40}."}})
    [change] = changes(tmp_path)
    assert change.lines[0] == "-The key is [redacted]."
