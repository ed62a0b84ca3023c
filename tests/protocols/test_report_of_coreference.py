"""The analysis of coreference, and its tables, charts and findings."""

from __future__ import annotations

import pytest

from longctx.registry import shipped
from longctx.report.svg import draw
from longctx.summary.summary import summarize
from longctx.views.answers import Answers, CellSummary
from longctx.views.declared import reporting_of
from longctx.vocabulary.report import Rank
from tests.rows import traced

Told = list[tuple[str, dict[str, int]]]
WHO = "m, prompts protocol"
ACCOUNT = reporting_of(shipped()["coreference"])


def right(asked: int, exact: int = 1) -> tuple[str, dict[str, int]]:
    return "correct", {"asked": asked, "given": asked, "exact": exact, "score": 1000 if exact else 900}


def wrong(asked: int, **trace: int) -> tuple[str, dict[str, int]]:
    return "wrong", {"asked": asked, "score": 50, **trace}


def measured(**answers: Told) -> tuple[list[CellSummary], list[Answers]]:
    """Return the cells of a run and their analysis.

    answers: the outcome and trace of each trial, by cell: `a2_1000` has 2 needles in a window of 1,000 tokens.
    """
    rows = []
    cells = {tuple(map(int, name[1:].split("_"))): given for name, given in answers.items()}
    for (needles, window), given in sorted(cells.items()):  # as a run's rows are
        place = {"test": "coreference", "cell": f"needles-{needles}-window-{window}"}
        params = {"needles": needles, "window": window}
        rows += traced(*given, model="m", params=params, **place)
    cells = summarize(rows).of("coreference")
    return cells, ACCOUNT.analyse(cells, rows)


MIXED: Told = [
    right(1),
    right(2, exact=0),
    wrong(3, given=2, exact=1),
    wrong(4, given=1, exact=1),
    wrong(1, given=4, exact=0),
    wrong(2, given=3, exact=1),
    wrong(3, same_kind=1, same_subject=0),
    wrong(4, same_kind=0, same_subject=1),
    wrong(1, same_kind=0, same_subject=0),
    wrong(2),
    wrong(3, given=3, exact=0),
    wrong(4, example=1),
    ("unparseable", {"asked": 3, "score": 0, "without_code": 3}),
    ("unparseable", {"asked": 4, "score": 0, "without_code": 1}),
    ("truncated", {"asked": 1, "score": 300, "given": 1, "exact": 0}),
    ("refusal", {"asked": 2, "score": 0}),
]


def test_every_answer_is_counted_once() -> None:
    [entry] = ACCOUNT.data(measured(a4_2000=MIXED)[1])["coreference"]
    assert [entry[name] for name in ("needles", "window", "trials", "exact", "guess")] == [4, 2000, 16, 1, 0.25]
    assert entry["score"] == pytest.approx((1 + 0.9 + 10 * 0.05 + 0.3) / 16)
    assert (entry["badly_copied"], entry["nowhere"]) == (1, 1)
    assert entry["others"] == {
        "about the same subject": 1,
        "of the same kind": 1,
        "of another kind and subject": 1,
        "of the examples": 1,
    }
    pairs = [(each["asked"], each["given"], each["trials"]) for each in entry["given"]]
    assert pairs == [(1, 1, 1), (1, 4, 1), (2, 2, 1), (2, 3, 1), (3, 2, 1), (3, 3, 1), (4, 1, 1)]
    assert entry["without_code"] == [{"asked": 3, "given": 3, "trials": 1}, {"asked": 4, "given": 1, "trials": 1}]


def test_rates_are_beside_what_guessing_gives() -> None:
    cells, analysis = measured(a4_2000=MIXED, a2_2000=[right(1)], a2_1000=[right(2), wrong(1)])
    [table] = ACCOUNT.tables(cells, analysis) or ()
    assert table.title == f"Multi-round coreference, {WHO}"
    assert table.frame.reset_index().to_numpy().tolist() == [
        ["2 needles", "1,000", "0.50 [0.09, 0.91] n=2", "0.50", "1 of 1", "0.53"],
        ["2 needles", "2,000", "1.00 [0.21, 1.00] n=1", "0.50", "1 of 1", "1.00"],
        ["4 needles", "2,000", "0.12 [0.03, 0.36] n=16", "0.25", "1 of 2", "0.17"],
    ]
    [table] = ACCOUNT.tables(cells, ()) or ()
    assert table.frame["word for word"].tolist() == ["-", "-", "-"]


def test_what_came_back_instead() -> None:
    _, analysis = measured(a4_2000=MIXED, a4_1000=[wrong(2)], a2_1000=[right(1)])
    [table] = ACCOUNT.further_tables(analysis)
    assert table.title == "Multi-round coreference: what wrong answers give back"
    short, long = (row for row in table.frame.to_dict("records") if row["asked"] == "4 needles")
    found = {name: int(number) for name, number in long.items() if name not in ("prompts", "window", "asked")}
    assert found == {
        "the needle before": 1,
        "an earlier one": 1,
        "the one after": 1,
        "a later one": 1,
        "another of the needles": 4,
        "the right one, badly copied": 1,
        "another text about the same subject": 1,
        "another text of the same kind": 1,
        "another text of another kind and subject": 1,
        "another text of the examples": 1,
        "no text of the prompt": 1,
        "trials": 16,
    }
    assert (short["window"], short["no text of the prompt"], short["trials"]) == ("1,000", "1", "1")


def test_charts_are_drawn_with_their_numbers() -> None:
    cells, analysis = measured(a4_2000=MIXED, a2_2000=[right(1)], a2_1000=[right(2), wrong(1)])
    by_window, two, four = ACCOUNT.charts(cells, analysis) or ()
    assert by_window.table.frame.loc[2000].tolist() == ["1.00 [0.21, 1.00] n=1", "0.12 [0.03, 0.36] n=16"]
    assert by_window.note.startswith("Dashed: accuracy by guessing.")
    assert two.table.frame.to_numpy().tolist() == [["1", "0"], ["0", "1"]]
    assert four.title == f"Which of 4 needles was given back: {WHO}"
    assert four.table.frame.loc["2nd"].tolist() == ["0", "1", "1", "0"]
    assert all(draw(chart).startswith("<svg") for chart in (by_window, two, four))


def test_one_window_has_no_curve_and_no_answer_no_cells() -> None:
    assert list(ACCOUNT.charts(*measured(a2_1000=[wrong(1)])) or ()) == []


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (
            [right(1)] * 6 + [wrong(2)] * 4,
            "0.60 [0.31, 0.83] n=10, not significantly different from guessing (0.50)",
        ),
        ([wrong(2)] * 20, "0.00 [0.00, 0.16] n=20, less than guessing reaches (0.50)"),
        ([right(1)] * 20, None),
    ],
)
def test_rates_that_say_nothing_are_reported(answers: Told, said: str | None) -> None:
    sentences = [text for rank, text in ACCOUNT.findings(*measured(a2_1000=answers)) if rank is Rank.LEVEL]
    assert sentences == ([f"Multi-round coreference, {WHO}, 2 needles: {said}."] if said else [])


def test_a_rate_that_falls_with_the_window() -> None:
    findings = ACCOUNT.findings(*measured(a2_64000=[wrong(1)] * 20, a2_2000=[right(1)] * 20))
    assert (
        Rank.LEVEL,
        f"Multi-round coreference, {WHO}, 2 needles: accuracy falls from 1.00 at 2,000 tokens to 0.00 at 64,000 "
        "tokens; guessing reaches 0.50.",
    ) in findings


def test_why_answers_are_wrong() -> None:
    more = [*MIXED, *[wrong(2, given=4, exact=1)] * 2]
    sentences = [text for rank, text in ACCOUNT.findings(*measured(a4_2000=more)) if rank is not Rank.LEVEL]
    assert sentences == [
        f"Multi-round coreference, {WHO}: of 12 wrong answers, 6 are another of the needles, 1 of them the first and 3 "
        "the last.",
        f"Multi-round coreference, {WHO}: 2 of 18 replies give back one of the needles without the code that must come "
        "first, 1 of these the right one.",
    ]


@pytest.mark.parametrize(
    ("trace", "said"), [({"example": 1}, "another text of the examples"), ({}, "no text of the prompt")]
)
def test_a_cause_that_prevails(trace: dict[str, int], said: str) -> None:
    findings = ACCOUNT.findings(*measured(a4_2000=[wrong(2, **trace)] * 5))
    sentences = [text for rank, text in findings if rank is Rank.CAUSE]
    assert sentences == [f"Multi-round coreference, {WHO}: of 5 wrong answers, 5 are {said}."]


def test_programs_read_it_too() -> None:
    [entry] = ACCOUNT.data(measured(a2_1000=[right(2), wrong(1, given=2, exact=1)])[1])["coreference"]
    assert entry["given"] == [{"asked": 1, "given": 2, "trials": 1}, {"asked": 2, "given": 2, "trials": 1}]
    assert (entry["model"], entry["window"], entry["guess"], entry["score"]) == ("m", 1000, 0.5, 0.525)
    assert ACCOUNT.data(()) == {"coreference": []}
