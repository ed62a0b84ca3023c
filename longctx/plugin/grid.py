"""The grid: which cases a marked test is parametrized with. The same ids, in the same order, in every process."""

from __future__ import annotations

import dataclasses
import functools

import pytest

from longctx.ask.case import Case
from longctx.ask.cases import cases_of
from longctx.config.models import ModelProfile
from longctx.config.profiles import load_profile, profile_name
from longctx.corpus.settings import word_for
from longctx.errors import UserError
from longctx.plugin.frozen import frozen_filters
from longctx.plugin.run import RUN, Run
from longctx.plugin.selection import MARKER
from longctx.plugin.settings import Settings
from longctx.registry import families, family_of
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.grid import Grid
from longctx.vocabulary.scenario import Scenario


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give a test marked `longctx(family=Family)` one case a scenario, model and prompt set."""
    marker = metafunc.definition.get_closest_marker(MARKER)
    assert marker is not None
    family: type[Scenario] = marker.kwargs["family"]
    run = metafunc.config.stash[RUN]
    try:
        if family_of(run.workspace, family.family).scenario is not family:
            which = f"{family.__module__}.{family.__name__}"
            raise UserError(f"{which} is not the family that is registered as {family.family!r}: rename one of them.")
        found = cases(run, family)
    except UserError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    if found:
        metafunc.parametrize("scenario", [pytest.param(case, id=case.id) for case in found])
        return
    reason = f"the profile {profile_name(run.workspace, run.settings.profile)!r} has no [{family.family}] table"
    metafunc.parametrize("scenario", [pytest.param(None, id="none", marks=pytest.mark.skip(reason=reason))])


def check(run: Run) -> None:
    """Raises UsageError for a mistake in profile, prompts, models or documents, before anything is collected."""
    try:
        found = all_cases(run)
        _check_prices(run.settings, {case.model.model for case in found})
        if run.settings.corpus or run.settings.questions:
            _bank(run, model="")
    except UserError as error:
        raise pytest.UsageError(str(error)) from None


def all_cases(run: Run) -> list[Case]:
    """Those of all families. Raises UserError."""
    return [case for family in families(run.workspace).values() for case in cases(run, family.scenario)]


@functools.lru_cache(maxsize=8)
def cases(run: Run, family: type[Scenario]) -> tuple[Case, ...]:
    """A family's cases under these settings. Raises UserError."""
    settings, models, bank = run.settings, functools.partial(_models, run), functools.partial(_bank, run)
    profile = load_profile(run.workspace, settings.profile)
    document = word_for(run.workspace, settings.corpus)
    found = cases_of(run.workspace, profile, family, models, settings.prompts, bank, document)
    return tuple(_as_told(case, settings) for case in found)


def _as_told(case: Case, settings: Settings) -> Case:
    """The case with what the user said instead of the profile."""
    return dataclasses.replace(
        case,
        model=_priced(case.model, settings),
        seed=case.seed if settings.seed is None else settings.seed,
        trials=settings.trials or case.trials,
        only_trial=settings.only_trial,
        repeats=settings.repeats,
        min_rate=case.min_rate if settings.min_rate is None else settings.min_rate,
    )


def models(run: Run) -> dict[str, ModelProfile]:
    """Those that the run's profile measures, by their ids."""
    return {case.model.model: case.model for case in all_cases(run)}


def _priced(model: ModelProfile, settings: Settings) -> ModelProfile:
    """The profile with the prices that the user gave; a discount for batches stays. Raises UserError where they are
    silent on longer prompts that have prices of their own, whose cost would be understated."""
    given, known = dict(settings.prices).get(model.model), model.prices
    if given is None:
        return model
    if known and known.above and not given.above:
        tokens = min(tier.tokens for tier in known.above)
        raise UserError(
            f"--ctx-price gives {model.model} the same prices whatever a prompt's length, but its profile has others "
            f"above {tokens:,} tokens: add yours, --ctx-price {model.model}=INPUT/OUTPUT,{tokens}:INPUT/OUTPUT (the "
            "same twice, if they are the same)."
        )
    if known:
        given = given.model_copy(update={"batch_discount": known.batch_discount})
    return model.model_copy(update={"prices": given})


def _check_prices(settings: Settings, models: set[str]) -> None:
    """Raises UserError where prices are given of a model that is not measured: its name was probably mistyped."""
    if strange := [name for name, _ in settings.prices if name not in models]:
        raise UserError(
            f"--ctx-price names {strange[0]!r}, which this run does not measure: it measures "
            f"{', '.join(sorted(models))}."
        )


def _bank(run: Run, model: str) -> Bank:
    """The questions of the QA families, read when a trial first needs them."""
    from longctx.corpus.bank import load_bank

    settings = run.settings
    frozen = frozen_filters(run.workspace, settings.baseline)
    return load_bank(run.workspace, settings.corpus, settings.questions, model, frozen)


def _models(run: Run, grid: Grid) -> tuple[str, ...]:
    models = run.settings.models or grid.models
    if not models:
        name = profile_name(run.workspace, run.settings.profile)
        raise UserError(f"The profile {name!r} names no model: give one with --ctx-model NAME.")
    return models
