"""The load of each band that a gate with a profile would ask, without asking and without the network."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from longctx.config.profiles import load_profile, profile_name
from longctx.errors import UserError
from longctx.gate.bands import Band
from longctx.gate.plan import Load
from longctx.live.cost.money import estimated_cost
from longctx.recording.case import Case
from longctx.recording.cases import cases_of
from longctx.registry import families
from longctx.results.subject import Subject
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.grid import Grid
from longctx.workspace import Workspace

SubjectBand = tuple[Subject, Band]
BankLoader = Callable[[str, str], Bank]


@dataclass(slots=True)
class _Sum:
    """The sum of a band's load. price: USD; None if prices are not known."""

    price: float | None = 0.0
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

    @property
    def load(self) -> Load:
        return Load(self.trials, len(self.clusters), self.input_tokens, self.output_tokens, self.price)


def planned(
    workspace: Workspace, profile: str | None, models: Sequence[str], bank_of: BankLoader
) -> dict[SubjectBand, Load]:
    """Return the load of each band that has trials.

    models: replace the profile's; empty to keep these. bank_of: returns the bank of a model. Raises UserError.
    """
    loads = loads_of(cases_planned(workspace, profile, models, bank_of))
    if not loads:
        name = profile_name(workspace, profile)
        raise UserError(
            "nothing-to-plan",
            f"The profile {name!r} has no trials that a gate judges, so there is nothing to plan: give another.",
        )
    return loads


def minimums_of(workspace: Workspace, profile: str | None, models: Sequence[str]) -> int:
    """Return how many stated minimums a gate with a profile tests.

    models: replace the profile's; empty to keep these.
    """
    tables = load_profile(workspace, profile)
    grids = [grid for family in families(workspace) for grid in tables.grids(family) if grid.gated]
    return sum(grid.minimums * len(models or grid.models) * len(grid.prompts) * len(grid.shapes) for grid in grids)


def loads_of(cases: Iterable[Case]) -> dict[SubjectBand, Load]:
    """Return the load of each band that has trials."""
    sums: dict[SubjectBand, _Sum] = {}
    for case in cases:
        if case.gated:
            sums.setdefault(band_of(case), _Sum()).add(case)
    return {where: band_sum.load for where, band_sum in sums.items() if band_sum.trials}


def band_of(case: Case) -> SubjectBand:
    return Subject(case.model.model, case.wording.prompt_set, shape=case.shape), Band(case.scenario.family, case.band)


def cases_planned(
    workspace: Workspace, profile: str | None, models: Sequence[str], bank_of: BankLoader
) -> Iterator[Case]:
    """Yield the cases as pytest would collect them."""
    name = profile_name(workspace, profile)
    tables, models_of = load_profile(workspace, profile), functools.partial(_models, name, models)
    for family in families(workspace).values():
        yield from cases_of(workspace, tables, family.scenario, models_of, (), bank_of)


def _models(name: str, models: Sequence[str], grid: Grid) -> Sequence[str]:
    if not (models or grid.models):
        raise UserError("no-model", f"The profile {name!r} names no model: give one with --model NAME.")
    return models or grid.models
