"""Profiles, which define the grid to run: one table for each test, or several."""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt, create_model, model_validator

from longctx.config.models import TokensPerUnit
from longctx.config.project import project_settings
from longctx.config.project_files import checked, read_toml
from longctx.errors import UserError
from longctx.registry import known_protocols
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.looks import DEFAULT_LOOKS, LooksPlan
from longctx.workspace import Workspace

DEFAULT = "recorded"
COLLECTED = "test_"
"""How the names of the tests begin that pytest collects."""
Given = str | Mapping[str, Any] | None
"""A profile as a user gives it: its name or path, or its entries; None for the default."""
USUAL_WINDOW = 1_000_000
"""The window, in tokens, with which shares of a window are checked when a profile is read."""


def _listed(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


class Profile(BaseModel):
    """The entries of a profile; `profile_type` adds the tables of the tests."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    about: str = ""
    """What the grid is for, in a sentence: it heads the report."""
    seed: NonNegativeInt = 0
    """The random seed: the same one gives the same questions on every machine."""
    margin: float | None = Field(default=None, gt=0, lt=1)
    """The gate's margin: the largest acceptable drop (non-inferiority margin). Default: 0.05."""
    run_margin: float | None = Field(default=None, gt=0, lt=1)
    """The margin of all bands together, at most that of a band: a gate passes only if they do, too. Without it, a drop
    in all of them can only be a regression."""
    looks: LooksPlan = DEFAULT_LOOKS
    """When a live gate looks at its evidence: `few` for a fixed number of cases, `early` if the numbers of trials are
    chosen for it, `equal` as in earlier versions, `once` to send all trials. A replay keeps the plan of its
    recordings."""
    max_cost: float | None = Field(default=None, ge=0)
    """USD that a run may spend; `--ctx-max-cost` overrides it. By default 5 if a model has prices."""
    max_cost_growth: float | None = Field(default=None, ge=0)
    """The most by which the price of a trial may grow in a gate, as a share of the baseline's: 0.5 allows half as much
    again. Without it, growth is shown and not judged."""
    max_latency_growth: float | None = Field(default=None, ge=0)
    """The most by which the median latency of direct requests may grow in a gate, as a share of the baseline's."""

    models: tuple[str, ...] = ()
    """The models that test functions measure; `--ctx-model` replaces them."""
    judge: str = ""
    """The model that judges in test functions; neither `--ctx-model` nor an upgrade replaces it."""
    product_models: dict[str, str] = {}
    """The model that answers for each name in a product's requests to the local endpoint. Other names, and those of a
    model that is measured, mean the model under test, which `--ctx-model` replaces."""
    functions: dict[str, dict[str, Any]] = {}
    """The tables of test functions, by their names; each is written [test_NAME]."""

    @model_validator(mode="after")
    def _ordered_margins(self) -> Profile:
        if self.run_margin is not None and (self.margin is None or self.run_margin > self.margin):
            stated = "is not stated" if self.margin is None else f"is {self.margin:g}"
            raise ValueError(
                f"run_margin is {self.run_margin:g}, and margin {stated}: state a margin of at least run_margin, "
                "because all bands together detect smaller drops than one band"
            )
        return self

    @model_validator(mode="before")
    @classmethod
    def _tables_of_functions(cls, values: Any) -> Any:
        """Gather the tables of tests that declare none, which only pytest knows."""
        if not isinstance(values, dict):
            return values
        own = {
            name: table
            for name, table in values.items()
            if name.startswith(COLLECTED) and name not in cls.model_fields and isinstance(table, dict)
        }
        return {**{name: value for name, value in values.items() if name not in own}, "functions": own}

    def grids(self, test: str) -> tuple[Axes, ...]:
        """Return the tables of a test; none if the profile leaves it out."""
        grids: tuple[Axes, ...] = getattr(self, test, ())
        return grids

    def chosen_functions(self, known: Iterable[str]) -> frozenset[str] | None:
        """Return the names of the test functions that the profile chooses; None for all. known: the protocols.

        Models at its top are those of all functions. Without any, it chooses those that have a table, if it has a table
        of a protocol, or if the table of a function names models.
        """
        chooses = any(map(self.grids, known)) or any("models" in table for table in self.functions.values())
        return frozenset(self.functions) if chooses and not self.models else None

    def grids_by_model(self, known: Iterable[str], models: Sequence[str]) -> dict[tuple[str, str], list[Axes]]:
        """Return the tables of these tests for each (test, model). models: replace those of the tables, if any."""
        grids: dict[tuple[str, str], list[Axes]] = {}
        for test in known:
            for grid in self.grids(test):
                for model in models or grid.models:
                    grids.setdefault((test, model), []).append(grid)
        return grids


def profile_type(tests: Mapping[str, Protocol]) -> type[Profile]:
    """Return the type of a profile with tables for these tests. Raises UserError."""
    if taken := next((name for name in tests if hasattr(Profile, name) or name in Profile.model_fields), None):
        raise UserError(
            "reserved-test-name",
            f"A protocol cannot be called {taken!r}, because a profile uses this word for something else: rename it.",
        )
    return _with_tables(tuple((name, test.axes) for name, test in tests.items()))


@functools.lru_cache(maxsize=8)
def _with_tables(grids: tuple[tuple[str, type[Axes]], ...]) -> type[Profile]:
    """Return the type of a profile with these tables, whose checks take 10 ms to make."""
    tables: dict[str, Any] = {
        name: (Annotated[tuple[grid, ...], BeforeValidator(_listed)], ())  # type: ignore[valid-type]  # the type is known only here
        for name, grid in grids
    }
    return create_model("Profile", __base__=Profile, **tables)


def _no_bank() -> Bank:
    raise AssertionError("a grid is checked without its questions")


def profile_path(workspace: Workspace, name: str | None) -> Path:
    """Return the file of a profile. Raises UserError.

    name: its name or path; None for the one that the project's settings name, else its `recorded`, else its only one.
    """
    name = name or project_settings(workspace.root).profile
    if name is not None:
        return workspace.find_profile(name)
    own = sorted(path.stem for path in workspace.own("profiles").glob("*.toml"))
    if DEFAULT in own or len(own) == 1:
        return workspace.own("profiles", f"{DEFAULT if DEFAULT in own else own[0]}.toml")
    if own:
        raise UserError(
            "several-profiles",
            f"No profile was given, and {workspace.root} has {', '.join(own)}: name one of them, as in "
            f'--ctx-profile={own[0]}, or make it the default with profile = "{own[0]}" in [tool.longctx] of '
            "pyproject.toml.",
        )
    raise UserError(
        "no-profile",
        f"No profile was given, and {workspace.root} has none of its own in {workspace.own('profiles')}: name one, as "
        "in --ctx-profile=smoke, or write a first one with longctx init.",
    )


def profile_name(workspace: Workspace, given: Given) -> str:
    """Return the profile's name for messages: as the user gave it, that of the default, or those of its tables."""
    if isinstance(given, Mapping):
        return "+".join(name for name, entry in given.items() if isinstance(entry, Mapping | list | tuple))
    return given or profile_path(workspace, given).stem


def entry_meant(option: str) -> str:
    """Return a sentence for an option that does not exist but is an entry of profiles; it is empty for any other."""
    entry = option.removeprefix("--ctx-").removeprefix("--").replace("-", "_")
    is_entry = entry in Profile.model_fields and entry != "functions"
    return f"It is an entry of the profile: write {entry} = … at its top." if is_entry else ""


def as_toml(given: Mapping[str, Any]) -> str:
    """Return the file that has these entries. Raises UserError."""
    import tomlkit

    try:
        return tomlkit.dumps(json.loads(json.dumps(given)))
    except (TypeError, ValueError) as error:
        raise UserError(
            "profile-not-toml",
            f"The entries of the profile cannot be written as TOML ({error}): use texts, numbers, lists and tables.",
        ) from None


def load_profile(workspace: Workspace, given: Given) -> Profile:
    """Load a profile. Raises UserError."""
    kind = profile_type(known := known_protocols(workspace))
    if isinstance(given, Mapping):
        path = f"The profile {profile_name(workspace, given)!r}"
        profile = checked(tomllib.loads(as_toml(given)), kind, path)
    else:
        path = str(profile_path(workspace, given))
        profile = read_toml(Path(path), kind)
    if not (profile.functions or profile.models or any(profile.grids(test) for test in known)):
        raise UserError("empty-profile", f"{path} has no table of a protocol: add one, such as [{next(iter(known))}].")
    for test in known:
        for grid in profile.grids(test):
            try:
                table = grid.sized(USUAL_WINDOW, 0, TokensPerUnit().model_dump())
                empty = not [table.trials_of(cell) for cell in table.made_cells(_no_bank)]
            except ValueError as error:
                raise UserError("bad-profile-table", f"{path}, [{test}]: {error}") from None
            if empty:
                raise UserError(
                    "no-cell-left",
                    f"{path}, [{test}]: the table has no cell: fill its lists, or delete the table.",
                )
    return profile
