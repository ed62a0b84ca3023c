"""Which bands a sum of money can judge, and with how many trials."""

from __future__ import annotations

import pytest

from longctx.gate.bands import Band
from longctx.gate.budget import Offer, TrialsAndClusters, allocate
from longctx.gate.plan import Assumed, Target, outlook

WANTED = Target(margin=0.1, power=0.9, drop=0.1, minimums=1)
GUESS = Assumed()


def offer(name: str, price: float, order: int = 0, length: int = 1, most: int = 5000) -> Offer:
    """Return a band of one scenario whose trials stand alone. name: family and band."""
    family, _, band = name.partition(" ")
    return Offer(
        band=Band(family, band or "all"),
        size=lambda each: (each, each),
        price=lambda each: price * each,
        most=most,
        assumed=GUESS,
        length=length,
        order=order,
    )


LONG, SHORT = offer("lines long", 0.02, length=100), offer("lines short", 0.01, length=10)
KEYS = offer("keys", 0.02, order=1)


def names(offers: object) -> list[str]:
    return [f"{offer.band}" for offer in offers]  # type: ignore[attr-defined]


@pytest.mark.parametrize("budget", [8.0, 20.0, 50.0])
def test_what_is_chosen_passes_and_shows_what_is_said_and_a_little_more_would_not_be_affordable(budget: float) -> None:
    plan = allocate([LONG, SHORT, KEYS], WANTED, budget)
    assert not plan.left_out
    assert plan.price <= budget
    assert plan.drop is not None
    wanted = Target(0.1, 0.05, 0.9, 0.1, bands=3, minimums=1)
    assert wanted.hypotheses == 4, "a stated minimum beside three bands"
    together = 1.0
    for part, each in plan.chosen.items():
        shown = outlook(*part.size(each), GUESS, wanted)
        together *= shown.passing
        assert shown.smallest_paired is not None
        assert shown.smallest_paired <= plan.drop + 0.002
    assert together >= 0.9


def test_more_money_shows_less_of_a_drop() -> None:
    drops = [allocate([LONG, SHORT, KEYS], WANTED, budget).drop or 1 for budget in (8, 16, 32)]
    assert drops == sorted(drops, reverse=True)


def test_short_bands_are_left_out_first_then_the_last_families() -> None:
    everything = [LONG, SHORT, KEYS]
    whole = allocate(everything, WANTED, 100).price_of_all
    assert whole is not None
    left = [names(allocate(everything, WANTED, budget).left_out) for budget in (whole, whole - 0.1, 3.0, 2.0)]
    assert left == [[], ["lines, short"], ["lines, short", "keys, all"], ["lines, short", "keys, all"]]


def test_it_is_said_what_would_take_all_bands() -> None:
    plan = allocate([LONG, SHORT, KEYS], WANTED, 3.0)
    assert plan.price_of_all is not None
    assert plan.margin_of_all is not None
    assert not allocate([LONG, SHORT, KEYS], WANTED, plan.price_of_all).left_out
    wider = Target(margin=plan.margin_of_all, power=0.9, drop=0.1)
    assert not allocate([LONG, SHORT, KEYS], wider, 3.0).left_out


def test_a_budget_that_judges_nothing_says_what_the_cheapest_takes() -> None:
    plan = allocate([LONG, SHORT, KEYS], WANTED, 0.5)
    assert not plan.chosen
    assert plan.price_of_least == pytest.approx(allocate([SHORT], WANTED, 100).price_of_all)


def test_sections_that_are_too_few_are_bought_by_no_budget() -> None:
    def asked_often(each: int) -> TrialsAndClusters:
        return 24 * each, min(each, 40)

    often = Offer(Band("collage", "all"), asked_often, lambda each: each * 0.001, 5000, GUESS, 1, 0)
    few = offer("control", 0.001, order=1, most=30)
    plan = allocate([LONG, often, few], WANTED, 100)
    assert names(plan.lacking) == ["collage, all", "control, all"]
    assert names(plan.chosen) == ["lines, long"]
    assert allocate([few], WANTED, 100).price_of_least is None
