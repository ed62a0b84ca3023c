"""The cases of a profile: each scenario of a family's tables, for each model and each prompt set."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from longctx.cases.case import Case
from longctx.cases.request_tokens import added_tokens
from longctx.config.file_names import check_name
from longctx.config.models import ModelProfile, load_model
from longctx.config.profiles import Profile
from longctx.config.prompts import PromptSet
from longctx.errors import UserError
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.scenario import Scenario
from longctx.vocabulary.shapes import Shape
from longctx.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChoices:
    """What a run chooses for the tables of a profile: models, prompt sets, shapes and documents."""

    workspace: Workspace
    models: Callable[[Axes], Sequence[str]]
    """Returns the models of a table."""
    bank: Callable[[str, str], Bank]
    """Returns the bank of a (model, name), whose questions are read when a trial first needs them."""
    prompts: Sequence[str] = ()
    """Names or paths of prompt sets that replace the tables' own; empty to keep those."""
    shapes: Sequence[Shape] = ()
    """Shapes that replace the tables' own; empty to keep those."""
    document: Callable[[Axes], str | None] = lambda grid: None
    """Returns the word for the documents of a table; None to keep the prompts' own."""
    model_of: Callable[[str], ModelProfile] | None = None
    """Returns the profile of a model; None for that of its file."""


def cases_of(profile: Profile, family: type[Scenario], chosen: TableChoices) -> list[Case]:
    """Return a family's cases, each once, in the order of the profile's tables. Raises UserError."""
    models, prompts = chosen.models, chosen.prompts
    grids = profile.grids(family.family)
    sets = _prompt_sets(chosen.workspace, grids, prompts)
    for name in (name for grid in grids for name in models(grid)):
        check_name(name)
    load = chosen.model_of or functools.partial(load_model, chosen.workspace)
    known = {name: load(name) for grid in grids for name in models(grid)}
    cases: dict[str, Case] = {}
    banks: dict[str, str] = {}
    for grid in grids:
        tables = {model: sized(grid, known[model]) for model in models(grid)}
        wordings = [sets[name].wording(family, chosen.document(grid)) for name in prompts or grid.prompts]
        for wording, model, shape in itertools.product(wordings, models(grid), chosen.shapes or grid.shapes):
            table = tables[model]
            for scenario in _scenarios(table, model, functools.partial(chosen.bank, model, grid.draws_on)):
                if not (trials := table.trials_of(scenario)):
                    continue
                case = Case(
                    model=known[model],
                    wording=wording,
                    scenario=scenario,
                    seed=profile.seed,
                    trials=trials,
                    min_rate=grid.min_rate,
                    band=table.gate_band(scenario),
                    in_gate=grid.gated,
                    shape=shape,
                )
                cases.setdefault(case.id, case)
                if banks.setdefault(case.id, grid.draws_on) != grid.draws_on:
                    raise UserError(
                        "scenario-of-two-banks",
                        f"Two [{family.family}] tables of the profile ask {model} {case.scenario.slug} with questions "
                        f"from {banks[case.id]} and from {grid.draws_on}, but a result is for one bank: put them into "
                        "separate profiles.",
                    )
    return list(cases.values())


def _scenarios(table: Axes, model: str, bank: Callable[[], Bank]) -> list[Scenario]:
    """Return the scenarios of a table for one model. Raises UserError if its shares of the window give none.

    Sizes that are no shares were checked when the profile was loaded.
    """
    try:
        return list(table.scenarios(bank))
    except ValueError as error:
        raise UserError("share-too-small", f"{model}: {error}") from None


def sized(grid: Axes, model: ModelProfile) -> Axes:
    """Return the table for one model, with tokens in place of shares of its window. Raises UserError.

    Thinking and tools lie inside the share, the system prompt of a prompt set does not: sizes are the same for all.
    """
    if not grid.has_shares:
        return grid
    if model.window is None:
        raise UserError(
            "share-without-window",
            f"A profile gives sizes as shares of the model's window, but the window of {model.model} is not known: add "
            f"window = TOKENS to its profile, or have python -m longctx models probe {model.model} find it out.",
        )
    apart = model.thinking_tokens + added_tokens(model, "", system_counted=False)
    try:
        return grid.sized(model.window, apart, model.tokens.model_dump())
    except ValueError as error:
        raise UserError("share-too-small", f"{model.model}: {error}") from None


def _prompt_sets(workspace: Workspace, grids: Sequence[Axes], prompts: Sequence[str]) -> dict[str, PromptSet]:
    """Open the prompt sets of a family's tables, by the name or path that was given for them."""
    given = prompts or tuple(name for grid in grids for name in grid.prompts)
    sets = {name: PromptSet.open(workspace, name, typed=bool(prompts)) for name in given} if grids else {}
    names = Counter(prompt_set.name for prompt_set in sets.values())
    if twice := [prompt_set for prompt_set in sets.values() if names[prompt_set.name] > 1]:
        raise UserError(
            "duplicate-prompt-set-name",
            f"Two prompt sets are named {twice[0].name!r}, and results are told apart by name: rename one of "
            f"{', '.join(str(prompt_set.folder) for prompt_set in twice)}.",
        )
    return sets
