"""The texts that a run sends and its baseline did not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from longctx.engine.changed_texts import MOST_LINES, templates_of, text_changes
from longctx.engine.run import Run
from longctx.functions.cells import wording_of
from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.report.verdict_blocks import TextChange
from longctx.results.manifest import Manifest
from longctx.results.request_parts import as_mapping
from longctx.results.row import Row
from longctx.results.sent_texts import KnownTexts
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import Templates
from longctx.workspace import Workspace
from tests.gate.examples import RULES
from tests.here import HERE
from tests.report.sample import MANIFEST
from tests.rows import run

FILE = "fixtures/prompts/mine/test_a/{}.txt"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    write(tmp_path, system="Be kind.\nAnswer in a word.\nEnd.", question="{number}?")
    return Workspace(tmp_path)


def write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / FILE.format(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


def rows_of(workspace: Workspace) -> list[Row]:
    digest = wording_of(workspace, "test_a", "mine").digest
    rows = run(*["correct"] * 30, test="test_a", band="all", prompt_set="mine")
    return [replace(row, prompt_digest=digest) for row in rows]


@pytest.mark.parametrize("keeps_text", [True, False])
def test_a_protocol_keeps_the_texts_of_its_requests(keeps_text: bool) -> None:
    measured = Run("lines", root=HERE.root, trials=1, no_text=not keeps_text, say=lambda _: None).measure()
    known = KnownTexts(measured.texts.kept)
    parts = as_mapping(measured.rows[0].request_parts or "")
    text = known.text("parameters", parts["parameters"])
    assert text == ("max_tokens: 10\ntemperature: 0" if keeps_text else None)


def verdict(rows: Both[list[Row]]) -> RunVerdict:
    return give_verdict(*rows, RULES)


def keeping(templates: Mapping[str, Templates]) -> Manifest:
    return replace(MANIFEST, templates=templates)


def changes(workspace: Workspace, **texts: str) -> list[TextChange]:
    """Return what changes if these templates are written between two runs."""
    before = rows_of(workspace)
    kept = templates_of(workspace, before)
    write(workspace.root, **texts)
    rows = Both(before, rows_of(workspace))
    manifests = Both(kept, templates_of(workspace, rows.after)).map(keeping)
    return text_changes(manifests, rows, verdict(rows), workspace)


def test_a_template_is_shown_as_a_difference_at_its_line(workspace: Workspace) -> None:
    [change] = changes(workspace, system="Be kind.\nAnswer in two words.\nEnd.")
    assert change.name == change.file == FILE.format("system")
    assert change.lines == (" Be kind.", "-Answer in a word.", "+Answer in two words.", " End.")
    assert (change.line, change.test) == (2, "test_a")


def test_templates_that_came_and_went(workspace: Workspace) -> None:
    [change] = changes(workspace, extra="New.")
    assert (change.name, change.lines) == (FILE.format("extra"), ("+New.",))


def test_nothing_changed(workspace: Workspace) -> None:
    assert changes(workspace) == []


def test_a_key_is_redacted(workspace: Workspace) -> None:
    [change] = changes(workspace, system="\n".join([f"sk-ant-{'a' * 40}", *map(str, range(200))]))
    assert "sk-ant" not in "".join(change.lines)
    assert any("[redacted]" in line for line in change.lines)


def test_all_differences_share_the_lines(workspace: Workspace) -> None:
    """Each long one gets as many, and what a short one leaves is theirs."""
    many = {f"t{index}": "\n".join(f"{index} {line}" for line in range(0, 400, 9)) for index in range(5)}
    found = changes(workspace, **many, system="Be kind.\nAnswer in one word.\nEnd.")
    lengths = [len(change.lines) for change in found]
    assert (len(found), sum(lengths)) == (6, MOST_LINES)
    assert sorted(lengths) == [4, 7, 7, 7, 7, 8]
    assert all(change.lines[-1].startswith(" … ") for change in found if len(change.lines) > 4)


def test_an_earlier_wording_is_found_in_a_prompt_set_that_still_has_it(workspace: Workspace) -> None:
    """A baseline of an earlier version keeps no templates; those of another digest are never shown."""
    rows = rows_of(workspace)
    other = [replace(row, prompt_digest="0" * 12) for row in rows]
    kept = Both(MANIFEST, keeping(templates_of(workspace, rows)))
    assert text_changes(kept, Both(other, rows), verdict(Both(other, rows)), workspace) == []
    folder = workspace.root / "fixtures/prompts/old/test_a"
    folder.mkdir(parents=True)
    (folder / "system.txt").write_text("Be brief.\n")
    digest = wording_of(workspace, "test_a", "old").digest
    old = [replace(row, prompt_set="old", prompt_digest=digest) for row in rows]
    found = text_changes(kept, Both(old, rows), verdict(Both(old, rows)), workspace)
    assert {change.file for change in found} == {FILE.format("question"), FILE.format("system")}
    assert "-Be brief." in found[1].lines
