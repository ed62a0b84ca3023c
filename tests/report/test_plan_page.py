"""A plan in words and tables."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from longctx.cells.cell import Cell
from longctx.config.models import Caching, ModelProfile
from longctx.config.prompts import Wording
from longctx.gate.bands import Band
from longctx.gate.power import Assumed, BandPlan, Load, Needed, Outlook, Target
from longctx.live.cost.prefixes import best_questions
from longctx.report.document import as_terminal
from longctx.report.plan_page import conclusion, plan_document, prices, questions_worth
from longctx.results.row import Subject
from tests.given import dollars
from tests.protocols import VariableTracking

WANTED = Target(bands=1, minimums=1)
OUTLOOK = Outlook(0.0571, 0.069, 0.954, Needed(300, 390), Needed(362, None))
TOY = Subject("toy", "protocol")
LONG = BandPlan(
    TOY, Band("passkey", "long"), Load(200, 200, 900_000, 100_000, 4.0), Assumed(0.1, 0.9), 0, False, OUTLOOK
)


def notes(*plans: BandPlan, **given: Any) -> str:
    return "\n".join(plan_document(plans, WANTED, "mine", **given).notes)


def test_a_band() -> None:
    made = plan_document([LONG], WANTED, "mine")
    shown, needed = (table.frame.reset_index().to_dict("records") for table in made.tables)
    assert shown == [
        {
            "test": "passkey",
            "band": "long",
            "trials": "200",
            "tokens": "1.0M",
            "price": "$4.00",
            "discordance": "0.100 guessed",
            "rate": "0.90",
            "drop found, paired": "0.057",
            "unpaired": "0.069",
            "passes if unchanged": "95%",
        }
    ]
    assert needed == [
        {
            "test": "passkey",
            "band": "long",
            "drop of 0.1, paired": "300 (1.5M, $6.00)",
            "drop of 0.1, unpaired": "390 (1.9M, $7.80)",
            "pass if unchanged, paired": "362 (1.8M, $7.24)",
            "pass if unchanged, unpaired": "more than 1,000,000",
        }
    ]
    assert "one-sided) is below 5%. A drop is tested by its mid-p-value at 0.05 / 2 = 0.025" in made.notes[0]
    assert "over 1 band and 1 stated minimum." in made.notes[0]


def test_clusters_are_named_and_counted() -> None:
    clustered = replace(LONG, load=replace(LONG.load, clusters=50))
    text = as_terminal(plan_document([clustered, LONG], WANTED, "mine"))
    assert "200 in 50 clusters" in text
    assert "300 in 75 clusters (1.5M, $6.00)" in text
    assert "an assumed intra-cluster correlation of 1.00 " in text


def test_where_the_assumptions_come_from() -> None:
    seen = replace(LONG, seen=480, own=True)
    assert "are guesses; --from" in notes(LONG)
    assert "estimated from a and b" in notes(seen, runs=["a", "b"])
    assert "guessed" not in notes(seen, runs=["a", "b"])
    assert "Both replay the same recordings of collage" in notes(seen, runs=["a", "b"], replayed=["collage"])
    assert "For passkey (long), they come from another model" in notes(replace(seen, own=False), runs=["a", "b"])


def test_warnings() -> None:
    assert "Pairing gains nothing" not in notes(LONG)
    assert "Pairing gains nothing in passkey (long)" in notes(replace(LONG, assumed=Assumed(0.2, 0.9)))
    floor = replace(LONG, assumed=Assumed(0.02, 0.06), outlook=replace(OUTLOOK, for_drop=Needed(None, None)))
    assert "passkey (long): only 6% are right, so a drop of 10% cannot happen there." in notes(floor)
    assert plan_document([floor], WANTED, "mine", {}).tables[1].frame.iloc[0].iloc[1] == "-"
    unpriced = replace(LONG, load=replace(LONG.load, price=None))
    assert "Prices of toy are not known" in notes(unpriced)


def test_no_drop_and_nothing_certain() -> None:
    shown = replace(LONG, outlook=Outlook(None, None, 0.9999, Needed(1, 1), Needed(1, 1)))
    row = plan_document([shown], WANTED, "mine", {}).tables[0].frame.iloc[0]
    assert (row["drop found, paired"], row["passes if unchanged"]) == ("none", "99%")


def test_the_conclusion() -> None:
    weak = replace(LONG, band=Band("passkey", "short"), outlook=replace(OUTLOOK, passing=0.5))
    assert conclusion([LONG], WANTED) == (
        "Powered: passkey (long). If nothing has changed, it passes with a probability of 90% or more."
    )
    assert conclusion([LONG, weak], WANTED) == (
        "Powered: passkey (long). If nothing has changed, it passes with a probability of 90% or more. Underpowered: "
        "passkey (short). If nothing has changed, it may well be inconclusive: use more trials (the last table shows "
        "how many) or a wider margin. Probability that all 2 bands pass if nothing has changed: 47%."
    )
    assert conclusion([LONG, LONG], WANTED).startswith("Powered: all bands. If nothing has changed, each passes")


def test_subjects_are_distinguished() -> None:
    other = replace(LONG, subject=Subject("new", "protocol"))
    [first, _, side_by_side] = plan_document([LONG, other], WANTED, "mine", {}).tables
    assert first.frame["of"].tolist() == ["toy", "new"]
    assert side_by_side.frame.index.tolist() == ["toy", "new"]
    assert side_by_side.frame["at most"].tolist() == ["$4.00", "$4.00"]
    assert side_by_side.frame["trials"].tolist() == ["200", "200"]
    check = replace(other, band=Band("test_a.polite", "long"))
    [*_, with_check] = plan_document([LONG, other, check], WANTED, "mine", {}).tables
    assert with_check.frame["trials"].tolist() == ["200", "200"], "a check is asked with its trial"
    prompts = replace(LONG, subject=Subject("toy", "mine"))
    [first, _] = plan_document([LONG, prompts], WANTED, "mine", {}).tables
    assert first.frame["of"].tolist() == ["toy, prompts protocol", "toy, prompts mine"]
    assert "passkey of toy, prompts mine (long)" in conclusion(
        [LONG, replace(prompts, outlook=replace(OUTLOOK, passing=0.1))], WANTED
    )


def test_the_price_of_a_gate_in_looks() -> None:
    load = Load(200, 200, 900_000, 100_000, 4.0, 2.0)
    plans = [replace(LONG, load=load), replace(LONG, subject=replace(TOY, model="other"), load=load)]
    assert [sentence.partition(": ")[0] for sentence in prices(plans, WANTED)] == ["toy", "other", "Expected price"]
    [line] = prices(plans[:1], WANTED)
    found = re.fullmatch(r"Expected price: \$(.+) \(in batches \$(.+)\), at most \$4\.00", line)
    assert found is not None
    assert 0 < 2 * float(found[2]) == pytest.approx(float(found[1]), abs=0.02)
    assert float(found[1]) < 4
    assert list(prices([replace(LONG, load=replace(load, price=None))], WANTED)) == []
    [_, line] = prices([plans[0], replace(plans[0], load=replace(load, thinking=(2.0, 1.0)))], WANTED)
    told = re.match(
        r"Of this, \$(.+) \(in batches \$(.+)\) is for thinking that no recording has measured: .* toy ass", line
    )
    assert told is not None
    assert [float(part) for part in told.groups()] == pytest.approx(
        [float(found[1]) / 2, float(found[2]) / 2], abs=0.02
    )


def test_the_price_is_at_most_that_of_replies_of_full_length() -> None:
    [line] = prices([replace(LONG, load=Load(200, 200, 900_000, 100_000, 4.0, 2.0, most=9.0))], WANTED)
    assert line.endswith("at most $9.00")


def test_a_better_number_of_questions_a_context_is_named() -> None:
    rates = dollars(2, 10, cache_read=0.1, cache_write=2.5)
    model = ModelProfile(model="toy", caching=Caching(), prices=rates)

    def cell(questions: int | None) -> Cell:
        cell = VariableTracking(90_000, 16, 4, questions=questions)
        return Cell(model, Wording("protocol", "none", {}), cell, seed=0, trials=48)

    [line] = questions_worth([cell(None)], {})
    assert re.match(r"variable_tracking \(all\) on toy: (\d+) questions per context cost least, \$", line)
    best = int(line.split(": ")[1].split()[0])
    assert best == best_questions(model, cell(None).size_tokens, cell(None).reply_tokens, 0.05) > 4
    assert list(questions_worth([cell(best)], {})) == []
    dear = ModelProfile(model="toy", prices=rates)
    assert list(questions_worth([replace(cell(None), model=dear)], {})) == []
