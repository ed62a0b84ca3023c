"""The load of each band of a gate: its trials, tokens and price."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from longctx.cells.cell import Cell
from longctx.engine.run_plan import Plan
from longctx.errors import UserError
from longctx.gate.bands import Band
from longctx.gate.power import Load
from longctx.live.cost.prefixes import ContextPrice
from longctx.results.grouping import grouped
from longctx.results.row import Row, Subject
from longctx.vocabulary.point import is_check, name_of_test
from longctx.vocabulary.shapes import STRATEGY

SubjectBand = tuple[Subject, Band]


@dataclass(slots=True)
class _Sum:
    """The sum of a band's load."""

    prices: list[float] | None = field(default_factory=lambda: [0.0] * 5)
    """USD directly and in batches, with replies as expected, directly with replies of full length, and of the first two
    what is for thinking that is assumed; None if prices are not known."""
    in_contexts: bool = False
    trials: int = 0
    clusters: set[object] = field(default_factory=set)
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, cell: Cell) -> None:
        clusters = cell.clusters()
        self.trials += len(clusters)
        self.clusters |= set(clusters)
        self.input_tokens += cell.size_tokens * len(clusters)
        self.output_tokens += cell.reply_tokens * len(clusters)
        self.in_contexts |= cell.point.questions_per_context > 1
        reply = cell.tokens.expected
        assumed = 0 if cell.replies else cell.model.thinking_tokens
        expected, most, said = (
            _price_of(cell, tokens, clusters) for tokens in (reply, cell.reply_tokens, reply - assumed)
        )
        if self.prices is None or expected is None or most is None or said is None:
            self.prices = None
            return
        thinking = expected.direct - said.direct, expected.in_batches - said.in_batches
        each = expected.direct, expected.in_batches, most.direct, *thinking
        self.prices = [total + price for total, price in zip(self.prices, each, strict=True)]

    @property
    def load(self) -> Load:
        tokens = self.trials, len(self.clusters), self.input_tokens, self.output_tokens
        price, batch_price, most, *thinking = self.prices or (None, None, None, 0.0, 0.0)
        return Load(*tokens, price, batch_price, most, self.in_contexts, (thinking[0], thinking[1]))


def _price_of(cell: Cell, reply: float, clusters: Sequence[object]) -> ContextPrice | None:
    """Return the price of a cell's trials. reply: the tokens of a reply. clusters: the cluster of each trial."""
    together = Counter(clusters) if cell.point.questions_per_context > 1 else dict.fromkeys(range(len(clusters)), 1)
    prices = {number: ContextPrice.of(cell.model, cell.size_tokens, reply, number) for number in set(together.values())}
    known = [price for number in together.values() if (price := prices[number])]
    if len(known) < len(together):
        return None
    return ContextPrice(sum(price.direct for price in known), sum(price.in_batches for price in known))


def planned(
    plan: Plan, of_functions: Mapping[SubjectBand, Load] | None = None, cells: Sequence[Cell] | None = None
) -> dict[SubjectBand, Load]:
    """Return the load of each band that has trials. Raises UserError if none has any.

    of_functions: the loads of test functions, which need no profile. cells: those of the plan, with what is known of
    their replies.
    """
    loads = {**loads_of(plan.cells if cells is None else cells), **(of_functions or {})}
    if not loads:
        raise UserError(
            "nothing-to-plan",
            f"The profile {plan.profile_name!r} has no trials that a gate judges: choose another profile.",
        )
    return loads


def loads_of(cells: Iterable[Cell]) -> dict[SubjectBand, Load]:
    """Return the load of each band that has trials."""
    sums: dict[SubjectBand, _Sum] = {}
    for cell in cells:
        if cell.gated:
            sums.setdefault(band_of(cell), _Sum()).add(cell)
    return {where: band_sum.load for where, band_sum in sums.items() if band_sum.trials}


def loads_of_functions(plan: Plan, rows: Sequence[Row], models: Sequence[str]) -> dict[SubjectBand, Load]:
    """Return the load of each band of the tests of which the plan has no cells, as the rows of a run measured them.

    models: asked instead of the run's; empty to keep these. Checks cost nothing: they judge the same answers.
    """
    gated = [row for row in rows if name_of_test(row.test) not in plan.tests and row.band is not None]
    loads: dict[SubjectBand, Load] = {}
    for (measured, test, band), members in grouped(gated, _subject_and_band).items():
        used = [(row.input_tokens or 0, row.output_tokens or 0) for row in members]
        clusters = len({row.cluster_key for row in members})
        known = is_check(test) or any(tokens for tokens, _ in used)
        free = is_check(test)
        for model in map(plan.model, models or [measured.model]):
            prices = [
                ContextPrice.of(model, fmean(size for size, _ in sizes), fmean(reply for _, reply in sizes), len(sizes))
                for sizes in _by_context(members)
                if known and not free
            ]
            paid = [price for price in prices if price is not None]
            direct, in_batches = sum(price.direct for price in paid), sum(price.in_batches for price in paid)
            unknown = not known or len(paid) < len(prices)
            inputs, outputs = (sum(column) for column in zip(*used, strict=True))
            where = dataclasses.replace(measured, model=model.model), Band(test, band)
            tokens = len(members), clusters, inputs, outputs
            loads[where] = Load(
                *tokens,
                None if unknown else direct,
                None if unknown else in_batches,
                in_contexts=clusters < len(members),
            )
    return loads


def _by_context(rows: Sequence[Row]) -> list[list[tuple[int, int]]]:
    """Return the tokens of the prompts and the replies about each context."""
    contexts = grouped(rows, lambda row: (row.cell, row.seed, row.cluster_key)).values()
    return [[(row.input_tokens or 0, row.output_tokens or 0) for row in context] for context in contexts]


def _subject_and_band(row: Row) -> tuple[Subject, str, str]:
    subject = row.subject
    treated = tuple(pair for pair in subject.labels if pair[0] == STRATEGY)
    return dataclasses.replace(subject, labels=treated, server=""), row.test, str(row.band)


def band_of(cell: Cell) -> SubjectBand:
    """Return the band of a gated cell, and what it is judged with."""
    return Subject.of(cell.model.model, cell.wording.prompt_set, cell.labels, cell.shape), Band(
        cell.point.test, cell.band
    )
