"""Model profiles: what is known of a model (window, request extras, tokens per unit, prices), with its source."""

from __future__ import annotations

import contextlib
import datetime
import functools
import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from longctx.config.file_names import file_name
from longctx.config.project_files import read_text, read_toml
from longctx.errors import UserError, closest
from longctx.fields import parsed
from longctx.own_environment import variable
from longctx.workspace import Workspace

MODEL_ID = r"^([^.\x00-\x20].{0,199})?$"
"""The pattern of model ids: they become names of files and parts of URLs, so none is `..`."""


API = Literal["anthropic", "openai-chat", "openai-responses", "gemini"]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class TokenPrices(_Table):
    """USD per million tokens."""

    input: float = Field(ge=0)
    """The price of input tokens."""
    output: float = Field(ge=0)
    """The price of output tokens, thinking included."""
    cache_read: float | None = Field(default=None, ge=0)
    """The price of tokens read from the prompt cache; by default the input price."""
    cache_write: float | None = Field(default=None, ge=0)
    """The price of tokens written to the prompt cache; by default the input price."""
    cache_write_1h: float | None = Field(default=None, ge=0, exclude_if=lambda price: price is None)
    """The price of tokens that the cache keeps for an hour; `cache_write` is for five minutes."""


class Tier(TokenPrices):
    """Prices of a request whose prompt has more than `tokens`, cached ones included."""

    tokens: PositiveInt
    """The length of a prompt above which these rates hold."""


class Prices(TokenPrices):
    """The rates that were valid on `dated`; those of longer prompts are in `above`."""

    batch_discount: float = Field(default=0.0, ge=0, le=1)
    """The share that a Message Batch saves."""
    dated: datetime.date
    """The day on which these prices were valid."""
    source: str = ""
    """The page or document that states the prices."""
    above: tuple[Tier, ...] = Field(default=(), exclude_if=lambda tiers: not tiers)
    """The rates of longer prompts."""

    @model_validator(mode="after")
    def _each_tier_once(self) -> Self:
        lengths = [tier.tokens for tier in self.above]
        if twice := sorted({tokens for tokens in lengths if lengths.count(tokens) > 1}):
            raise ValueError(f"two tiers begin above {twice[0]:,} tokens: keep one of them")
        return self

    def at(self, prompt: float) -> TokenPrices:
        """Return the rates of a request. prompt: the tokens of its prompt, cached ones included."""
        reached = (tier for tier in self.above if tier.tokens < prompt)
        return max(reached, key=lambda tier: tier.tokens, default=self)


class Caching(_Table):
    """A prompt cache that keeps the prefixes which `cache_control` marks."""

    min_tokens: PositiveInt = 1024
    """The length of the shortest prefix that the cache keeps, in tokens."""
    breakpoints: PositiveInt = 4
    """The largest number of marks (cache breakpoints) in one request."""
    ttl: Literal["5m", "1h"] = "5m"
    """How long the cache keeps a prefix; each read renews it."""


class TokensPerUnit(_Table):
    """The tokens of one unit of a test, for estimates before any request is sent."""

    line: PositiveFloat = 15.0
    """The tokens of a line of line retrieval."""
    reference: PositiveFloat = 1.1
    """The model's tokens for each token of the corpora's reference vocabulary."""


class TokenCounts(_Table):
    """The token counts of the probes of a protocol or a test function, from count_tokens."""

    test: str
    """The name of the protocol or of the test function."""
    wording: str
    """The digest of a protocol's templates, or of a test function's probes."""
    system: str = ""
    """The digest of the profile's own system prompt, which was counted too; empty if it had none."""
    on: datetime.date
    """The day on which they were counted."""
    values: dict[str, FiniteFloat]
    """What a protocol makes of its counts; the counts themselves of a test function, by the names of its probes."""


class Probed(_Table):
    """The server's description of the model, used if the profile has no window, limits or token counts itself.

    window, max_output: tokens. thinking, effort: the values that the model accepts. line, reference: see TokensPerUnit.
    None: unknown.
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


class Thinking(_Table):
    """The `thinking` parameter of the Messages API."""

    type: Literal["enabled", "adaptive", "disabled", "between_tools"]
    """Whether the model thinks, and whether you or the model decides how much."""
    budget_tokens: int | None = Field(default=None, ge=1024)
    """The most tokens of thinking; required with `enabled`, and not allowed otherwise."""
    display: Literal["summarized", "omitted"] | None = None
    """Whether the reply contains a summary of the thinking."""

    @model_validator(mode="after")
    def _budget_where_it_belongs(self) -> Self:
        if (self.type == "enabled") != (self.budget_tokens is not None):
            raise ValueError(
                "type = 'enabled' needs budget_tokens, and no other type takes them: "
                "write { type = 'enabled', budget_tokens = 2048 } or { type = 'adaptive' }"
            )
        if self.display and self.type not in ("enabled", "adaptive"):
            raise ValueError(f"display sets how thinking is returned: remove it with type = {self.type!r}")
        return self


class Accepts(_Table):
    """What a server of an OpenAI API takes, where servers differ."""

    system: Literal["system", "developer", "user"] = "system"
    """The role of the message that is the system prompt, in chat completions."""
    limit: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """The name of the most tokens of a reply, in chat completions."""


def _room_to_think(given: dict[str, Any]) -> int:
    thinking = given.get("thinking")
    return (thinking and thinking.budget_tokens) or 0


class ModelProfile(_Table):
    """The description of a model. A model id without a profile works with the defaults."""

    model: str = Field(default="", pattern=MODEL_ID)
    """The model id in requests, rows and cassettes; by default the name of the file."""
    provider: Literal["anthropic", "bedrock", "vertex", "foundry"] = "anthropic"
    """The provider that serves the model, which decides the SDK's client."""
    provider_model: str = Field(default="", pattern=MODEL_ID)
    """The model id that is sent to the provider, if it differs from `model`; recordings and rows name `model`."""
    api: API = "anthropic"
    """The API of the model: Messages, chat completions, responses, or Gemini's generateContent."""
    base_url: str = ""
    """The server of a model with another API than Messages; the vendor's own if it is not given."""
    key: str = Field(default="", pattern=r"^([A-Z][A-Z0-9_]*_API_KEY)?$")
    """The environment variable with the key of that server; the SDK's own for the vendor's server, else none."""
    accepts: Accepts = Accepts()
    """The names that a server of chat completions accepts: the role of the system prompt, the limit of the reply."""
    window: PositiveInt | None = None
    """The tokens that prompt and reply may fill; by default queried from the server."""
    max_output: PositiveInt | None = None
    """The tokens of the longest reply allowed."""
    system: str = ""
    """A system prompt that is sent before that of the prompt set."""
    thinking: Thinking | None = None
    """The `thinking` parameter of the Messages API."""
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    """The effort that is requested, as `output_config.effort` of the Messages API."""
    extra_body: dict[str, Any] = {}
    """Entries that are added to the body of every request; they replace entries of the same name."""
    betas: tuple[str, ...] = ()
    """Betas of the API, which are sent as `anthropic-beta` with every request."""
    headers: dict[str, str] = {}
    """Other headers on which answers may depend, sent with every request."""
    transport_headers: tuple[str, ...] = ()
    """Names of headers in ANTHROPIC_CUSTOM_HEADERS on which no answer depends, such as a gateway's credentials."""
    thinking_tokens: NonNegativeInt = Field(default_factory=_room_to_think)
    """Tokens added to a test's max_tokens for a model that thinks before it answers. Default: its thinking budget."""
    timeout_s: PositiveFloat = 600.0
    """The seconds within which a complete answer must arrive."""
    prefill: bool = False
    """Whether the model accepts a prompt that ends with the beginning of its answer."""
    tokens: TokensPerUnit = TokensPerUnit()
    """The tokens of one unit of a test, for estimates before any request is sent."""
    prices: Prices | None = None
    """USD per million tokens. Without them no cost is known; `--ctx-max-cost` needs them."""
    retires: datetime.date | None = Field(default=None, exclude_if=lambda day: day is None)
    """The day on which its provider retires it; runs warn from 60 days before."""
    caching: Caching | None = None
    """The model's prompt cache. Without this table no prefix is marked, though a server may cache by itself."""
    provenance: dict[str, str] = {}
    """Weights, quantization and server, in your own words."""
    probed: Probed | None = None
    """The server's description of the model; written by `models probe`."""
    token_counts: tuple[TokenCounts, ...] = Field((), alias="measured")
    """The token counts of each protocol and test function; written by `models probe` and by live runs."""

    @model_validator(mode="after")
    def _room_for_the_budget(self) -> Self:
        if self.thinking_tokens < (least := _room_to_think({"thinking": self.thinking})):
            raise ValueError(
                f"thinking_tokens must be at least the {least} budget_tokens of thinking: raise it, or leave it out"
            )
        return self

    @model_validator(mode="after")
    def _settings_of_its_api(self) -> Self:
        messages_only = ("caching", "prefill", "betas", *(() if self.api == "gemini" else ("thinking",)))
        others_only = ("base_url", "key", "accepts")
        given = self.model_fields_set
        if self.api == "anthropic":
            if wrong := [name for name in others_only if name in given]:
                raise ValueError(f"{wrong[0]} is for models with an OpenAI API: add api = 'openai-chat', or remove it")
            return self
        if self.api == "gemini" and "accepts" in given:
            raise ValueError("accepts is for models with an OpenAI API: remove it")
        if wrong := [name for name in messages_only if getattr(self, name)]:
            raise ValueError(f"{wrong[0]} belongs to the Messages API, and api is {self.api!r}: remove it")
        if self.provider != "anthropic":
            raise ValueError(f"provider = {self.provider!r} supports only the Messages API: remove provider, or api")
        if self.key.startswith("ANTHROPIC_"):
            raise ValueError(
                f"key = {self.key!r} is Anthropic's, which is sent to no other server: name another variable"
            )
        vendor = VENDORS[OF_APIS[self.api]]
        if self.key not in ("", *vendor.keys) and not self.base_url:
            raise ValueError(
                f"key = {self.key!r} without base_url would be sent to {vendor.name}: name its server, too"
            )
        return self

    @model_validator(mode="after")
    def _headers_in_their_places(self) -> Self:
        for beta in self.betas:
            if not BETA_NAME.fullmatch(beta):
                raise ValueError(
                    f"{beta!r} is not the name of a beta: write one name per entry, such as 'name-2026-01-01'"
                )
        for name, value in self.headers.items():
            if name == BETA:
                raise ValueError(f"{name} does not belong in headers: list its values in betas")
            if is_transport(name):
                raise ValueError(f"{name} is a credential or transport, not a treatment: set it in {CUSTOM}")
            if not (NAME.fullmatch(name) and VALUE.fullmatch(value)):
                raise ValueError(
                    f"{name!r} = {value!r} is not a header: write its name in lower case, and a value in ASCII"
                )
        for name in self.transport_headers:
            if name.startswith("anthropic-") or not NAME.fullmatch(name):
                raise ValueError(
                    f"{name!r} is no name for transport_headers: write the name of a gateway's header, in lower case"
                )
        return self

    @property
    def treatments(self) -> dict[str, str]:
        """The headers that are part of the question."""
        return self.headers | beta_header(self.betas)

    @property
    def sent_as(self) -> str:
        """The id that the provider knows the model by."""
        return self.provider_model or self.model

    @property
    def system_digest(self) -> str:
        """The digest of the profile's own system prompt; empty where it has none."""
        return hashlib.sha256(self.system.encode()).hexdigest()[:12] if self.system else ""

    def system_prompt(self, system: str) -> str:
        """Return the profile's system prompt, a blank line, and the prompt set's; without the part that is empty."""
        return "\n\n".join(filter(None, (self.system, system)))

    def token_values(self, test: str, wording: str) -> dict[str, float] | None:
        """Return the latest token counts of a wording, given by its digest; None if it was never counted."""
        key = (test, wording, self.system_digest)
        for entry in reversed(self.token_counts):
            if (entry.test, entry.wording, entry.system) == key:
                return entry.values
        return None

    def completed(self) -> ModelProfile:
        """Return the profile with what was probed instead of the entries that it lacks."""
        if self.probed is None:
            return self
        probed = {"line": self.probed.line, "reference": self.probed.reference}
        missing = {name: value for name, value in probed.items() if value and name not in self.tokens.model_fields_set}
        tokens = self.tokens.model_copy(update=missing)
        limits = {name: getattr(self, name) or getattr(self.probed, name) for name in ("window", "max_output")}
        return self.model_copy(update={**limits, "tokens": tokens})


def profile_path(workspace: Workspace, name: str) -> Path:
    """Return the file of a model id: the project's own, or longctx's; the project's path if neither exists."""
    own, shipped = (folder / f"{file_name(name)}.toml" for folder in workspace.folders("models"))
    own = workspace.own("models", own.name)
    return shipped if shipped.is_file() and not own.is_file() else own


def model_in(path: Path) -> str | None:
    """Return the model id that a profile names; None if it names none or cannot be read."""
    return _entry_of(path, "model")


def _entry_of(path: Path, name: str) -> str | None:
    with contextlib.suppress(UserError, ValueError):
        entry = parsed(tomllib.loads, read_text(path)).get(name)
        return entry if isinstance(entry, str) else None
    return None


def misspelled(workspace: Workspace, names: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each model without a profile whose name is close to that of a model that has one."""
    for name in names:
        if profile_path(workspace, name).is_file():
            continue
        known = [model_in(path) or path.stem for path in workspace.list("models", "*.toml")]
        if close := closest(name, known):
            yield f"There is no profile of {name}, so its window and its prices are not known. Did you mean {close!r}?"


def check_api(model: ModelProfile, base_url: str | None) -> None:
    """Raise UserError if a model of another vendor would be sent to Anthropic's own server."""
    vendor = next((vendor for vendor, named in OTHERS.items() if re.match(named, model.model)), "")
    if not vendor or model.api != "anthropic" or base_url or variable("ANTHROPIC_BASE_URL"):
        return
    file = f"fixtures/models/{file_name(model.model)}.toml"
    api = "openai-chat" if vendor == "OpenAI" else "gemini"
    raise UserError(
        "model-of-another-vendor",
        f"{model.model} is a model of {vendor}, but its requests would go to Anthropic's server: "
        f'add the line api = "{api}" into {file} (longctx models add {model.model} --api {api} writes this file).',
    )


def load_model(workspace: Workspace, name: str) -> ModelProfile:
    """Load the profile of a model id, or the defaults if it has none. Raises UserError if its file cannot be used."""
    return read_profile(workspace, name).completed()


def read_profile(workspace: Workspace, name: str) -> ModelProfile:
    """Load the profile of a model id from its file, without what was probed. Raises UserError."""
    path = profile_path(workspace, name)
    profile = read_toml(path, ModelProfile) if path.is_file() else ModelProfile()
    return profile.model_copy(update={"model": profile.model or name})


CUSTOM = "ANTHROPIC_CUSTOM_HEADERS"
"""The environment variable whose headers the SDK sends with every request."""
BETA = "anthropic-beta"
TRANSPORT = frozenset(
    (
        *("accept", "accept-encoding", "connection", "content-length", "content-type", "host", "idempotency-key"),
        *("keep-alive", "te", "transfer-encoding", "user-agent", "via", "forwarded", "cookie"),
        *("anthropic-workspace-id", "anthropic-dangerous-direct-browser-access", "x-api-key", "api-key"),
        *("openai-organization", "openai-project", "x-server-timeout"),
        *("x-request-id", "x-correlation-id", "x-client-request-id", "traceparent", "tracestate", "baggage", "b3"),
    )
)
"""Headers on which no answer depends: of the connection, credentials, and marks by which logs are joined."""
TRANSPORT_PREFIXES = ("x-stainless-", "x-amz-", "x-amzn-", "x-goog-", "x-b3-", "x-datadog-", "x-forwarded-", "sentry-")
CREDENTIAL = re.compile(r"(^|-)(authorization|auth|token|secret|(api|access|subscription|secret)-key)$|^cf-access-")
"""Matches the names that gateways give to credentials."""
CREDENTIAL_BETAS = frozenset({"oauth-2025-04-20", "oidc-federation-2026-04-01"})
"""The betas that the SDK sends with an OAuth token."""
VERSION = "anthropic-version"
"""The API's version, which the SDK chooses; a user's own choice is a treatment."""
NAME = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+")
VALUE = re.compile(r"[!-~]([ -~]*[!-~])?")
BETA_NAME = re.compile(r"[A-Za-z0-9._-]+")


def is_transport(name: str) -> bool:
    """Return whether no answer depends on a header. name: in lower case."""
    return name in TRANSPORT or name.startswith(TRANSPORT_PREFIXES) or bool(CREDENTIAL.search(name))


def treatments(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headers on which an answer may depend, with their names in lower case and the betas in order."""
    found: dict[str, str] = {}
    betas: set[str] = set()
    for given, value in headers:
        name = given.lower()
        if name == BETA:
            betas |= set(filter(None, map(str.strip, value.split(","))))
        elif not is_transport(name):
            found[name] = value
    return found | beta_header(betas)


def beta_header(betas: Iterable[str]) -> dict[str, str]:
    """Return the header of these betas, except those of credentials; empty without any."""
    return {BETA: ",".join(ordered)} if (ordered := sorted({*betas} - CREDENTIAL_BETAS)) else {}


def custom_headers() -> list[tuple[str, str]]:
    """Return the headers of ANTHROPIC_CUSTOM_HEADERS, read as the SDK reads them."""
    lines = (line.partition(":") for line in variable(CUSTOM).split("\n") if ":" in line)
    return [(name.strip(), value.strip()) for name, _, value in lines]


def header_lines(headers: Mapping[str, str]) -> str:
    """Return headers as text, one a line, in the order of their names."""
    return "\n".join(f"{name}: {value}" for name, value in sorted(headers.items()))


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor, and where its own SDK finds server and key."""

    name: str
    server: str
    address: str
    """The environment variable that names another server."""
    keys: tuple[str, ...]
    """The environment variables of the key, the first of which counts if several are set."""
    more_addresses: tuple[str, ...] = ()
    """The environment variables by which its SDK finds the servers of other providers."""


ANTHROPIC = Vendor(
    "Anthropic",
    "https://api.anthropic.com",
    "ANTHROPIC_BASE_URL",
    ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    tuple(f"ANTHROPIC_{of}_BASE_URL" for of in "AWS BEDROCK BEDROCK_MANTLE FOUNDRY GOOGLE_CLOUD VERTEX".split()),
)
VENDORS = {
    "openai": Vendor(
        "OpenAI",
        "https://api.openai.com",
        "OPENAI_BASE_URL",
        ("OPENAI_API_KEY",),
        ("AZURE_OPENAI_ENDPOINT", "AWS_BEDROCK_BASE_URL"),
    ),
    "google": Vendor(
        "Google",
        "https://generativelanguage.googleapis.com",
        "GOOGLE_GEMINI_BASE_URL",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        ("GOOGLE_VERTEX_BASE_URL",),
    ),
}
"""By the names of their SDKs in `ask.client(…)`."""
HEADERS_VARIABLE = "ANTHROPIC_CUSTOM_HEADERS"
"""The environment variable of headers that Anthropic's SDK sends with each request."""
OTHERS = {"OpenAI": r"(gpt-|chatgpt-|o\d)", "Google": r"gemini-"}
"""How the ids of other vendors' models begin."""
OF_APIS = {"openai-chat": "openai", "openai-responses": "openai", "gemini": "google"}
"""The vendor of each API."""


def servers_named(workspace: Workspace) -> set[str]:
    """Return the servers that the project's model profiles and the variables of the vendors' SDKs name."""
    variables = (name for of in (ANTHROPIC, *VENDORS.values()) for name in (of.address, *of.more_addresses))
    return {*_in_profiles(workspace, "base_url"), *filter(None, map(variable, variables))}


def key_variables(workspace: Workspace) -> frozenset[str]:
    """Return the environment variables that hold keys: the vendors' own, and those that the project's profiles name."""
    vendors = (name for of in (ANTHROPIC, *VENDORS.values()) for name in of.keys)
    return frozenset((*vendors, HEADERS_VARIABLE, *_in_profiles(workspace, "key")))


@functools.cache
def _in_profiles(workspace: Workspace, entry: str) -> frozenset[str]:
    named = (_entry_of(path, entry) for path in workspace.list("models", "*.toml"))
    return frozenset(filter(None, named))


def sdk_at(host: str) -> str:
    """Return the name in `ask.client(…)` of the SDK whose vendor has this host; empty for Anthropic's and any other."""
    return next((sdk for sdk, vendor in VENDORS.items() if vendor.server == f"https://{host}"), "")
