"""A gate in the terminal: bands, what was lost, and price and latency where they changed."""

from __future__ import annotations

from dataclasses import replace

from longctx.gate.usage import Growth, Usage, UsageChange
from longctx.report.blocks import TableRows
from longctx.report.gate_lines import COLUMNS, LostAnswer, LostAnswers, gate_lines
from longctx.stats.quantiles import Quantile
from longctx.views.chart import Table

BANDS = TableRows(Table("", ("", "before", "n"), (("line retrieval", "0.61", "200"),)), right=("before", "n"))
SIDE = Usage(2, 0.001, None, None, None, Quantile(1.0, 0.9, 1.1, 2), None)
CHANGE = UsageChange(SIDE, replace(SIDE, usd=0.002), Growth(1.0, 0.9, 1.1), Growth(0.0, -0.1, 0.1), None)
LOST = LostAnswers(
    tuple(LostAnswer(f"passkey/k-{n}#0", "some-model", "1", "old\nanswer", "\x1b[31mnew") for n in range(4)),
    5,
    "longctx compare main RUN --flips 5",
)


def test_it_has_the_bands_the_lost_answers_and_what_became_dearer() -> None:
    assert gate_lines(["Gate: regression", "Against main."], [BANDS], CHANGE, LOST).splitlines() == [
        "Gate: regression",
        "Against main.",
        "",
        "                before    n",
        "line retrieval    0.61  200",
        "Price of 1,000 trials: $1.00 → $2.00",
        *(f'passkey/k-{n}#0: "old answer" → "\\x1b[31mnew"' for n in range(3)),
        "… 2 more lost: longctx compare main RUN --flips 5",
    ]


def test_a_price_that_may_be_the_same_is_left_out() -> None:
    same = replace(CHANGE, cost=Growth(0.1, -0.1, 0.3), latency=Growth(0.5, 0.2, 0.9))
    shown = gate_lines(["Gate: pass"], [], same, LostAnswers())
    assert shown == "Gate: pass\nMedian latency: 1.00 s → 1.00 s"
    assert gate_lines(["Gate: pass"], [], None, LostAnswers()) == "Gate: pass"


ASKED = "Go to line 2 of the register and report only its REGISTER_CONTENT, and nothing else at all."
WHY = "the value of line 1, not of line 2: -1 in line number, -1 in place in the whole register"


def test_the_line_of_a_lost_answer_fits_a_terminal_and_shows_what_differs() -> None:
    answers = "The content of line two is 33130", "The content of line two is 28038"
    line = LostAnswer("lines/lines-3#7", "toy", "33130", *answers, reason=WHY, question=ASKED).line
    assert len(line) <= COLUMNS
    assert line == (
        'lines/lines-3#7: Go to line 2 of the register and repo… "… 33130" → "… 28038": the value of line …'
    )


def test_only_what_is_long_is_cut() -> None:
    line = LostAnswer("lines/lines-3#7", "toy", "33130", "33130", "28038", reason="invented", question=ASKED).line
    assert line == (
        'lines/lines-3#7: Go to line 2 of the register and report only its REGI… "33130" → "28038": invented'
    )
    short = LostAnswer("lines/{0}#7", "toy", "33130", "33130", None, reason="cut", question="Which one?").line
    assert short == 'lines/{0}#7: Which one? "33130" → "-": cut'


def test_texts_that_cannot_be_seen_take_the_columns_of_their_escapes() -> None:
    line = LostAnswer("lines/lines-3#7", "toy", None, "\u202e" * 50, "\x1b" * 50, reason=WHY).line
    assert len(line) <= COLUMNS
    assert line.isprintable()
    assert len(LostAnswer("n" * 200, "toy", None, "a", "b").line) == COLUMNS


def test_answers_of_which_one_begins_the_other_keep_their_words() -> None:
    before, after = "The content of line two is", "The content of line two is 28038 by the register of the harbour"
    for was, now in ((before, after), (after, after)):
        line = LostAnswer("lines/lines-3#7", "toy", "33130", was, now, reason=WHY, question=ASKED).line
        assert line.count('"The con') == 2
