"""Profiles: the grid to run. A family has one table, or several for different models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt

from longctx.config.folders import FIXTURES, read_toml, resolve
from longctx.errors import UserError
from longctx.scenarios.base import Scenario
from longctx.scenarios.line_retrieval import LineRetrieval
from longctx.scenarios.passkey import Passkey, spaced

PROFILES = FIXTURES / "profiles"


def _order(value: Any) -> str | int:
    if value in ("ordered", "shuffled") or (type(value) is int and value >= 1):
        return value  # type: ignore[no-any-return]
    raise ValueError(
        'an order is "ordered", "shuffled", or a number of lines: the size of the blocks that are shuffled'
    )


Count = Annotated[int, Field(ge=1, strict=True)]
Order = Annotated[Any, BeforeValidator(_order)]


class Grid(BaseModel):
    """What every family's table may say."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: tuple[str, ...] = ()
    trials: Count
    min_rate: float | None = Field(default=None, ge=0, le=1)

    def scenarios(self) -> Iterator[Scenario]:
        raise NotImplementedError


class LineRetrievalGrid(Grid):
    """Every number of lines in every order; blocks larger than a file, or as large, are left out."""

    lines: tuple[Count, ...] = Field(min_length=1)
    orders: tuple[Order, ...] = ("ordered", "shuffled")
    max_tokens: Count = 10

    def scenarios(self) -> Iterator[Scenario]:
        for order in self.orders:
            block_size = {"ordered": None, "shuffled": 1}.get(order, order)
            for lines in self.lines:
                if block_size is None or block_size < lines:
                    yield LineRetrieval(lines, block_size, max_tokens=self.max_tokens)


class PasskeyGrid(Grid):
    """`distances` values of k evenly spaced in each window (tokens)."""

    windows: tuple[Count, ...] = Field(min_length=1)
    distances: Count = 32
    max_tokens: Count = 16

    def scenarios(self) -> Iterator[Scenario]:
        for window in self.windows:
            for k in spaced(window, self.distances):
                yield Passkey(window, k, max_tokens=self.max_tokens)


def _listed(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


class Profile(BaseModel):
    """A file of fixtures/profiles/. `seed` draws the trials; `about` is shown in reports."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: str = ""
    seed: NonNegativeInt = 0
    line_retrieval: Annotated[tuple[LineRetrievalGrid, ...], BeforeValidator(_listed)] = ()
    passkey: Annotated[tuple[PasskeyGrid, ...], BeforeValidator(_listed)] = ()

    def grids(self, family: str) -> tuple[Grid, ...]:
        """The tables of a family; none for a family that the profile leaves out."""
        grids: tuple[Grid, ...] = getattr(self, family, ())
        return grids


def load_profile(name: str) -> Profile:
    """The profile of that name in fixtures/profiles/, or in the file of that path. Raises UserError."""
    path = resolve(name, PROFILES, "profile")
    profile = read_toml(path, Profile)
    for family in ("line_retrieval", "passkey"):
        for grid in profile.grids(family):
            try:
                empty = not list(grid.scenarios())
            except ValueError as error:
                raise UserError(f"{path}, [{family}]: {error}") from None
            if empty:
                raise UserError(f"{path}, [{family}]: no scenario is left: every block is as large as every file.")
    return profile
