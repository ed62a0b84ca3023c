"""Sentences on which bands of a gate a budget pays for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.errors import UserError
from longctx.gate.budget import Allocation, Offer
from longctx.gate.plan import Target
from longctx.live.cost.money import usd, usd_exactly


def bought(allocation: Allocation, target: Target, budget: float) -> Iterator[str]:
    """Yield sentences on the bands that are chosen, those that are left out, and what these would cost.

    budget: in USD.
    """
    spent = f"{usd(allocation.price)} of {usd_exactly(budget)}"
    if allocation.drop is None:
        yield f"{spent}: enough for an unchanged model to pass, but not to show a drop."
    else:
        yield (
            f"{spent}: a drop of {allocation.drop:.3f} in any one band is shown with a probability of "
            f"{target.power:.0%}, and an unchanged model passes all of them with at least that probability."
        )
    if allocation.drop is None or allocation.drop > target.drop:
        price = allocation.price_of_drop
        costs = "is not possible at any price" if price is None else f"costs {usd(price)}"
        passes = f", but the gate passes it at a margin of {target.margin:g}" if target.drop < target.margin else ""
        yield f"To show a drop of {target.drop:g} in each of these bands {costs}{passes}."
    if allocation.left_out:
        margin = "" if allocation.margin_of_all is None else f", or a margin of {allocation.margin_of_all:g}"
        price = allocation.price_of_all
        costs = "" if price is None else f": with all of them it takes {usd(price)}{margin}"
        yield f"Left out: {_named(allocation.left_out)}{costs}."
    if allocation.lacking:
        bands = _named(allocation.lacking)
        yield f"Not possible at any price, because they have too few questions or sections: {bands}."


def nothing_bought(allocation: Allocation, target: Target, budget: float, profile: str) -> UserError:
    """Return the error for a budget, in USD, that pays for no band. profile: its name."""
    if allocation.price_of_least is None:
        return UserError(
            "bands-too-small",
            f"No budget is enough to judge a band of the profile {profile} at a margin of {target.margin:g}: all have "
            "too few questions or sections. Give a wider --margin, or a larger bank.",
        )
    return UserError(
        "budget-too-small",
        f"A budget of {usd_exactly(budget)} is too small to judge any band of the profile {profile} at a margin of "
        f"{target.margin:g}: the cheapest costs {usd(allocation.price_of_least)}. Give a wider --margin, a lower "
        "--power, or a larger budget.",
    )


def _named(offers: Sequence[Offer]) -> str:
    """Return the bands by family: `passkey (short, long)`."""
    names: dict[str, list[str]] = {}
    for offer in offers:
        names.setdefault(offer.band.family, []).append(offer.band.name)
    return ", ".join(f"{family} ({', '.join(bands)})" for family, bands in names.items())
