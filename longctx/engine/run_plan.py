"""The files of the project that a run needs: the profile, its cells and the baseline. Each is read once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from longctx.cells.cell import Cell, TableChoices, cells_of
from longctx.config.models import ModelProfile, TokensPerUnit, load_model
from longctx.config.profiles import Profile, as_toml, load_profile, profile_name, profile_path
from longctx.config.project import Shard, shards_of
from longctx.config.project_files import checked, first_fault
from longctx.corpus.documents import word_for
from longctx.corpus.filters import Filter
from longctx.engine.base_terms import terms_at
from longctx.engine.settings import Settings
from longctx.errors import UserError
from longctx.gate.rules import MARGIN
from longctx.registry import known_protocols
from longctx.vocabulary.bank import SHIPPED, Bank
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.grid import Axes
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.results.baseline_file import Baseline


class Plan:
    """The plan of one run. Every property and method raises UserError if a file that it needs cannot be used."""

    def __init__(self, settings: Settings, workspace: Workspace) -> None:
        self._settings, self._workspace = settings, workspace
        self._cells: dict[str, tuple[Cell, ...]] = {}
        self._model_profiles: dict[str, ModelProfile] = {}

    @cached_property
    def tests(self) -> Mapping[str, Protocol]:
        return known_protocols(self._workspace)

    @cached_property
    def profile(self) -> Profile:
        return load_profile(self._workspace, self._settings.profile)

    @property
    def profile_name(self) -> str:
        """The profile's name as the user gave it, or else the project's default profile."""
        return profile_name(self._workspace, self._settings.profile)

    @cached_property
    def own(self) -> Profile | None:
        """The profile; None if none was given and the project has none, which is enough for test functions."""
        try:
            return self.profile
        except UserError as error:
            if error.code == "no-profile":
                return None
            raise

    @cached_property
    def terms(self) -> Profile | None:
        """The profile whose terms a gate keeps to: that of the base branch, if one is given and has it."""
        base, given = self._settings.base, self._settings.profile
        if self.own is None or base is None or self._settings.baseline is None or isinstance(given, Mapping):
            return self.own
        return terms_at(self._workspace, given, base, self.own)

    @property
    def seed(self) -> int:
        """The user's seed, else the profile's, else 0."""
        profiles = self.own.seed if self.own else 0
        return profiles if self._settings.seed is None else self._settings.seed

    def model(self, name: str) -> ModelProfile:
        """Return the profile of a model, with the user's entries."""
        if name not in self._model_profiles:
            model, entries = load_model(self._workspace, name), self._settings.model_profiles.get(name)
            if entries:
                written = model.model_dump(exclude_unset=True, by_alias=True)
                model = checked({**written, **entries}, ModelProfile, f"The profile in the code {name}")
            self._model_profiles[name] = model
        return self._model_profiles[name]

    def models_of_functions(self, table: Sequence[str]) -> tuple[str, ...]:
        """Return the models that a test function measures. table: those of its own table."""
        models = self._settings.models or tuple(table) or (self.own.models if self.own else ())
        if not models:
            raise UserError(
                "no-model-for-function",
                "No model is named for the test functions: add --ctx-model NAME, or write "
                "models = ['NAME'] at the top of the profile.",
            )
        return models

    @property
    def profile_file(self) -> tuple[str, bytes]:
        """The name of the profile's file, without its ending, and its content; both are empty without a profile."""
        given = self._settings.profile
        if isinstance(given, Mapping):
            return self.profile_name, as_toml(given).encode()
        if self.own is None:
            return "", b""
        path = profile_path(self._workspace, given)
        return path.stem, path.read_bytes()

    def measures_function(self, name: str, alone: bool = False) -> bool:
        """Return whether the run measures a test function. alone: whether only a profile with its table does."""
        if alone:
            return self.own is not None and name in self.own.functions
        measured = self.own.chosen_functions(self.tests) if self.own else None
        return measured is None or name in measured

    @property
    def models_named_for_functions(self) -> set[str]:
        """The models that options and profile name for test functions; their markers may name more."""
        helpers = {self.own.judge, *self.own.product_models.values()} - {""} if self.own else set()
        return self._measured_by_profile | helpers | set(self._settings.models)

    @property
    def _measured_by_profile(self) -> set[str]:
        """The models that the profile names as those under test of functions."""
        if self.own is None:
            return set()
        return {
            *self.own.models,
            *(name for table in self.own.functions.values() for name in _names(table.get("models"))),
        }

    @property
    def product_models(self) -> Mapping[str, str]:
        """The models that the names in a product's requests mean, apart from the model under test."""
        named, measured = self.own.product_models if self.own else {}, self._measured_by_profile
        return {name: model for name, model in named.items() if model not in measured}

    @property
    def helpers(self) -> list[ModelProfile]:
        """The models that test functions ask besides the one under test, as far as the profile names them."""
        named = dict.fromkeys(self.product_models.values())
        return [*([self.judge] if self.judge else []), *map(self.model, named)]

    @property
    def judge(self) -> ModelProfile | None:
        """The judge of test functions, if the profile names one."""
        return self.model(self.own.judge) if self.own and self.own.judge else None

    @property
    def margin(self) -> float:
        """The gate's margin: the user's, else the profile's, else the default."""
        stated = self._settings.margin, self.terms.margin if self.terms else None
        return next((margin for margin in stated if margin is not None), MARGIN)

    @property
    def run_margin(self) -> float | None:
        """The gate's margin for all bands together, if the profile states one."""
        return self.terms.run_margin if self.terms else None

    @cached_property
    def baseline(self) -> Baseline | None:
        """The baseline; None if the run is not gated."""
        from longctx.results.baseline_file import load_baseline

        path = self._baseline_path
        return None if path is None else load_baseline(path)

    @cached_property
    def filters(self) -> tuple[Filter, ...] | None:
        """The "too hard" filters of the baseline, so that both runs ask the same questions; None without a baseline."""
        path = self._baseline_path
        if path is None:
            return None
        from longctx.results.baseline_file import load_manifest_of

        try:
            return tuple(Filter.model_validate(entry) for entry in load_manifest_of(path).filters)
        except ValidationError as error:
            fault = first_fault(Filter, error, "the filter")
            raise UserError("bad-filter", f"{path} is not a valid filter: {fault} Restore the file.") from None

    @property
    def cells(self) -> list[Cell]:
        """The cells of all tests that this run measures."""
        return [cell for name in self.tests for cell in self.cells_of(name)] if self.own else []

    @property
    def models(self) -> dict[str, ModelProfile]:
        """The profiles of the models that the whole grid measures, in all shards, by their ids."""
        names = self.tests if self.own else ()
        return {cell.model.model: cell.model for name in names for cell in self.all_cells_of(name)}

    def cells_of(self, test: str) -> tuple[Cell, ...]:
        """Return the cells of a test that this run measures: all of them, or those of its shard."""
        cells, shard = self.all_cells_of(test), self._settings.shard
        return cells if shard is None else in_shard(cells, shard)

    def all_cells_of(self, test: str) -> tuple[Cell, ...]:
        """Return the cells of a test in all shards, with the user's options applied."""
        if test not in self._cells:
            settings = self._settings
            chosen = TableChoices(
                workspace=self._workspace,
                models=self._models_of,
                bank=self.bank,
                prompts=settings.prompts,
                shapes=settings.shapes,
                document=lambda grid: word_for(self._workspace, settings.corpus, grid.draws_on),
                model_of=self.model,
            )
            cells = cells_of(self.profile, self.tests[test].cell, chosen)
            self._cells[test] = tuple(_with_options(cell, settings) for cell in cells)
        return self._cells[test]

    def bank(self, model: str, name: str = SHIPPED) -> Bank:
        """Return the documents and questions that a model is asked about; they are read when a trial first needs them.

        name: the bank that the profile names. Documents and questions that the user gave replace it.
        """
        from longctx.corpus.question_bank import load_bank

        settings = self._settings
        return load_bank(self._workspace, settings.corpus, settings.questions, model, name, self.filters)

    def grids(self) -> dict[tuple[str, str], list[Axes]]:
        """Return the profile's tables for each (test, model)."""
        return self.own.grids_by_model(self.tests, self._settings.models) if self.own else {}

    @property
    def _baseline_path(self) -> Path | None:
        name = self._settings.baseline
        return None if name is None else self._workspace.find_baseline(name)

    def _models_of(self, grid: Axes) -> tuple[str, ...]:
        models = self._settings.models or grid.models
        if not models:
            raise UserError(
                "no-model",
                f"The profile {self.profile_name!r} names no model: add --ctx-model NAME, or --model NAME to a "
                "command.",
            )
        return models


def _names(value: object) -> Iterator[str]:
    """Yield the names in an entry of a function's table, which is not checked yet."""
    yield from (name for name in (value if isinstance(value, list | tuple) else ()) if isinstance(name, str))


def _with_options(cell: Cell, settings: Settings) -> Cell:
    """Return the cell with the user's options instead of the profile's entries."""
    return dataclasses.replace(
        cell,
        seed=cell.seed if settings.seed is None else settings.seed,
        trials=settings.trials or cell.trials,
        only_trial=settings.only_trial,
        repeats=settings.repeats,
        min_rate=cell.min_rate if settings.min_rate is None else settings.min_rate,
        server=settings.server or "",
    )


def in_shard(cells: Sequence[Cell], shard: Shard) -> tuple[Cell, ...]:
    """Return the cells of a test that belong to a shard, in their order.

    They are dealt by the tokens of one prompt, so that the number of trials does not matter. All wordings of a cell go
    to one shard, because they are recorded in one file.
    """
    dealt = shards_of({_name(cell): _tokens(cell) for cell in cells}, shard.of)
    return tuple(cell for cell in cells if dealt[_name(cell)] == shard.number)


def _name(cell: Cell) -> str:
    return f"{cell.point.test}/{cell.model.model}/{cell.point.id}"


def _tokens(cell: Cell) -> int:
    """Estimate the tokens of one prompt by the default profile: a model's own profile changes while it is asked."""
    return cell.point.size_tokens(TokensPerUnit().model_dump())
