"""The grid: which cases a marked test is parametrized with. The same ids, in the same order, in every process."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import pytest

from longctx.ask.case import Case
from longctx.ask.cases import cases_of
from longctx.config.grids import Grid
from longctx.config.models import ModelProfile
from longctx.config.profiles import load_profile
from longctx.corpus.settings import word_for
from longctx.errors import UserError
from longctx.plugin.frozen import frozen_filters
from longctx.plugin.options import Settings
from longctx.plugin.run import RUN
from longctx.scenarios import FAMILIES
from longctx.scenarios.bank import Bank
from longctx.scenarios.base import Scenario


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give a test marked `longctx(family=Family)` one case a scenario, model and prompt set."""
    marker = metafunc.definition.get_closest_marker("longctx")
    if marker is None:
        return
    family: type[Scenario] = marker.kwargs["family"]
    settings = metafunc.config.stash[RUN].settings
    found = cases(settings, family)
    if found:
        metafunc.parametrize("scenario", [pytest.param(case, id=case.id) for case in found])
        return
    reason = f"the profile {settings.profile!r} has no [{family.family}] table"
    metafunc.parametrize("scenario", [pytest.param(None, id="none", marks=pytest.mark.skip(reason=reason))])


def check(settings: Settings) -> None:
    """Raises UsageError for a mistake in profile, prompts, models or documents, before anything is collected."""
    try:
        found = [case for family in FAMILIES.values() for case in cases(settings, family)]
        _check_prices(settings, {case.model.model for case in found})
        if settings.corpus or settings.questions:
            _bank(settings, model="")
    except UserError as error:
        raise pytest.UsageError(str(error)) from None


@functools.lru_cache(maxsize=8)
def cases(settings: Settings, family: type[Scenario]) -> tuple[Case, ...]:
    """A family's cases under these settings. Raises UserError."""
    models, bank = functools.partial(_models, settings), functools.partial(_bank, settings)
    document = word_for(settings.corpus)
    found = cases_of(load_profile(settings.profile), family, models, settings.prompts, bank, document)
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


def models(settings: Settings) -> dict[str, ModelProfile]:
    """Those that the run's profile measures, by their ids."""
    return {case.model.model: case.model for family in FAMILIES.values() for case in cases(settings, family)}


def _priced(model: ModelProfile, settings: Settings) -> ModelProfile:
    """The profile with the prices that the user gave; a discount for batches stays."""
    given = dict(settings.prices).get(model.model)
    if given and model.prices:
        given = given.model_copy(update={"batch_discount": model.prices.batch_discount})
    return model.model_copy(update={"prices": given}) if given else model


def _check_prices(settings: Settings, models: set[str]) -> None:
    """Raises UserError where prices are given of a model that is not measured: its name was probably mistyped."""
    if strange := [name for name, _ in settings.prices if name not in models]:
        raise UserError(
            f"--ctx-price names {strange[0]!r}, which this run does not measure: it measures "
            f"{', '.join(sorted(models))}."
        )


def _bank(settings: Settings, model: str) -> Bank:
    """The questions of the QA families, read when a trial first needs them."""
    from longctx.corpus.bank import load_bank

    return load_bank(settings.corpus, settings.questions, model, frozen_filters(settings.baseline))


def selected(items: Sequence[pytest.Item]) -> list[Case]:
    """The cases among the selected tests."""
    params = (item.callspec.params for item in items if isinstance(item, pytest.Function) and hasattr(item, "callspec"))
    return [case for found in params if isinstance(case := found.get("scenario"), Case)]


def trials(items: Sequence[pytest.Item]) -> int:
    """How many trials the selected tests have."""
    return sum(case.size for case in selected(items))


def with_minimum(items: Sequence[pytest.Item]) -> int:
    """How many of the selected cases must meet a minimum rate."""
    return sum(case.min_rate is not None for case in selected(items))


def _models(settings: Settings, grid: Grid) -> tuple[str, ...]:
    models = settings.models or grid.models
    if not models:
        raise UserError(f"The profile {settings.profile!r} names no model: give one with --ctx-model NAME.")
    return models
