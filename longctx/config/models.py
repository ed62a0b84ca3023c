"""Model profiles: what is known of a model (window, request extras, tokens per unit, prices), with its source."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import tomllib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from longctx.config.folders import file_of, read_text, read_toml
from longctx.errors import UserError
from longctx.workspace import Workspace


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rates(_Table):
    """USD per million tokens."""

    input: float = Field(ge=0)
    """The price of what is sent."""
    output: float = Field(ge=0)
    """The price of what is answered, thinking included."""
    cache_read: float | None = Field(default=None, ge=0)
    """The price of what is read from the prompt cache; without it, the input price."""
    cache_write: float | None = Field(default=None, ge=0)
    """The price of what is written to the prompt cache; without it, the input price."""
    cache_write_1h: float | None = Field(default=None, ge=0, exclude_if=lambda price: price is None)
    """The price of what is kept for an hour, where `cache_write` is that of five minutes."""


class Tier(Rates):
    """Rates of the whole request where its prompt has more than `tokens`, all input counted."""

    tokens: PositiveInt
    """The length of a prompt above which these rates hold."""


class Prices(Rates):
    """Rates as they stood on `dated`; those of longer prompts are in `above`."""

    batch_discount: float = Field(default=0.0, ge=0, le=1)
    """The share that a Message Batch saves."""
    dated: datetime.date
    """The day on which the prices stood so."""
    source: str = ""
    """Where they stand."""
    above: tuple[Tier, ...] = Field(default=(), exclude_if=lambda tiers: not tiers)
    """Rates of longer prompts."""

    @model_validator(mode="after")
    def _each_tier_once(self) -> Self:
        lengths = [tier.tokens for tier in self.above]
        if twice := sorted({tokens for tokens in lengths if lengths.count(tokens) > 1}):
            raise ValueError(f"two tiers begin above {twice[0]:,} tokens: keep one of them")
        return self

    def at(self, prompt: float) -> Rates:
        """Return the rates of a request. prompt: the tokens of its prompt, cached ones included."""
        reached = (tier for tier in self.above if tier.tokens < prompt)
        return max(reached, key=lambda tier: tier.tokens, default=self)


class Caching(_Table):
    """The prompt cache of a model that keeps what `cache_control` marks."""

    min_tokens: PositiveInt = 1024
    """Tokens: a shorter prefix is not kept."""
    breakpoints: PositiveInt = 4
    """The most marks of one request."""
    ttl: Literal["5m", "1h"] = "5m"
    """How long a prefix is kept; each reading renews it."""


class TokensPerUnit(_Table):
    """Tokens that one unit of a family takes, for estimates before anything is asked."""

    line: PositiveFloat = 15.0
    """A line of line retrieval."""
    reference: PositiveFloat = 1.1
    """A token of the corpora's reference vocabulary."""


class TokenCounts(_Table):
    """Token counts of one family's wording, from count_tokens; `values` is what the family's `fit` takes.

    system: digest of the profile's own system prompt, which was counted with it; empty where it had none.
    """

    family: str
    wording: str
    system: str = ""
    on: datetime.date
    values: dict[str, float]


class Probed(_Table):
    """What a server told of the model. Its window, limits and token counts are used if the profile has none itself.

    window, max_output: tokens. thinking, effort: the values that it accepts. line, reference: see TokensPerUnit.
    prefill, temperature: whether a request with one was answered. None: not told.
    """

    on: datetime.date
    source: str
    window: PositiveInt | None = None
    max_output: PositiveInt | None = None
    thinking: tuple[str, ...] | None = None
    effort: tuple[str, ...] | None = None
    batch: bool | None = None
    line: PositiveFloat | None = None
    reference: PositiveFloat | None = None
    prefill: bool | None = None
    temperature: bool | None = None


class Thinking(_Table):
    """How the model is told to think, as the Messages API takes it."""

    type: Literal["enabled", "adaptive", "disabled", "between_tools"]
    """Whether it thinks, and who says how much."""
    budget_tokens: int | None = Field(default=None, ge=1024)
    """The tokens that it may think with; required by `enabled`, and for nothing else."""
    display: Literal["summarized", "omitted"] | None = None
    """How its thinking comes back."""

    @model_validator(mode="after")
    def _budget_where_it_belongs(self) -> Self:
        if (self.type == "enabled") != (self.budget_tokens is not None):
            raise ValueError(
                "type = 'enabled' needs budget_tokens, and no other type takes them: "
                "write { type = 'enabled', budget_tokens = 2048 } or { type = 'adaptive' }"
            )
        if self.display and self.type not in ("enabled", "adaptive"):
            raise ValueError(f"display says how thinking is shown: leave it out with type = {self.type!r}")
        return self


def _room_to_think(given: dict[str, Any]) -> int:
    thinking = given.get("thinking")
    return (thinking and thinking.budget_tokens) or 0


class ModelProfile(_Table):
    """A model id without a profile works with these defaults."""

    model: str = ""
    """The id that rows, cassettes and the request have; without it, the file's name."""
    provider: Literal["anthropic", "bedrock", "vertex", "foundry"] = "anthropic"
    """Whose client asks."""
    provider_model: str = ""
    """The id that is sent, where it is another than `model`: recordings and rows name `model` all the same."""
    window: PositiveInt | None = None
    """Tokens that prompt and reply may fill; the server is asked where it is not given."""
    max_output: PositiveInt | None = None
    """The most tokens of a reply that a request may ask for."""
    system: str = ""
    """Sent before the system prompt of the prompt set."""
    thinking: Thinking | None = None
    """How the model is told to think, as the Messages API takes it."""
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    """How much effort the model is told to make."""
    extra_body: dict[str, Any] = {}
    """What is sent with every request as it stands; it has the last word."""
    thinking_tokens: NonNegativeInt = Field(default_factory=_room_to_think)
    """Added to a family's max_tokens, for a model that thinks before it answers. Default: its thinking budget."""
    timeout_s: PositiveFloat = 600.0
    """Seconds in which a whole answer must come."""
    prefill: bool = False
    """Whether the model takes a prompt that ends in the beginning of its answer."""
    tokens: TokensPerUnit = TokensPerUnit()
    """What one unit of a family takes, for estimates before anything is asked."""
    prices: Prices | None = None
    """USD per million tokens; without them no cost is known, and `--ctx-max-cost` needs them."""
    caching: Caching | None = None
    """The prompt cache; without it nothing is marked. A server may keep a cache of its own all the same."""
    provenance: dict[str, str] = {}
    """Weights, quantization and server, in your own words."""
    probed: Probed | None = None
    """What a server told; written by `models probe`."""
    measured: tuple[TokenCounts, ...] = ()
    """Token counts of the families' wording; written by `models probe` and by the asking pass."""

    @model_validator(mode="after")
    def _room_for_the_budget(self) -> Self:
        if self.thinking_tokens < (least := _room_to_think({"thinking": self.thinking})):
            raise ValueError(
                f"thinking_tokens is at least the thinking's budget_tokens of {least}: raise it, or leave it out"
            )
        return self

    @property
    def sent_as(self) -> str:
        """The id that the provider knows the model by."""
        return self.provider_model or self.model

    @property
    def system_digest(self) -> str:
        """The digest of the profile's own system prompt; empty where it has none."""
        return hashlib.sha256(self.system.encode()).hexdigest()[:12] if self.system else ""

    def measures(self, family: str, wording: str) -> dict[str, float] | None:
        """Return the latest token counts of a wording, given by its digest; None if it was never measured."""
        key = (family, wording, self.system_digest)
        for entry in reversed(self.measured):
            if (entry.family, entry.wording, entry.system) == key:
                return entry.values
        return None

    def completed(self) -> ModelProfile:
        """Return the profile with what was probed in place of the entries that it lacks."""
        if self.probed is None:
            return self
        probed = {"line": self.probed.line, "reference": self.probed.reference}
        missing = {name: value for name, value in probed.items() if value and name not in self.tokens.model_fields_set}
        tokens = self.tokens.model_copy(update=missing)
        limits = {name: getattr(self, name) or getattr(self.probed, name) for name in ("window", "max_output")}
        return self.model_copy(update={**limits, "tokens": tokens})


def profile_path(workspace: Workspace, name: str) -> Path:
    """Return the file of a model id: the project's own, or longctx's; the project's path if neither exists."""
    own, shipped = (file_of(folder, name, ".toml", model_in) for folder in workspace.folders("models"))
    return shipped if shipped.is_file() and not own.is_file() else own


def model_in(path: Path) -> str | None:
    """Return the model id that a profile names; None if it names none or cannot be read."""
    with contextlib.suppress(UserError, tomllib.TOMLDecodeError):
        named = tomllib.loads(read_text(path)).get("model")
        return named if isinstance(named, str) else None
    return None


def load_model(workspace: Workspace, name: str) -> ModelProfile:
    """Load the profile of a model id, or the defaults if it has none. Raises UserError if its file cannot be used."""
    return read_profile(workspace, name).completed()


def read_profile(workspace: Workspace, name: str) -> ModelProfile:
    """Load the profile of a model id as its file says, without what was probed. Raises UserError."""
    path = profile_path(workspace, name)
    profile = read_toml(path, ModelProfile) if path.is_file() else ModelProfile()
    return profile.model_copy(update={"model": profile.model or name})
