"""The cases of a profile: every scenario of a family's tables, for every model, in every wording."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Sequence

from longctx.config.models import load_model
from longctx.config.profiles import Profile
from longctx.config.prompts import PromptSet
from longctx.errors import UserError
from longctx.recording.case import Case
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.grid import Grid
from longctx.vocabulary.scenario import Scenario
from longctx.workspace import Workspace


def cases_of(
    workspace: Workspace,
    profile: Profile,
    family: type[Scenario],
    models: Callable[[Grid], Sequence[str]],
    prompts: Sequence[str],
    bank: Callable[[str, str], Bank],
    document: Callable[[Grid], str | None] = lambda grid: None,
) -> list[Case]:
    """A family's cases as the profile says, each once, in the order of its tables. Raises UserError.

    models: those that a table's scenarios are asked. prompts: names or paths that count instead of the tables' own,
    where there are any. bank: model, name -> the questions of that bank, read when a trial first needs them. document:
    what to call the documents of a table; None: as the prompts do.
    """
    grids = profile.grids(family.family)
    sets = _prompt_sets(workspace, grids, prompts)
    known = {name: load_model(workspace, name) for grid in grids for name in models(grid)}
    found: dict[str, Case] = {}
    banks: dict[str, str] = {}
    for grid in grids:
        wordings = [sets[name].wording(family, document(grid)) for name in prompts or grid.prompts]
        for wording, model in itertools.product(wordings, models(grid)):
            for scenario in grid.scenarios(functools.partial(bank, model, grid.draws_on)):
                if not (trials := grid.trials_of(scenario)):
                    continue
                case = Case(
                    model=known[model],
                    wording=wording,
                    scenario=scenario,
                    seed=profile.seed,
                    trials=trials,
                    min_rate=grid.min_rate,
                    band=grid.band(scenario),
                )
                found.setdefault(case.id, case)
                if banks.setdefault(case.id, grid.draws_on) != grid.draws_on:
                    raise UserError(
                        "scenario-of-two-banks",
                        f"Two [{family.family}] tables of the profile ask {model} {case.scenario.slug} with questions "
                        f"of {banks[case.id]} and of {grid.draws_on}, and one result cannot be of both: give them "
                        "profiles of their own.",
                    )
    return list(found.values())


def _prompt_sets(workspace: Workspace, grids: Sequence[Grid], prompts: Sequence[str]) -> dict[str, PromptSet]:
    """By the name or path that means it."""
    named = prompts or tuple(name for grid in grids for name in grid.prompts)
    sets = {name: PromptSet.open(workspace, name) for name in named} if grids else {}
    names = Counter(one.name for one in sets.values())
    if twice := [one for one in sets.values() if names[one.name] > 1]:
        raise UserError(
            "duplicate-prompt-set-name",
            f"Two prompt sets are named {twice[0].name!r}, and results are told apart by name: rename one of "
            f"{', '.join(str(one.folder) for one in twice)}.",
        )
    return sets
