"""What a run is about to ask: trials, tokens and price, a line for each family and model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from longctx.ask.case import Case
from longctx.ask.money import estimated_cost


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of one family for one model. price: USD without any discount, None where prices are not known."""

    model: str
    family: str
    trials: int
    to_ask: int
    input_tokens: int
    output_tokens: int
    price: float | None

    def __str__(self) -> str:
        price = "price not known" if self.price is None else f"about ${self.price:,.2f}"
        return (
            f"{self.family} on {self.model}: {self.to_ask:,} of {self.trials:,} trials to ask, about "
            f"{self.input_tokens:,} input and at most {self.output_tokens:,} output tokens, {price}."
        )


def estimate(cases: Iterable[tuple[Case, int]]) -> list[Estimate]:
    """From each case and how many of its trials would be asked."""
    groups: dict[tuple[str, str], list[tuple[Case, int]]] = {}
    for case, to_ask in cases:
        groups.setdefault((case.model.model, case.scenario.family), []).append((case, to_ask))
    return [_group(model, family, group) for (model, family), group in groups.items()]


def _group(model: str, family: str, cases: list[tuple[Case, int]]) -> Estimate:
    sent = sum(case.size_tokens * to_ask for case, to_ask in cases)
    answered = sum(case.reply_tokens * to_ask for case, to_ask in cases)
    return Estimate(
        model=model,
        family=family,
        trials=sum(case.size for case, _ in cases),
        to_ask=sum(to_ask for _, to_ask in cases),
        input_tokens=sent,
        output_tokens=answered,
        price=estimated_cost(cases[0][0].model, sent, answered),
    )
