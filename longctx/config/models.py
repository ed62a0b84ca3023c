"""Model profiles: what is known of a model (window, request extras, tokens per unit, prices), with its source."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveFloat, PositiveInt

from longctx.config.folders import FIXTURES, read_toml, slug

MODELS = FIXTURES / "models"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Prices(_Table):
    """USD per million tokens. cache_read and cache_write default to the input price."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)
    batch_discount: float = Field(default=0.0, ge=0, le=1)
    dated: datetime.date
    source: str = ""


class TokensPerUnit(_Table):
    """Tokens that one unit of a family takes, for estimates before anything is asked."""

    line: PositiveFloat = 15.0
    """A line of line retrieval."""
    reference: PositiveFloat = 1.1
    """A token of the corpora's reference vocabulary."""


class Measured(_Table):
    """Token counts of one family's wording, from count_tokens; `values` is what the family's `fit` takes."""

    family: str
    wording: str
    on: datetime.date
    values: dict[str, float]


class ModelProfile(_Table):
    """A model id without a profile works with these defaults."""

    model: str = ""
    window: PositiveInt | None = None
    extra_body: dict[str, Any] = {}
    thinking_tokens: NonNegativeInt = 0
    """Added to a family's max_tokens, for a model that thinks before it answers."""
    timeout_s: PositiveFloat = 600.0
    """Seconds in which a whole answer must come."""
    prefill: bool = False
    """Whether the model takes a prompt that ends in the beginning of its answer."""
    tokens: TokensPerUnit = TokensPerUnit()
    prices: Prices | None = None
    provenance: dict[str, str] = {}
    measured: tuple[Measured, ...] = ()

    def measures(self, family: str, wording: str) -> dict[str, float] | None:
        """The latest measure for a wording's digest; None where it was never measured."""
        for entry in reversed(self.measured):
            if (entry.family, entry.wording) == (family, wording):
                return entry.values
        return None


def profile_path(name: str) -> Path:
    return MODELS / f"{slug(name)}.toml"


def load_model(name: str) -> ModelProfile:
    """The profile of a model id; defaults where it has none. Raises UserError for a file that cannot be used."""
    path = profile_path(name)
    profile = read_toml(path, ModelProfile) if path.is_file() else ModelProfile()
    return profile.model_copy(update={"model": profile.model or name})


def keep_measured(name: str, measured: Measured) -> Path:
    """Append a measure to the model's profile, which is made if there is none."""
    path = profile_path(name)
    values = ", ".join(f"{json.dumps(key)} = {value!r}" for key, value in measured.values.items())
    head = "" if path.exists() else f"model = {json.dumps(name)}\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(
            f'{head}\n[[measured]]\nfamily = "{measured.family}"\nwording = "{measured.wording}"\n'
            f"on = {measured.on}\nvalues = {{ {values} }}\n"
        )
    return path
