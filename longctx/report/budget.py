"""What a budget buys of a gate, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.errors import UserError
from longctx.gate.budget import Allocation, Offer
from longctx.gate.plan import Target


def bought(found: Allocation, wanted: Target, budget: float) -> Iterator[str]:
    """What is chosen for the money, what is not, and what that would take."""
    spent = f"${found.price:,.2f} of ${budget:,.2f}"
    if found.drop is None:
        yield f"{spent}: enough to pass where nothing has changed, and for no drop to be shown."
    else:
        yield (
            f"{spent}: a drop of {found.drop:.3f} in any one band is shown with a probability of {wanted.power:.0%},"
            " and an unchanged model passes the whole with at least as much."
        )
    if found.drop is None or found.drop > wanted.drop:
        takes = "no sum" if found.price_of_drop is None else f"${found.price_of_drop:,.2f}"
        passes = f", but the gate passes it at a margin of {wanted.margin:g}" if wanted.drop < wanted.margin else ""
        yield f"To show a drop of {wanted.drop:g} in each of these bands takes {takes}{passes}."
    if found.left_out:
        margin = "" if found.margin_of_all is None else f", or a margin of {found.margin_of_all:g}"
        takes = "" if found.price_of_all is None else f": with all of them it takes ${found.price_of_all:,.2f}{margin}"
        yield f"Left out: {_named(found.left_out)}{takes}."
    if found.lacking:
        yield f"Not for any sum, for they have too few questions, or sections: {_named(found.lacking)}."


def nothing_bought(found: Allocation, wanted: Target, budget: float, profile: str) -> UserError:
    if found.price_of_least is None:
        return UserError(
            "bands-too-small",
            f"No budget judges a band of the profile {profile} at a margin of {wanted.margin:g}: they have too few "
            "questions, or sections. Give a wider --margin, or a larger bank.",
        )
    return UserError(
        "budget-too-small",
        f"A budget of ${budget:,.2f} judges no band of the profile {profile} at a margin of {wanted.margin:g}: the "
        f"cheapest takes ${found.price_of_least:,.2f}. Give a wider --margin, a lower --power, or more.",
    )


def _named(some: Sequence[Offer]) -> str:
    names: dict[str, list[str]] = {}
    for one in some:
        names.setdefault(one.band.family, []).append(one.band.name)
    return ", ".join(f"{family} ({', '.join(bands)})" for family, bands in names.items())
