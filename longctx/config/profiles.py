"""Profiles: the grid to run. A family has one table, or several for different models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt, create_model

from longctx.config.folders import read_toml
from longctx.errors import UserError
from longctx.registry import families
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.family import Family
from longctx.vocabulary.grid import Grid
from longctx.workspace import Workspace

DEFAULT = "recorded"


def _listed(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


class Profile(BaseModel):
    """A file of fixtures/profiles/, to which `profile_type` adds the tables of the families."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: str = ""
    """What the grid is for, in a sentence: it heads the report."""
    seed: NonNegativeInt = 0
    """The random seed: the same one gives the same questions on every machine."""
    margin: float | None = Field(default=None, ge=0, le=1)
    """The gate's margin: a drop that does not matter. Default: 0.05; `--ctx-margin` overrides it."""

    def grids(self, family: str) -> tuple[Grid, ...]:
        """The tables of a family; none for a family that the profile leaves out."""
        grids: tuple[Grid, ...] = getattr(self, family, ())
        return grids


def profile_type(families: Mapping[str, Family]) -> type[Profile]:
    """A profile that may have a table, or several, of each of these families. Raises UserError."""
    if taken := next((name for name in families if hasattr(Profile, name) or name in Profile.model_fields), None):
        raise UserError(
            "reserved-family-name",
            f"A family cannot be called {taken!r}, which has another meaning in a profile: rename it.",
        )
    tables: dict[str, Any] = {
        name: (Annotated[tuple[table.grid, ...], BeforeValidator(_listed)], ())  # type: ignore[name-defined]  # as it is now
        for name, table in families.items()
    }
    return create_model("Profile", __base__=Profile, **tables)


def _no_bank() -> Bank:
    raise AssertionError("a grid is checked without its questions")


def profile_path(workspace: Workspace, name: str | None) -> Path:
    """The file of a profile's name, or of its path. Raises UserError.

    None: `recorded` where the project has a profile of that name, else the only one it has.
    """
    if name is not None:
        return workspace.resolve("profiles", name)
    own = {path.stem: path for path in sorted(workspace.own("profiles").glob("*.toml"))}
    if DEFAULT in own or len(own) == 1:
        return own.get(DEFAULT) or next(iter(own.values()))
    if own:
        there = f"has {', '.join(own)}: give one of them, as in --ctx-profile={next(iter(own))}."
    else:
        there = f"has none of its own in {workspace.own('profiles')}: give one, as in --ctx-profile=smoke, or have "
        there += "longctx init write a first one."
    raise UserError("no-profile", f"No profile was given, and {workspace.root} {there}")


def profile_name(workspace: Workspace, name: str | None) -> str:
    """What messages call the profile: as the user named it, or the name of the project's own choice."""
    return name or profile_path(workspace, name).stem


def load_profile(workspace: Workspace, name: str | None) -> Profile:
    """The profile that `profile_path` finds. Raises UserError."""
    path = profile_path(workspace, name)
    known = families(workspace)
    profile = read_toml(path, profile_type(known))
    for family in known:
        for grid in profile.grids(family):
            try:
                empty = not [grid.trials_of(scenario) for scenario in grid.scenarios(_no_bank)]
            except ValueError as error:
                raise UserError("bad-profile-table", f"{path}, [{family}]: {error}") from None
            if empty:
                raise UserError(
                    "no-scenario-left",
                    f"{path}, [{family}]: no scenario is left, since every block is as large as every file: give "
                    "longer files.",
                )
    return profile
