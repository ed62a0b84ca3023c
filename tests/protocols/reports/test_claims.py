"""What a source claims: it holds, is contradicted, or cannot be told, of each model."""

from __future__ import annotations

import random
from typing import Any

import pytest

from longctx import Row
from longctx.protocols.reports import collage_report, line_retrieval_report, passkey_report
from longctx.protocols.reports.claims import CONTRADICTED, HOLDS, Claim, claims_table, does_not_help, helps
from longctx.report.tables import tables
from longctx.stats.paired import Paired
from longctx.summary.summary import summarize
from tests.rows import asked, row

SUBJECT = row("correct").subject


@pytest.mark.parametrize(
    ("gained", "lost", "n", "verdict"),
    [
        (12, 1, 40, HOLDS),
        (1, 12, 40, CONTRADICTED),
        (5, 3, 30, "cannot tell (n 30, about 700 more)"),
        (3, 3, 30, "cannot tell (n 30)"),
        (0, 0, 0, "cannot tell (n 0)"),
    ],
)
def test_a_gain_is_shown_excluded_or_open(gained: int, lost: int, n: int, verdict: str) -> None:
    claim = helps(SUBJECT, "it helps", Paired(gained, lost, n), [])
    assert claim.verdict == verdict


def test_about_so_many_more_tell_in_nine_of_ten() -> None:
    """Drawn another way than by the formula: pairs one by one, with the shares that were seen."""
    effect = Paired(14, 6, 100)
    claim = helps(SUBJECT, "it helps", effect, [])
    more = int(claim.verdict.split("about ")[1].split(" ")[0].replace(",", ""))
    draw, told = random.Random(0), 0
    for _ in range(400):
        changes = draw.choices([1, -1, 0], [14, 6, 80], k=100 + more)
        told += Paired(changes.count(1), changes.count(-1), len(changes)).interval()[0] > 0
    assert 0.85 < told / 400 < 0.96


def test_no_help_is_a_gain_of_five_points_ruled_out() -> None:
    assert does_not_help(SUBJECT, "not", Paired(2, 2, 400), []).verdict == HOLDS
    assert does_not_help(SUBJECT, "not", Paired(30, 2, 100), []).verdict == CONTRADICTED
    assert does_not_help(SUBJECT, "not", Paired(1, 1, 20), []).verdict.startswith("cannot tell (n 20, about ")


def collages(variant: str, right: int, of: int = 40) -> list[Row]:
    params = {"budget": 2600, "variant": variant, "depth": 50, "letters": "own"}
    return [
        row(
            "correct" if trial < right else "wrong",
            test="collage",
            cell=variant,
            params=params,
            trial=trial,
            item=f"q{trial}",
        )
        for trial in range(of)
    ]


def by_claim(claims: Any) -> dict[str, Claim]:
    return {claim.says: claim for claim in claims}


def test_the_notebooks_claims_are_judged_on_the_same_questions() -> None:
    rows = [
        each
        for variant, right in (("none", 20), ("two", 35), ("five", 35), ("unrelated", 20), ("none_scratchpad", 4))
        for each in collages(variant, right)
    ]
    found = by_claim(collage_report.claims(rows))
    assert {says: claim.verdict.partition(" (")[0] for says, claim in found.items()} == {
        "a scratchpad helps": CONTRADICTED,
        "related examples help": HOLDS,
        "unrelated examples do not help": "cannot tell",
        "five help more than two": "cannot tell",
    }
    assert found["related examples help"].n == 40, "a question counts once"


def test_replies_without_an_answer_are_told() -> None:
    rows = [*collages("none", 20), *collages("none_scratchpad", 0)]
    unread = [each if each.params["variant"] == "none" else row_unread(each) for each in rows]
    [claim] = collage_report.claims(unread)
    assert claim.unparseable == 0.5


def row_unread(of: Row) -> Row:
    return row("unparseable", test=of.test, cell=of.cell, params=of.params, trial=of.trial, item=of.item)


def test_larger_blocks_are_compared_within_a_length() -> None:
    rows = [
        each
        for lines, block, right in ((10, 1, 5), (10, 5, 30), (20, 5, 40), (10, None, 40))
        for each in asked("line_retrieval", right, 40, {"lines": lines, "block_size": block})
    ]
    [claim] = line_retrieval_report.claims(rows)
    assert (claim.verdict, claim.n) == (HOLDS, 40), "20 lines have one size, and files in order have none"


@pytest.mark.parametrize(("right", "verdict"), [(1, HOLDS), (0, CONTRADICTED)])
def test_k_max_is_the_whole_window_or_not(right: int, verdict: str) -> None:
    rows = [
        each
        for k in (256, 512, 768, 1024)
        for each in asked("passkey", 40 * (right or k == 256), 40, {"window": 1024, "k": k})
    ]
    [table] = [each for each in tables(summarize(rows)) if each.title.endswith("claims")]
    assert table.frame["verdict"].tolist() == [verdict]
    assert table.frame["claim"].tolist() == ["k_max is the whole window, 1,024"]
    few = [each for each in rows if each.trial < passkey_report.FEWEST - 1]
    assert not [each for each in tables(summarize(few)) if each.title.endswith("claims")]


def test_no_claim_is_no_table() -> None:
    assert claims_table("A test", []) is None
