"""Which bands a sum of money can judge, and with how many trials each: the gate that shows most for it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.gate.bands import Band
from longctx.gate.plan import Assumed, Target, effective, passing
from longctx.stats import power
from longctx.stats.search import bisect, least

Size = tuple[int, int]
"""Trials, and the clusters that they come in."""
Chosen = Mapping["Offer", int]
"""Trials of each scenario of a band."""


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """A band that may be asked, `each` trials of each of its scenarios, up to `most`.

    size: what so many of each make. price: USD of them. length: of its longest scenario. order: the place of its family
    in the profile, from 0. further: hypotheses that its family adds to the gate, where any of its bands is asked.
    """

    band: Band
    size: Callable[[int], Size]
    price: Callable[[int], float]
    most: int
    assumed: Assumed
    length: int
    order: int
    further: int


@dataclass(frozen=True, slots=True)
class Allocation:
    """chosen: empty where the budget cannot judge any band. lacking: bands without the questions that it takes, at any
    price. left_out: the other bands that are not asked.

    drop: the smallest that every band shows. price: USD; price_of_drop, price_of_all: what the wanted drop takes in the
    chosen bands, and what it takes to pass in all bands that can. margin_of_all: with which the budget judges all bands
    that can be. price_of_least: what it takes to pass in the cheapest band alone. None: no sum, or no margin, will do.
    """

    chosen: Chosen
    lacking: tuple[Offer, ...]
    left_out: tuple[Offer, ...]
    drop: float | None
    price: float
    price_of_drop: float | None
    price_of_all: float | None
    margin_of_all: float | None
    price_of_least: float | None


def allocate(offers: Sequence[Offer], wanted: Target, budget: float) -> Allocation:
    """The whole gate is to pass with the power that is wanted, if nothing changed.

    Bands are left out until the rest is affordable: first short ones of families with several, those of the last
    families of the profile before others; then whole families, the last first. What is left over goes into trials.
    """
    alone = {offer: _to_pass(offer, [offer], wanted) for offer in offers}
    able = [offer for offer in offers if alone[offer] is not None]
    lacking = tuple(offer for offer in offers if alone[offer] is None)
    least_price = min((offer.price(each) for offer, each in alone.items() if each is not None), default=None)
    kept = list(able)
    while kept and (chosen := _passing(kept, wanted)) is not None and _price(chosen) > budget:
        kept.remove(_least_missed(kept))
    passing = _passing(kept, wanted) if kept else None
    left_out = tuple(offer for offer in able if offer not in (passing or ()))
    whole = _passing(able, wanted) if able else None
    price_of_all = None if whole is None else _price(whole)
    margin = _margin_of_all(able, wanted, budget) if left_out else wanted.margin
    if not passing:
        return Allocation({}, lacking, left_out, None, 0.0, None, price_of_all, margin, least_price)

    def affordable(drop: float) -> bool:
        with_drop = _showing(passing, wanted, drop)
        return with_drop is not None and _price(with_drop) <= budget

    drop = least(affordable, 1.0, 0.001)
    chosen = (_showing(passing, wanted, drop) if drop is not None else None) or passing
    for_drop = _showing(passing, wanted, wanted.drop)
    return Allocation(
        chosen=chosen,
        lacking=lacking,
        left_out=left_out,
        drop=drop,
        price=_price(chosen),
        price_of_drop=None if for_drop is None else _price(for_drop),
        price_of_all=price_of_all,
        margin_of_all=margin,
        price_of_least=least_price,
    )


def hypotheses(offers: Sequence[Offer]) -> int:
    """Bands, and what their families add."""
    return len(offers) + sum({(offer.band.family, offer.band.subject): offer.further for offer in offers}.values())


def _passing(offers: Sequence[Offer], wanted: Target) -> Chosen | None:
    """The fewest trials with which all bands pass together, if nothing changed; None where there are not so many."""
    each = {offer: _to_pass(offer, offers, wanted) for offer in offers}
    return _whole(each)


def _to_pass(one: Offer, offers: Sequence[Offer], wanted: Target) -> int | None:
    chance = wanted.power ** (1 / len(offers))
    return _fewest(one, lambda size: _pass_chance(size, one.assumed, wanted.margin, wanted.alpha) >= chance)


def _showing(chosen: Chosen, wanted: Target, drop: float) -> Chosen | None:
    """With at least as many trials as chosen, those that show a drop in each band; None where there are not so many."""
    alpha = wanted.alpha / hypotheses([*chosen])
    each: dict[Offer, int | None] = {}
    for offer, fewest in chosen.items():
        trials = _trials_for_drop(drop, offer.assumed.discordance, alpha, wanted.power)
        enough = None if trials is None else _fewest(offer, functools.partial(_tells, offer.assumed, trials))
        each[offer] = None if enough is None else max(fewest, enough)
    return _whole(each)


def _tells(assumed: Assumed, trials: int, size: Size) -> bool:
    """Whether a band of this size tells as much as so many trials that stand alone."""
    return effective(*size, assumed) >= trials


def _whole(each: Mapping[Offer, int | None]) -> Chosen | None:
    known = {offer: trials for offer, trials in each.items() if trials is not None}
    return known if len(known) == len(each) else None


def _fewest(one: Offer, holds: Callable[[Size], bool]) -> int | None:
    """Trials of each scenario; None where the most of them do not suffice."""
    high = 1
    while not holds(one.size(high)):
        if high >= one.most:
            return None
        high = min(2 * high, one.most)
    return bisect(lambda each: holds(one.size(each)), high // 2, high)


def _price(chosen: Chosen) -> float:
    return sum(offer.price(each) for offer, each in chosen.items())


def _least_missed(kept: Sequence[Offer]) -> Offer:
    """The one to leave out first."""
    families = [(offer.band.family, offer.band.subject) for offer in kept]
    short = [offer for offer, family in zip(kept, families, strict=True) if families.count(family) > 1]
    return min(short or kept, key=lambda one: (-one.order, one.length))


def _margin_of_all(offers: Sequence[Offer], wanted: Target, budget: float) -> float | None:
    """The smallest whole percentage with which all are affordable."""

    def affordable(percent: int) -> bool:
        chosen = _passing(offers, replace(wanted, margin=percent / 100))
        return chosen is not None and _price(chosen) <= budget

    return bisect(affordable, 0, 99) / 100 if offers and affordable(99) else None


@functools.lru_cache(maxsize=4096)
def _pass_chance(size: Size, assumed: Assumed, margin: float, alpha: float) -> float:
    return passing(*size, assumed, Target(margin, alpha))


@functools.lru_cache(maxsize=4096)
def _trials_for_drop(drop: float, discordance: float, alpha: float, wanted: float) -> int | None:
    return power.trials_for_drop(drop, discordance, alpha, wanted)
