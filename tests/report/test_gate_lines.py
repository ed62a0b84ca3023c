"""A gate in the terminal: bands, what was lost, and price and latency where they changed."""

from __future__ import annotations

from dataclasses import replace

from longctx.gate.usage import Growth, Usage, UsageChange
from longctx.report.blocks import TableRows
from longctx.report.gate_lines import LostAnswer, LostAnswers, gate_lines
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
