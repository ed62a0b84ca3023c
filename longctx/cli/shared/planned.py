"""What a gate with this profile would ask: the load of each band, without asking, and without a network."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from longctx.config.profiles import load_profile, profile_name
from longctx.errors import UserError
from longctx.gate.bands import Band
from longctx.gate.plan import Load
from longctx.live.cost.money import estimated_cost
from longctx.recording.case import Case
from longctx.recording.cases import cases_of
from longctx.registry import account_of, families
from longctx.results.subject import Subject
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.grid import Grid
from longctx.vocabulary.scenario import Scenario
from longctx.workspace import Workspace

BandOf = tuple[Subject, Band]
BankOf = Callable[[str, str], Bank]


@dataclass(slots=True)
class _Sum:
    """price: USD; None where prices are not known."""

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
    workspace: Workspace, profile: str | None, models: Sequence[str], bank_of: BankOf
) -> tuple[dict[BandOf, Load], dict[tuple[str, str], int]]:
    """The load of each band that has trials, and how many hypotheses families add to the gate, by what they are called.
    Raises UserError.

    models: instead of the profile's, where there are any. bank_of: the questions that a model is asked.
    """
    found: dict[BandOf, _Sum] = {}
    scenarios: dict[tuple[Subject, str], list[Scenario]] = {}
    for case in _cases(workspace, profile, models, bank_of):
        if not case.scenario.gated:
            continue
        subject = Subject(case.model.model, case.wording.prompt_set)
        found.setdefault((subject, Band(case.scenario.family, case.band)), _Sum()).add(case)
        scenarios.setdefault((subject, case.scenario.family), []).append(case.scenario)
    loads = {where: one.load for where, one in found.items() if one.trials}
    if not loads:
        name = profile_name(workspace, profile)
        raise UserError(f"The profile {name!r} has no trials that a gate judges: there is nothing to plan.")
    further: dict[tuple[str, str], int] = {}
    for (_, name), some in scenarios.items():
        account = account_of(families(workspace)[name])
        if number := account.planned(some):
            further[account.hypothesis] = further.get(account.hypothesis, 0) + number
    return loads, further


def _cases(workspace: Workspace, profile: str | None, models: Sequence[str], bank_of: BankOf) -> Iterator[Case]:
    """As pytest would collect them."""
    name = profile_name(workspace, profile)
    tables, asked = load_profile(workspace, profile), functools.partial(_models, name, models)
    for family in families(workspace).values():
        yield from cases_of(workspace, tables, family.scenario, asked, (), bank_of)


def _models(name: str, models: Sequence[str], grid: Grid) -> Sequence[str]:
    if not (models or grid.models):
        raise UserError(f"The profile {name!r} names no model: give one with --model NAME.")
    return models or grid.models
