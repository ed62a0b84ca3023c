"""What a gate with a plan would ask of each band, without asking and without the network."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from longctx.cases.case import Case
from longctx.engine.plan import Plan
from longctx.errors import UserError
from longctx.gate.bands import Band
from longctx.gate.plan import Load
from longctx.live.cost.contexts import ContextPrice
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.views.reporting import Reports, reporting_of_test
from longctx.vocabulary.family import is_check, name_of_test
from longctx.vocabulary.report import Report
from longctx.vocabulary.shapes import STRATEGY

SubjectBand = tuple[Subject, Band]


@dataclass(slots=True)
class _Sum:
    """The sum of a band's load."""

    prices: list[float] | None = field(default_factory=lambda: [0.0] * 3)
    """USD directly and in batches, with replies as expected, and directly with replies of full length; None if prices
    are not known."""
    in_contexts: bool = False
    trials: int = 0
    clusters: set[object] = field(default_factory=set)
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, case: Case) -> None:
        clusters = case.clusters()
        self.trials += len(clusters)
        self.clusters |= set(clusters)
        self.input_tokens += case.size_tokens * len(clusters)
        self.output_tokens += case.reply_tokens * len(clusters)
        self.in_contexts |= case.scenario.questions_per_context > 1
        expected, most = (_price_of(case, reply, clusters) for reply in (case.expected_reply_tokens, case.reply_tokens))
        if self.prices is None or expected is None or most is None:
            self.prices = None
            return
        each = expected.direct, expected.in_batches, most.direct
        self.prices = [total + price for total, price in zip(self.prices, each, strict=True)]

    @property
    def load(self) -> Load:
        tokens = self.trials, len(self.clusters), self.input_tokens, self.output_tokens
        price, batch_price, most = self.prices or (None, None, None)
        return Load(*tokens, price, batch_price, most, self.in_contexts)


def _price_of(case: Case, reply: float, clusters: Sequence[object]) -> ContextPrice | None:
    """Return the price of a case's trials. reply: the tokens of a reply. clusters: the cluster of each trial."""
    together = Counter(clusters) if case.scenario.questions_per_context > 1 else dict.fromkeys(range(len(clusters)), 1)
    prices = {number: ContextPrice.of(case.model, case.size_tokens, reply, number) for number in set(together.values())}
    known = [price for number in together.values() if (price := prices[number])]
    if len(known) < len(together):
        return None
    return ContextPrice(sum(price.direct for price in known), sum(price.in_batches for price in known))


def planned(
    plan: Plan, of_functions: Mapping[SubjectBand, Load] | None = None, cases: Sequence[Case] | None = None
) -> dict[SubjectBand, Load]:
    """Return the load of each band that has trials. Raises UserError if none has any.

    of_functions: the loads of test functions, which need no profile. cases: those of the plan, with what is known of
    their replies.
    """
    loads = {**loads_of(plan.cases if cases is None else cases), **(of_functions or {})}
    if not loads:
        raise UserError(
            "nothing-to-plan",
            f"The profile {plan.profile_name!r} has no trials that a gate judges, so there is nothing to plan: "
            "give another.",
        )
    return loads


def loads_of(cases: Iterable[Case]) -> dict[SubjectBand, Load]:
    """Return the load of each band that has trials."""
    sums: dict[SubjectBand, _Sum] = {}
    for case in cases:
        if case.gated:
            sums.setdefault(band_of(case), _Sum()).add(case)
    return {where: band_sum.load for where, band_sum in sums.items() if band_sum.trials}


def loads_of_functions(plan: Plan, rows: Sequence[Row], models: Sequence[str]) -> dict[SubjectBand, Load]:
    """Return the load of each band of the tests of which the plan has no cases, as the rows of a run measured them.

    models: asked in place of the run's; empty to keep these. Checks cost nothing: they judge the same answers.
    """
    gated = [row for row in rows if name_of_test(row.family) not in plan.families and row.band is not None]
    loads: dict[SubjectBand, Load] = {}
    for (measured, family, band), of_band in grouped(gated, _subject_and_band).items():
        used = [(row.input_tokens or 0, row.output_tokens or 0) for row in of_band]
        clusters = len({row.cluster_key for row in of_band})
        known = is_check(family) or any(tokens for tokens, _ in used)
        free = is_check(family)
        for model in map(plan.model, models or [measured.model]):
            prices = [
                ContextPrice.of(model, fmean(size for size, _ in sizes), fmean(reply for _, reply in sizes), len(sizes))
                for sizes in _by_context(of_band)
                if known and not free
            ]
            paid = [price for price in prices if price is not None]
            direct, in_batches = sum(price.direct for price in paid), sum(price.in_batches for price in paid)
            unknown = not known or len(paid) < len(prices)
            inputs, outputs = (sum(column) for column in zip(*used, strict=True))
            where = dataclasses.replace(measured, model=model.model), Band(family, band)
            tokens = len(of_band), clusters, inputs, outputs
            loads[where] = Load(
                *tokens,
                None if unknown else direct,
                None if unknown else in_batches,
                in_contexts=clusters < len(of_band),
            )
    return loads


def _by_context(rows: Sequence[Row]) -> list[list[tuple[int, int]]]:
    """Return the tokens of the prompts and the replies about each context."""
    contexts = grouped(rows, lambda row: (row.scenario, row.seed, row.cluster_key)).values()
    return [[(row.input_tokens or 0, row.output_tokens or 0) for row in context] for context in contexts]


def _subject_and_band(row: Row) -> tuple[Subject, str, str]:
    subject = row.subject
    treated = tuple(pair for pair in subject.labels if pair[0] == STRATEGY)
    return dataclasses.replace(subject, labels=treated), row.family, str(row.band)


def minimums_of(plan: Plan) -> int:
    """Return how many stated minimums a gate with the plan tests."""
    grids = [grid for tables in plan.grids().values() for grid in tables if grid.gated]
    return sum(grid.minimums * len(grid.prompts) * len(grid.shapes) for grid in grids)


def minimums_of_tests(rows: Sequence[Row], reports: Reports) -> int:
    """Return how many minimums the reports of test functions state. rows: those of a run, or of a baseline.

    A report that fails or is not known counts as one: a gate would be invalid.
    """
    measured = [row for row in rows if row.measured and row.band is not None]
    by_test = grouped(measured, lambda row: (row.family, row.subject))
    return sum(_stated(name, reports[name], of_test) for (name, _), of_test in by_test.items() if name in reports)


def _stated(name: str, report: Report | None, rows: Sequence[Row]) -> int:
    try:
        reported = reporting_of_test(name, report).reported(rows, rows, ()) if report else None
    except Exception:
        reported = None
    return 1 if reported is None else sum(each.minimum is not None for each in reported)


def band_of(case: Case) -> SubjectBand:
    """Return the band of a gated case, and what it is judged with."""
    return Subject.of(case.model.model, case.wording.prompt_set, case.labels, case.shape), Band(
        case.scenario.family, case.band
    )
