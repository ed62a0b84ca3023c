"""Latest value: what a seed builds, that an independent reading gives the same answers, and what replies are."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.protocols.latest_value import QUESTIONS, judge_answer
from longctx.vocabulary.lexical import lexically_right
from longctx.vocabulary.point import BuiltTrial
from tests.given import reply, words_of
from tests.protocols import LatestValue
from tests.protocols.quota_logs import answers_of
from tests.protocols.tokens import TOKENS_OF, built, count, fitted, taken

WORDS = words_of(LatestValue)
TOKENS = TOKENS_OF[LatestValue]
cells = st.builds(LatestValue, st.integers(1200, 4000), st.integers(1, 6), st.sampled_from(QUESTIONS))


def entries(trial: BuiltTrial) -> list[tuple[int, str, str, str]]:
    """Read the log: day, vessel, what was done, quota."""
    read = re.findall(r"^Day (\d+): the quota of vessel ([A-Z]{4}) is (set|updated) to (\d{6})\.$", trial.user, re.M)
    return [(int(day), name, done, value) for day, name, done, value in read]


def answer(trial: BuiltTrial) -> str:
    """Answer a prompt by reading it, as a person would."""
    question = trial.user.rstrip().rpartition("\n")[2]
    [name] = re.findall(r"quota of vessel ([A-Z]{4})", question)
    mine = [(day, value) for day, vessel, _, value in entries(trial) if vessel == name]
    if "on which day" in question:
        return str(mine[-1][0])
    return mine[-2][1] if "just before its last update" in question else mine[-1][1]


@settings(max_examples=25)
@given(cells, st.integers(0, 10**6))
def test_an_independent_reading_gives_the_expected_answer(cell: Any, seed: int) -> None:
    trial = built(cell, seed)
    assert answer(trial) == trial.expected
    log = entries(trial)
    assert len(log) == trial.recorded["entries"] == trial.user.count("\nDay ")
    assert [day for day, *_ in log] == sorted({day for day, *_ in log})
    assert len({value for *_, value in log}) == len(log)
    seen: dict[str, int] = {}
    for _, name, done, _ in log:
        assert (done == "set") == (name not in seen)
        seen[name] = seen.get(name, 0) + 1
    assert list(seen.values()).count(cell.updates + 1) >= len(seen) - 1  # one may be cut short by the window
    [needle, question] = trial.judge(reply("")).marks
    asked_about = trial.user[needle.start : needle.end]
    assert asked_about.startswith("Day ")
    assert asked_about.endswith(".")
    assert trial.expected in asked_about or cell.question == "before"
    assert trial.user[: question.start].count("\nDay ") == len(log)
    assert trial.depth == needle.start / len(trial.user)


@settings(max_examples=25)
@given(cells, st.integers(0, 10**6))
def test_a_prompt_fills_its_window_and_does_not_exceed_it(cell: Any, seed: int) -> None:
    trial = built(cell, seed)
    lines = trial.recorded["entries"]
    assert cell.window - 4 * lines - 80 < taken(trial) <= cell.window


def test_the_last_entry_is_anywhere() -> None:
    depths = [built(LatestValue(2000, 2, "now"), index=index).depth for index in range(40)]
    assert min(depths) < 0.2
    assert max(depths) > 0.8


def test_another_tokenizer_gets_the_same_vessel_and_quotas() -> None:
    ours, theirs = (LatestValue(2000, 4, "now").fit(tokens) for tokens in (TOKENS, TOKENS | {"line": 17.0}))
    assert ours.build(WORDS, 0, 0).user != theirs.build(WORDS, 0, 0).user
    assert answers_of(ours).own == answers_of(theirs).own


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_stale_answer_is_traced_to_its_update(question: str) -> None:
    cell = fitted(LatestValue(2000, 4, question))
    answers = answers_of(cell)
    traced = {given: judge_answer(reply(f"It is {given}."), answers, question) for given in answers.own}
    assert [outcome.trace.get("updates_back", 0) for outcome in traced.values()] == [
        answers.place - place for place in range(5)
    ]
    [right] = [given for given, outcome in traced.items() if outcome.kind == "correct"]
    assert right == cell.build(WORDS, 0, 0).expected
    assert judge_answer(reply(min(answers.others)), answers, question).trace == {"of_another_quantity": 1}
    nowhere = "99999" if question == "when" else "9999999"
    assert judge_answer(reply(nowhere), answers, question).trace == {"nowhere_in_the_log": 1}


@pytest.mark.parametrize(
    ("updates", "answered"), [(1, {"now": 0, "before": 12, "when": 12}), (4, {"now": 0, "before": 0, "when": 0})]
)
def test_matching_words_finds_the_vessel_and_not_its_last_entry(updates: int, answered: dict[str, int]) -> None:
    for question, right in answered.items():
        cell = fitted(LatestValue(1500, updates, question))
        trials = [cell.build(WORDS, 0, index) for index in range(12)]
        assert sum(bool(trial.lexical()) for trial in trials) == right
        logs = [[line for line in trial.user.splitlines() if line.startswith("Day ")] for trial in trials]
        asked = [trial.user.rstrip().rpartition("\n")[2] for trial in trials]
        in_all = [
            lexically_right(log, one, trial.expected) for log, one, trial in zip(logs, asked, trials, strict=True)
        ]
        assert sum(in_all) == right, "as if all entries are compared"


SOME = fitted(LatestValue(1500, 2, "now"))
ANSWERS = answers_of(SOME)
RIGHT = ANSWERS.right


@pytest.mark.parametrize(
    ("text", "stop_reason", "kind"),
    [
        (f"On day 12 it was updated to {RIGHT}.", "end_turn", "correct"),
        (f"{RIGHT[:3]},{RIGHT[3:]}", "end_turn", "correct"),
        (f"From {ANSWERS.own[0]} to {RIGHT}", "end_turn", "unparseable"),
        ("I cannot say on day 12.", "end_turn", "unparseable"),
        ("", "end_turn", "unparseable"),
        (f"It is {RIGHT}", "max_tokens", "truncated"),
        ("Let me see", "max_tokens", "truncated"),
        ("no", "refusal", "refusal"),
    ],
)
def test_which_quota_a_reply_gives(text: str, stop_reason: str, kind: str) -> None:
    assert judge_answer(reply(text, stop_reason), ANSWERS, "now").kind == kind


def test_a_day_is_not_read_from_a_quota() -> None:
    days = answers_of(fitted(LatestValue(1500, 2, "when")))
    assert judge_answer(reply(f"Day {days.right}, to 123456"), days, "when").kind == "correct"


def test_marks_show_the_entry_and_the_one_that_was_answered() -> None:
    trial = SOME.build(WORDS, 0, 0)
    outcome = trial.judge(reply(ANSWERS.own[0]))
    shown = {mark.name: trial.user[mark.start : mark.end] for mark in outcome.marks}
    assert RIGHT in shown["needle"]
    assert ANSWERS.own[0] in shown["the entry that was answered"]
    assert shown["question"].strip().startswith("According to the log")


def test_mistakes_are_refused_before_anything_is_asked() -> None:
    with pytest.raises(ValueError, match="there is no question 'later': choose from now, before, when"):
        LatestValue(1000, 1, "later")
    with pytest.raises(ValueError, match="use at least 1 update"):
        LatestValue(1000, 0, "now")
    with pytest.raises(ValueError, match="a window of 200 tokens is too small for the 10 lines"):
        LatestValue(200, 4, "now").fit(TOKENS)
    LatestValue(384, 4, "now", max_tokens=64).fit(TOKENS)
    with pytest.raises(ValueError, match="entries: use at most 60000 tokens"):
        LatestValue(5_000_000, 4, "now").fit(TOKENS)
    with pytest.raises(ValueError, match="line would take 0 tokens"):
        LatestValue.declared.counts.values({"1 line": 100, "101 lines": 100})


def test_the_longest_question_is_counted() -> None:
    assert count(WORDS["when"]) + 5 >= max(count(WORDS[question]) for question in QUESTIONS)
