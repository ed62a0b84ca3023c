"""The texts of test functions' requests that changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from longctx.engine.changed_requests import request_changes
from longctx.gate.verdict import give_verdict
from longctx.report.blocks import Diff, terminal_blocks
from longctx.report.markdown_document import markdown_blocks
from longctx.report.verdict_blocks import TextChange
from longctx.results.row import Row
from longctx.results.sent_texts import KeptByDigest, KnownTexts
from longctx.vocabulary.both import Both
from tests.gate.examples import RULES
from tests.rows import run

OLD, NEW, OTHER = "0a1b2c3d", "11112222", "33334444"
KEPT = {"system": {OLD: "Be brief.\nEnd.", NEW: "Be kind.\nEnd."}}


def rows(*parts: str | None, test: str = "test_a") -> list[Row]:
    found = run(*["correct"] * max(30, len(parts)), test=test, band="all")
    return [replace(row, request_parts=parts[index % len(parts)]) for index, row in enumerate(found)]


def changes(
    before: Sequence[Row], after: Sequence[Row], was: KeptByDigest = KEPT, now: KeptByDigest = KEPT
) -> list[TextChange]:
    verdict = give_verdict([*before], [*after], RULES)
    return [*request_changes(Both(KnownTexts(was), KnownTexts(now)), verdict)]


def test_a_changed_part_is_shown_once_for_all_tests_with_it() -> None:
    """A baseline keeps the beginning of a digest."""
    before = [*rows(f"system={OLD[:4]}"), *rows(f"system={OLD[:4]}", test="test_b")]
    after = [*rows(f"system={NEW}"), *rows(f"system={NEW}", test="test_b")]
    [change] = changes(before, after)
    assert (change.name, change.test) == ("system prompt of test_a, test_b", "test_a")
    assert change.lines == ("-Be brief.", "+Be kind.", " End.")


def test_a_part_that_came_or_went() -> None:
    [came] = changes(rows("messages=5555"), rows(f"messages=5555 system={NEW}"))
    assert came.lines == ("+Be kind.", "+End.")
    [went] = changes(rows(f"messages=5555 system={OLD}"), rows("messages=5555"))
    assert went.lines == ("-Be brief.", "-End.")


def test_of_several_differences_one_is_shown() -> None:
    after = {"system": {**KEPT["system"], OTHER: "Be polite.\nEnd."}}
    [change] = changes(rows(f"system={OLD}"), rows(f"system={NEW}", f"system={OTHER}"), now=after)
    assert change.name == "system prompt of test_a, 1 of 2 that differ"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ({}, KEPT),
        (KEPT, {}),
        ({"tools": KEPT["system"]}, KEPT),
        ({"system": {f"{OLD} {NEW}": "the same"}}, {"system": {NEW: "the same"}}),
        ({"system": {OLD: "one", f"{OLD[:4]}9999": "another"}}, KEPT),
    ],
)
def test_what_is_not_known_of_both_is_not_shown(was: KeptByDigest, now: KeptByDigest) -> None:
    assert changes(rows(f"system={OLD[:4]}"), rows(f"system={NEW}"), was, now) == []


@pytest.mark.parametrize("parts", [None, f"system={NEW}"])
def test_requests_that_are_the_same_or_unknown_have_none(parts: str | None) -> None:
    assert changes(rows(parts), rows(f"system={NEW}")) == []


def test_a_baseline_of_somebody_else_is_shown_as_text() -> None:
    """Its texts need not be those of its digests."""
    bad = "\x1b[31mred\n```\n</details><script>alert(1)</script>\n@everyone [a](javascript:1)\n\u202eend"
    was = {"system": {OLD: f"{bad}\nkey sk-ant-{'a' * 20}"}, "\x1b[0m": {"../x": "y"}}
    [change] = changes(rows(f"system={OLD}"), rows(f"system={NEW}"), was)
    diff = [Diff(change.lines)]
    for shown in (terminal_blocks(diff), markdown_blocks(diff)):
        assert not {"\x1b", "\u202e"} & set(shown)
        assert "sk-ant" not in shown
    first, *_, last = markdown_blocks(diff).splitlines()
    assert (first, last) == ("````diff", "````")
