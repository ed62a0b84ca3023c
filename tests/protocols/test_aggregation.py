"""Aggregation: what a seed builds, that an independent reading gives the same answers, and what replies are."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.protocols.aggregation import QUESTIONS, judge_answer
from longctx.protocols.collages import AGENCIES, ENDINGS
from longctx.vocabulary.point import BuiltTrial
from tests.given import reply, words_of
from tests.protocols import Aggregation
from tests.protocols.tokens import TOKENS_OF, built, fitted, taken

WORDS = words_of(Aggregation)
TOKENS = TOKENS_OF[Aggregation]
cells = st.builds(Aggregation, st.integers(2600, 5000), st.integers(8, 14), st.sampled_from(QUESTIONS))

KEYWORDS = {
    "Harbor Office": "anchor|pilot for|breakwater|tankers|tugboat|captains|lighthouse|cargo",
    "Aviation Board": "pilots descend|runway|gliders|propellers|control tower|helicopters|parachutists|cabin crews",
    "Fisheries Service": "herring|trawlers|lobster|salmon|oyster|anglers|seines|mackerel",
    "Broadcasting Council": "transmitter|disc jockey|amateurs|evening news|advertising|antenna|satellite|listeners",
    "Mines Inspectorate": "shaft|blasting|helmet lamps|coal|timber props|hoisting|slate|firedamp",
    "Plant Health Bureau": "potatoes|apple|wheat|beetle|nurseries|greenhouses|vineyards|barley",
    "School Commission": "classes|algebra|textbooks|kindergarten|headmasters|lessons|holidays|blackboards",
    "Rail Authority": "express|signals|sleepers|sleeping cars|level crossing|locomotives|season tickets|freight",
}
"""What the notices of each agency are about, written down apart from their texts."""


def notices(trial: BuiltTrial) -> list[tuple[str, str]]:
    """Read the notices: the month, and the agency by what the text is about."""
    read = re.findall(r"^([A-Z][a-z]+) \d{1,2}, (\d{4}): (.+)$", trial.user, re.MULTILINE)
    found = []
    for month, year, text in read:
        [agency] = [name for name, about in KEYWORDS.items() if re.search(rf"\b(?:{about})\b", text, re.IGNORECASE)]
        found.append((f"{month} {year}", agency))
    return found


def answer(trial: BuiltTrial) -> set[str]:
    """Answer a prompt by reading it."""
    question = trial.user.rstrip().rpartition("\n")[2]
    [month] = re.findall(r"dated in (\w+ \d{4})", question)
    counts = Counter(agency for when, agency in notices(trial) if when == month)
    if question.startswith("How many"):
        return {str(next(counts[name] for name in KEYWORDS if f"the {name}?" in question))}
    if "the most notices" in question:
        return {name for name, number in counts.items() if number == max(counts.values())}
    return {name for name in KEYWORDS if not counts[name]}


@settings(max_examples=25)
@given(cells, st.integers(0, 10**6))
def test_an_independent_reading_gives_the_expected_answer(cell: Any, seed: int) -> None:
    trial = built(cell, seed)
    assert answer(trial) == set(trial.expected.split(", "))
    read = notices(trial)
    assert len(read) == trial.recorded["lines"]
    [month] = re.findall(r"dated in (\w+ \d{4})", trial.user)
    assert Counter(when for when, _ in read)[month] == cell.notices
    *marks, question = trial.judge(reply("")).marks
    lines = [trial.user[mark.start : mark.end] for mark in marks]
    assert len(lines) == cell.notices
    assert all(f"{month.split()[0]} " in line and "\n" not in line for line in lines)
    assert trial.user[question.start :].strip() == trial.user.rstrip().rpartition("\n")[2]


@settings(max_examples=25)
@given(cells, st.integers(0, 10**6))
def test_a_prompt_does_not_exceed_its_window(cell: Any, seed: int) -> None:
    assert 0.75 * cell.window < taken(built(cell, seed)) <= cell.window


def test_no_notice_has_a_word_of_an_agency_or_of_its_remit() -> None:
    def stems(text: str) -> set[str]:
        return {word[:5] for word in re.findall(r"[a-z]{4,}", text.lower())} - {"their"}

    names = set.union(*(stems(f"{agency.name} {agency.remit}") for agency in AGENCIES))
    for text in (*ENDINGS, *(act for agency in AGENCIES for act in agency.acts)):
        assert not stems(text) & names, text


def test_no_number_is_a_good_guess() -> None:
    counts = Counter(built(Aggregation(2600, 12, "count"), index=index).expected for index in range(80))
    assert counts.most_common(1)[0][1] < 35
    largest = Counter(built(Aggregation(2600, 12, "largest"), index=index).expected for index in range(80))
    assert largest.most_common(1)[0][1] < 24


@pytest.mark.parametrize(
    ("text", "kind", "credit"),
    [
        ("{right}", "correct", 1000),
        ("There are {right} of March 2031.", "correct", 1000),
        ("On March 4, 2031 there were {right}", "correct", 1000),
        ("{more}", "wrong", 750),
        ("{most}", "wrong", 562),
        ("{right} or {more}", "unparseable", None),
        ("None that I can see", "unparseable", None),
        ("", "unparseable", None),
    ],
)
def test_counts_have_partial_credit(text: str, kind: str, credit: int | None) -> None:
    outcome = judge_answer(reply(text.format(right=3, more=4, most=5)), ["3"], "count")
    assert (outcome.kind, outcome.trace.get("credit")) == (kind, credit)


def test_a_number_may_be_a_word() -> None:
    assert judge_answer(reply("Two."), ["2"], "count").kind == "correct"
    assert judge_answer(reply("two, that is 2"), ["2"], "count").kind == "correct"
    assert judge_answer(reply("one"), ["2"], "count").trace == {"credit": 750, "off": -1}
    assert judge_answer(reply("2", "max_tokens"), ["2"], "count").kind == "truncated"
    assert judge_answer(reply("9" * 5000), ["2"], "count").trace == {"credit": 0, "off": 10**6 - 2}
    assert judge_answer(reply("no", "refusal"), ["2"], "count").kind == "refusal"


def test_of_several_agencies_the_largest_is_not_one() -> None:
    right, other = AGENCIES[2].name, AGENCIES[0].name
    assert judge_answer(reply(f"It is the {right.upper()}."), [right], "largest").kind == "correct"
    assert judge_answer(reply(other), [right], "largest").trace == {"credit": 0}
    assert judge_answer(reply(f"{other}, {right}"), [right], "largest").kind == "unparseable"
    assert judge_answer(reply("The Post Office"), [right], "largest").kind == "unparseable"


def test_what_is_missing_is_a_set() -> None:
    first, second, other = (agency.name for agency in AGENCIES[:3])
    right = first, second
    assert judge_answer(reply(f"{second} and {first}"), right, "missing").kind == "correct"
    assert judge_answer(reply(first), right, "missing").trace == {"credit": 667}
    assert judge_answer(reply(f"{first}, {second}, {other}"), right, "missing").trace == {"credit": 800}
    assert judge_answer(reply(f"{first},", "max_tokens"), right, "missing").kind == "truncated"
    assert judge_answer(reply(f"{other},", "max_tokens"), right, "missing").kind == "wrong"


def test_marks_show_the_notices_of_the_month() -> None:
    cell = fitted(Aggregation(2600, 12, "largest"))
    marks = cell.build(WORDS, 0, 0).judge(reply("")).marks
    assert [mark.name for mark in marks] == ["notice of the month"] * 12 + ["question"]


def test_mistakes_are_refused_before_anything_is_asked() -> None:
    with pytest.raises(ValueError, match="there is no question 'most': choose from count, largest, missing"):
        Aggregation(2000, 12, "most")
    with pytest.raises(ValueError, match="with 7 notices no agency may have the most: use at least 8"):
        Aggregation(2000, 7, "count")
    with pytest.raises(ValueError, match="a window of 500 tokens is too small for the 24 lines"):
        Aggregation(500, 12, "count").fit(TOKENS)
