"""The verdict on a run whose evidence was looked at in steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from longctx.gate.evidence import Unit, in_looks
from longctx.gate.verdict import Rules, give_verdict
from longctx.protocols.passkey import PasskeyAxes
from longctx.results.row import EARLY_STOP
from longctx.vocabulary.looks import RunLooks
from tests.gate.in_looks import BEFORE, LOOKS, PLACE, RULES, TERMS, after, judged, right, rows, wrong
from tests.rows import row


def test_looks_are_equal_parts_of_each_cell_and_depend_on_the_seed() -> None:
    units = [Unit(cell, 0, str(n)) for cell in ("a", "b") for n in range(50)]
    looks = in_looks(units, "equal", *TERMS).of
    assert Counter((unit.cell, look) for unit, look in looks.items()) == {
        (cell, look): 10 for cell in ("a", "b") for look in range(1, 6)
    }
    assert in_looks(reversed(units), "equal", *TERMS).of == looks
    other = in_looks([replace(unit, seed=1) for unit in units], "equal", *TERMS).of
    assert {unit.name for unit, look in other.items() if look == 1} != {
        unit.name for unit, look in looks.items() if look == 1
    }


def test_a_cluster_is_in_one_look_and_few_are_looked_at_once() -> None:
    of_cluster = {Unit.of_row(row("correct", trial=trial, cluster="c", **PLACE)) for trial in range(9)}
    assert len(of_cluster) == 1
    assert set(in_looks((Unit("s", 0, str(n)) for n in range(39)), "equal", *TERMS).of.values()) == {1}


def test_looks_may_be_unequal_and_have_their_share_of_each_cell() -> None:
    units = [Unit(cell, 0, str(n)) for cell in ("a", "b") for n in range(250)]
    in_five = in_looks(units, "early", *TERMS)
    assert in_five.looks.number == 5
    of_first = Counter(unit.cell for unit, look in in_five.of.items() if look == 1)
    assert (of_first["a"], of_first["b"]) == (50, 50)


def test_trials_of_clusters_count_each() -> None:
    """Fifty documents of four questions are looked at before the end, fifty cases are not."""
    documents = [Unit("", 0, str(n)) for n in range(50) for _ in range(4)]
    assert in_looks(documents, "few", *TERMS).looks.number == 2
    assert in_looks(documents[::4], "few", *TERMS).looks.number == 1


def test_an_unchanged_band_passes_at_the_first_look_that_shows_it() -> None:
    given, band = judged(after(right, looks=2))
    assert (given.verdict, given.not_asked, given.shown_after) == (
        "pass",
        240,
        "pass after 160 of 400 trials, 240 not sent",
    )
    assert (band.n, band.look, band.looks, band.settled) == (160, 2, 5, True)
    [test] = given.tests
    assert (test.asked, test.missing, test.alone, test.reasons) == (160, 0, (0, 0), ())


def test_a_complete_recording_has_the_verdict_of_the_run_that_stopped() -> None:
    stopped, complete = judged(after(right, looks=2))[1], judged(after(right))[1]
    assert stopped == complete
    falls_later = wrong(40, at=5)
    assert judged(after(falls_later))[1] == stopped
    assert judged(after(falls_later), Rules())[1].verdict == "regression"


def test_a_large_drop_settles_and_a_small_one_does_not_yet() -> None:
    given, band = judged(after(wrong(20), looks=1))
    assert (given.verdict, band.look, band.settled) == ("regression", 1, True)
    given, band = judged(after(wrong(3), looks=4), Rules(looks=RunLooks.all("equal"), margin=0.06))
    assert (given.verdict, band.look, band.settled) == ("regression", 4, False)


def test_what_is_not_settled_is_judged_at_its_last_look() -> None:
    _, band = judged(after(wrong(3)))
    assert (band.n, band.look, band.settled) == (400, 5, True)
    assert judged(after(wrong(1), looks=1))[1].verdict == "inconclusive"


def test_a_look_is_not_taken_before_it_is_complete() -> None:
    asked = after(right, looks=3)
    cut = next(place for place, each in enumerate(asked) if LOOKS[Unit.of_row(each)] == 2)
    asked[cut] = row("not_asked", trial=asked[cut].trial, error=EARLY_STOP, **PLACE)
    given, band = judged(asked)
    assert (given.verdict, band.look, band.n, band.settled) == ("inconclusive", 1, 80, False)
    _, band = judged(after(right, looks=0))
    assert (band.look, band.n, band.verdict, band.settled) == (0, 0, "inconclusive", False)


def test_what_could_not_be_asked_settles_nothing() -> None:
    given, band = judged(after(lambda look, place: "infra_error" if place < 10 else "correct", looks=3))
    assert (given.verdict, band.settled) == ("invalid", False)


def test_replayed_answers_of_the_baseline_itself_settle_nothing() -> None:
    before = [replace(each, answers="a", recorded_at="2026-01-01") for each in BEFORE]
    same = [replace(each, answers="a", recorded_at="2026-01-01") for each in after(right, looks=2)]
    assert not give_verdict(before, same, RULES).bands[0].settled
    complete = [replace(each, answers="a", recorded_at="2026-01-01") for each in after(right)]
    assert give_verdict(before, complete, RULES).bands[0].same_answers


def test_bands_elsewhere_count_in_the_correction() -> None:
    few = after(wrong(9), looks=1)
    assert judged(few)[1].shown
    assert not judged(few, replace(RULES, bands_elsewhere=20))[1].shown


def test_a_band_stops_alone() -> None:
    short, long = ({**PLACE, "band": band, "cell": band} for band in ("short", "long"))
    before = [*rows(*["correct"] * 400, **short), *rows(*["correct"] * 400, **long)]
    steady = in_looks((Unit.of_row(each) for each in before[:400]), "equal", *TERMS).of
    asked = [
        replace(each, outcome="not_asked", error=EARLY_STOP)
        if each.band == "short" and steady[Unit.of_row(each)] > 2
        else replace(each, outcome="wrong" if each.band == "long" and each.trial % 30 == 0 else "correct")
        for each in before
    ]
    bands = {band.band.name: band for band in give_verdict(before, asked, RULES).bands}
    assert (bands["short"].verdict, bands["short"].look, bands["short"].settled) == ("pass", 2, True)
    assert bands["long"].look > 2


def test_a_test_with_a_stated_minimum_does_not_pass_before_its_end() -> None:
    passkeys: dict[str, Any] = {"test": "passkey", "params": {"window": 1000, "k": 100}}
    before = rows(*["correct"] * 400, **passkeys)
    grids = {("passkey", "some-model"): [PasskeyAxes(windows=(1000,), trials=1, min_k_max=1000)]}
    stated = replace(RULES, grids=grids)
    given = give_verdict(before, after(right, looks=2, **passkeys), stated)
    assert (given.verdict, given.tests[0].missed) == ("inconclusive", ())
    assert give_verdict(before, after(right, looks=2, **passkeys), RULES).verdict == "pass"
