"""The gate that shows most for a sum of money: which bands it judges, and with how many trials each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.gate.bands import Band
from longctx.gate.plan import Assumed, Target, effective, passing, share_asked
from longctx.stats import power
from longctx.stats.search import bisect, fewest, least

TrialsAndClusters = tuple[int, int]
"""The number of trials, and of the clusters that they form."""
Chosen = Mapping["Offer", int]
"""The chosen bands, with the trials of each of their scenarios."""


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """A band that may be chosen.

    size, price: the size of the band, and its price in USD, for a number of trials of each of its scenarios. most: the
    most trials that a scenario can have. length: the length of its longest scenario. order: the place of its family in
    the profile, from 0.
    """

    band: Band
    size: Callable[[int], TrialsAndClusters]
    price: Callable[[int], float]
    most: int
    assumed: Assumed
    length: int
    order: int


@dataclass(frozen=True, slots=True)
class Allocation:
    """What a budget buys. Prices are in USD; None means that no sum, or no margin, suffices.

    chosen: empty if the budget cannot judge any band. lacking: bands that do not have enough questions at any price.
    left_out: the other bands that are not chosen. drop: the smallest drop that every chosen band shows. price: of the
    chosen trials. price_of_drop: of showing the target's drop in the chosen bands. price_of_all: of passing in all
    bands that have enough questions. margin_of_all: the margin with which the budget judges all of these.
    price_of_least: of passing in the cheapest band alone.
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


def allocate(offers: Sequence[Offer], target: Target, budget: float) -> Allocation:
    """Choose bands and trials so that the whole gate passes with the target's power if nothing changed.

    Bands are left out until the rest is affordable: first the short bands of families with several, beginning with the
    last families of the profile; then whole families, the last first. What remains of the budget buys more trials.
    """
    alone = {offer: _to_pass(offer, [offer], target) for offer in offers}
    able = [offer for offer in offers if alone[offer] is not None]
    lacking = tuple(offer for offer in offers if alone[offer] is None)
    least_price = min(
        (_price({offer: each}, target) for offer, each in alone.items() if each is not None), default=None
    )
    remaining = list(able)
    while remaining and (chosen := _passing(remaining, target)) is not None and _price(chosen, target) > budget:
        remaining.remove(_first_to_leave_out(remaining))
    passing = _passing(remaining, target) if remaining else None
    left_out = tuple(offer for offer in able if offer not in (passing or ()))
    whole = _passing(able, target) if able else None
    price_of_all = None if whole is None else _price(whole, target)
    margin = _margin_of_all(able, target, budget) if left_out else target.margin
    if not passing:
        return Allocation({}, lacking, left_out, None, 0.0, None, price_of_all, margin, least_price)

    def affordable(drop: float) -> bool:
        with_drop = _showing(passing, target, drop)
        return with_drop is not None and _price(with_drop, target) <= budget

    drop = least(affordable, 1.0, 0.001)
    chosen = (_showing(passing, target, drop) if drop is not None else None) or passing
    for_drop = _showing(passing, target, target.drop)
    return Allocation(
        chosen=chosen,
        lacking=lacking,
        left_out=left_out,
        drop=drop,
        price=_price(chosen, target),
        price_of_drop=None if for_drop is None else _price(for_drop, target),
        price_of_all=price_of_all,
        margin_of_all=margin,
        price_of_least=least_price,
    )


def _passing(offers: Sequence[Offer], target: Target) -> Chosen | None:
    """Return the fewest trials with which all bands pass together if nothing changed; None if a band lacks them."""
    each = {offer: _to_pass(offer, offers, target) for offer in offers}
    return _complete(each)


def _to_pass(offer: Offer, offers: Sequence[Offer], target: Target) -> int | None:
    """Return the trials of each scenario with which a band passes often enough for all of `offers` to pass together."""
    chance = target.power ** (1 / len(offers))
    return _fewest(offer, lambda size: _pass_chance(size, offer.assumed, target.margin, target.alpha) >= chance)


def _showing(chosen: Chosen, target: Target, drop: float) -> Chosen | None:
    """Return the trials, at least those chosen, that show a drop in each band; None if a band lacks them."""
    alpha = replace(target, bands=len(chosen)).first_step
    each: dict[Offer, int | None] = {}
    for offer, least_trials in chosen.items():
        trials = _trials_for_drop(drop, offer.assumed.discordance, alpha, target.power)
        enough = None if trials is None else _fewest(offer, functools.partial(_suffices, offer.assumed, trials))
        each[offer] = None if enough is None else max(least_trials, enough)
    return _complete(each)


def _suffices(assumed: Assumed, trials: int, size: TrialsAndClusters) -> bool:
    """Return whether a band of this size is worth at least this number of independent trials."""
    return effective(*size, assumed) >= trials


def _complete(each: Mapping[Offer, int | None]) -> Chosen | None:
    """Return the trials of each band; None if any band has none."""
    known = {offer: trials for offer, trials in each.items() if trials is not None}
    return known if len(known) == len(each) else None


def _fewest(offer: Offer, holds: Callable[[TrialsAndClusters], bool]) -> int | None:
    """Return the fewest trials of each scenario for which `holds`; None if even the most do not suffice."""
    return fewest(lambda each: holds(offer.size(each)), offer.most)


def _price(chosen: Chosen, target: Target) -> float:
    """Return the price of a run in looks if nothing has changed."""
    return sum(offer.price(each) * _share(offer.size(each), offer.assumed, target) for offer, each in chosen.items())


def _share(size: TrialsAndClusters, assumed: Assumed, target: Target) -> float:
    """Return the share of the trials that is asked in looks. It is nearly the same for similar numbers of trials."""
    trials, clusters = size
    step = 10 ** max(len(str(clusters)) - 2, 0)
    rounded = max(clusters // step * step, 1)
    return share_asked(max(rounded * trials // clusters, rounded), rounded, assumed, target)


def _first_to_leave_out(offers: Sequence[Offer]) -> Offer:
    families = [(offer.band.family, offer.band.subject) for offer in offers]
    short = [offer for offer, family in zip(offers, families, strict=True) if families.count(family) > 1]
    return min(short or offers, key=lambda offer: (-offer.order, offer.length))


def _margin_of_all(offers: Sequence[Offer], target: Target, budget: float) -> float | None:
    """Return the smallest margin, a whole percentage, with which all bands are affordable; None if there is none."""

    def affordable(percent: int) -> bool:
        chosen = _passing(offers, replace(target, margin=percent / 100))
        return chosen is not None and _price(chosen, target) <= budget

    return bisect(affordable, 0, 99) / 100 if offers and affordable(99) else None


@functools.lru_cache(maxsize=4096)
def _pass_chance(size: TrialsAndClusters, assumed: Assumed, margin: float, alpha: float) -> float:
    return passing(*size, assumed, Target(margin, alpha))


@functools.lru_cache(maxsize=4096)
def _trials_for_drop(drop: float, discordance: float, alpha: float, wanted_power: float) -> int | None:
    return power.trials_for_drop(drop, discordance, alpha, wanted_power)
