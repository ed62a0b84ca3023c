"""What a gate with a plan would ask of each band, without asking and without the network; and what a budget may buy."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from longctx.engine.plan import Plan
from longctx.errors import UserError
from longctx.gate.bands import Band
from longctx.gate.budget import Chosen, Offer, TrialsAndClusters
from longctx.gate.plan import Assumed, Load
from longctx.live.cost.money import estimated_cost
from longctx.recording.case import Case
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.vocabulary.family import is_check, is_of_function

SubjectBand = tuple[Subject, Band]
MOST = 5000
"""The most trials of a scenario, more than any gate needs."""


@dataclass(slots=True)
class _Sum:
    """The sum of a band's load. price: USD; None if prices are not known."""

    price: float | None = 0.0
    batch_price: float = 0.0
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
        price = estimated_cost(case.model, case.size_tokens, case.reply_tokens)
        self.price = None if price is None or self.price is None else self.price + price * len(clusters)
        discount = case.model.prices.batch_discount if case.model.prices else 0.0
        self.batch_price += (price or 0.0) * (1 - discount) * len(clusters)

    @property
    def load(self) -> Load:
        batch_price = None if self.price is None else self.batch_price
        return Load(self.trials, len(self.clusters), self.input_tokens, self.output_tokens, self.price, batch_price)


def planned(plan: Plan, of_functions: Mapping[SubjectBand, Load] | None = None) -> dict[SubjectBand, Load]:
    """Return the load of each band that has trials. Raises UserError if none has any.

    of_functions: the loads of test functions, which need no profile.
    """
    loads = {**loads_of(plan.cases), **(of_functions or {})}
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
            sums.setdefault(_band_of(case), _Sum()).add(case)
    return {where: band_sum.load for where, band_sum in sums.items() if band_sum.trials}


def loads_of_functions(plan: Plan, rows: Sequence[Row], models: Sequence[str]) -> dict[SubjectBand, Load]:
    """Return the load of each band of the test functions in the rows of a run, as it measured them.

    models: asked in place of the run's; empty to keep these. Checks cost nothing: they judge the same answers.
    """
    gated = [row for row in rows if is_of_function(row.family) and row.band is not None]
    loads: dict[SubjectBand, Load] = {}
    for (measured, family, band), of_band in grouped(gated, _subject_and_band).items():
        used = [(row.input_tokens or 0, row.output_tokens or 0) for row in of_band]
        clusters = len({row.cluster_key for row in of_band})
        known = is_check(family) or any(tokens for tokens, _ in used)
        for model in map(plan.model, models or [measured.model]):
            prices = [estimated_cost(model, *tokens) if known else None for tokens in used]
            price = None if None in prices else sum(filter(None, prices))
            inputs, outputs = (sum(column) for column in zip(*used, strict=True))
            where = dataclasses.replace(measured, model=model.model), Band(family, band)
            loads[where] = Load(len(of_band), clusters, inputs, outputs, price)
    return loads


def _subject_and_band(row: Row) -> tuple[Subject, str, str]:
    return dataclasses.replace(row.subject, labels=()), row.family, str(row.band)


def minimums_of(plan: Plan) -> int:
    """Return how many stated minimums a gate with the plan tests."""
    grids = [grid for tables in plan.grids().values() for grid in tables if grid.gated]
    return sum(grid.minimums * len(grid.prompts) * len(grid.shapes) for grid in grids)


def offers(plan: Plan, assumed: Callable[[SubjectBand], Assumed]) -> list[Offer]:
    """Return the bands of the plan that a gate judges. Raises UserError if prices are not known.

    assumed: returns what to assume of a band.
    """
    cases = plan.cases
    if free := sorted({case.model.model for case in cases if not estimated_cost(case.model, 1000, 1000)}):
        raise UserError(
            "budget-without-prices",
            f"A budget needs prices, and the profile of {', '.join(free)} has none above 0: give a model that has a "
            "[prices] table.",
        )
    by_band: dict[SubjectBand, list[Case]] = {}
    for case in cases:
        by_band.setdefault(_band_of(case), []).append(dataclasses.replace(case, trials=MOST))
    names = [(band.family, band.name) for _, band in by_band]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UserError(
            "budget-for-several",
            f"A budget is for one model and one prompt set, and several are asked [{twice[0]}]: name one.",
        )
    tables = list(tomllib.loads(plan.profile_file[1].decode("utf-8-sig")))
    result = []
    for where, of_band in by_band.items():
        judged = [case for case in of_band if case.gated and case.size]
        if judged:
            subject, band = where
            offer = Offer(
                band=dataclasses.replace(band, subject=subject),
                size=_size(judged),
                price=_price(of_band),
                most=max(case.size for case in judged),
                assumed=assumed(where),
                length=max(case.scenario.length for case in judged),
                order=tables.index(band.family),
            )
            result.append(offer)
    return result


def with_chosen_trials(cases: Sequence[Case], chosen: Chosen) -> list[Case]:
    """Return the cases of the chosen bands with the chosen trials."""
    each = {(offer.band.family, offer.band.name): trials for offer, trials in chosen.items()}
    names = [(case.scenario.family, case.band) for case in cases]
    return [
        dataclasses.replace(case, trials=each[name]) for case, name in zip(cases, names, strict=True) if name in each
    ]


def _band_of(case: Case) -> SubjectBand:
    return Subject.of(case.model.model, case.wording.prompt_set, case.labels, case.shape), Band(
        case.scenario.family, case.band
    )


def _size(cases: Sequence[Case]) -> Callable[[int], TrialsAndClusters]:
    """Return a function from the trials of each case to the trials and clusters of all of them."""
    if not cases[0].scenario.cluster(cases[0].scenario.indices(1)[0]):
        return lambda each: (each * len(cases),) * 2
    clusters = [case.clusters() for case in cases]

    def size(each: int) -> TrialsAndClusters:
        chosen = [cluster for of_case in clusters for cluster in of_case[:each]]
        return len(chosen), len(set(chosen))

    return size


def _price(cases: Sequence[Case]) -> Callable[[int], float]:
    """Return a function from the trials of each case to their price in USD, with cases that are asked but not gated."""
    prices = [(estimated_cost(case.model, case.size_tokens, case.reply_tokens) or 0.0, case.size) for case in cases]
    return lambda each: sum(price * min(each, most) for price, most in prices)
