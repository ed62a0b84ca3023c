"""What is asked and answered: scenario, trial, reply, outcome. The scenarios of a family are a subclass of Scenario."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, Self

import numpy as np

from longctx.vocabulary.stream import frozen_stream

Kind = Literal["correct", "wrong", "unparseable", "refusal", "truncated", "infra_error", "not_asked"]

MEASURED: tuple[Kind, ...] = ("correct", "wrong", "unparseable", "refusal", "truncated")
"""Outcomes that count in a rate. The others say that the model was never measured."""

Words = Mapping[str, str]
"""The wording of one family: template name -> text, from a prompt set."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes a trial the same trial everywhere. The wording and the model are not in it."""

    family: str
    version: int
    scenario: str
    seed: int
    trial: int
    repeat: int = 0
    item: str | None = None

    def __str__(self) -> str:
        item = f"/{self.item}" if self.item else ""
        return (
            f"{self.family}.v{self.version}/{self.scenario}{item}"
            f"/seed-{self.seed}/trial-{self.trial}/repeat-{self.repeat}"
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """One seeded question of a scenario.

    depth: share of the user's text before the needle, 0 = start, 1 = end.
    distance_from_end: tokens after the needle; None where only the reply's usage can tell.
    prefix: trials with equal or neighbouring prefixes share the beginning of their prompts.
    recorded: parameters of the prompt that depend on the model, such as filler counts.
    facts: what the family's own `judge` needs.
    prefill: the beginning of the answer, for models that take one; the others get `without_prefill` after `user`.
    """

    identity: Identity
    system: str
    user: str
    expected: str
    max_tokens: int
    depth: float
    distance_from_end: int | None = None
    prefix: str = ""
    recorded: Mapping[str, int] = field(default_factory=dict)
    facts: Any = None
    prefill: str = ""
    without_prefill: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said. Tokens are the server's own counts.

    input_tokens include cached_tokens, read from the prompt cache (None: the server did not say), and
    cache_write_tokens, written to it, of which hour_write_tokens are kept for an hour. latency_s: None where it was not
    measured. batched: whether a batch answered, at its price.
    """

    text: str
    stop_reason: str | None
    model: str
    input_tokens: int
    cached_tokens: int | None
    output_tokens: int
    latency_s: float | None
    recorded_at: str
    request_sha256: str
    live: bool = False
    cache_write_tokens: int = 0
    hour_write_tokens: int = 0
    batched: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The judged trial. `why` is a sentence; `trace` holds its numbers."""

    kind: Kind
    returned: str | None = None
    why: str = ""
    trace: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a trial's user text that a reader of the report wants to see: characters start to end."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote as the model wrote it, and where it stands."""

    text: str
    in_record: bool
    in_needle: bool


@dataclass(frozen=True, slots=True)
class Scenario(ABC):
    """One cell of the benchmark: a family and its parameters.

    A family sets `family`, raises `version` when it builds different trials, names in `identified_by`
    the parameters (numbers or words) that tell its scenarios apart, and in `templates` the wording it needs.
    """

    family: ClassVar[str]
    version: ClassVar[int]
    identified_by: ClassVar[tuple[str, ...]]
    templates: ClassVar[Mapping[str, tuple[str, ...]]]
    """Template name -> the placeholders it must hold."""

    max_tokens: int = field(default=16, kw_only=True)
    """How long a reply may be. It is not in a trial's identity: the same question may be given more room."""

    @abstractmethod
    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        """The trial `index` (from 0) of this scenario under `seed`. A pure function."""

    @abstractmethod
    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        """What the reply is worth."""

    @abstractmethod
    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        """About how many tokens a prompt takes, by a model's tokens per unit (see model profiles)."""

    @property
    def length(self) -> int:
        """How long it is, in the unit of its family: what the bands of a profile are told by."""
        return 0

    @property
    def gated(self) -> bool:
        """Whether a drop of its rate is a drop of what is measured."""
        return True

    def prefix(self, words: Words, seed: int, index: int) -> str | None:
        """The prefix of trial `index` (see Trial), which a family may know without building it; None where trials share
        the words of their templates at most."""
        return self.build(words, seed, index).prefix

    def cluster(self, index: int) -> str:
        """What trial `index` has in common with others that are easy or hard with it; empty where it stands alone."""
        return ""

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        """Where the needle, the question, and the source of a wrong answer stand in `trial.user`; often fewer."""
        return []

    def quotes(self, trial: Trial, reply: Reply) -> list[Quote]:
        """What the reply quotes, and whether it stands where it should; for families that ask for quotes."""
        return []

    @classmethod
    def unit_texts(cls, words: Words) -> Mapping[str, tuple[str, str, int]]:
        """Unit of a model profile's [tokens] -> two texts, and by how many units the second is longer; often none."""
        return {}

    @classmethod
    def probes(cls, words: Words) -> dict[str, str]:
        """Texts whose token counts a model's tokenizer must give before this family can be built; often none."""
        return {}

    @classmethod
    def measured(cls, counts: Mapping[str, int]) -> dict[str, float]:
        """What `fit` needs, from the probes' token counts. Raises ValueError where these cannot be right."""
        return {}

    @property
    def run_facts(self) -> Mapping[str, int]:
        """What a run tells of it once, and not of each trial, such as how many questions a filter kept; often none."""
        return {}

    def indices(self, trials: int) -> Sequence[int]:
        """Which trials a run of `trials` asks."""
        return range(trials)

    @property
    def why_empty(self) -> str:
        """Why `indices` gives no trial, where it gives none."""
        return "its family gives none"

    def fit(self, measured: Mapping[str, float]) -> Self:
        """This scenario for one model, from what `measured` gave. Raises ValueError where it cannot be built."""
        return self

    @property
    def params(self) -> dict[str, int | str | None]:
        return {name: getattr(self, name) for name in self.identified_by}

    @property
    def slug(self) -> str:
        """`lines-500-block_size-10`: a name for files, test ids and -k. Parameters that are None are left out."""
        return "-".join(f"{name}-{value}" for name, value in self.params.items() if value is not None)

    @property
    def id(self) -> str:
        """What tells it from all other scenarios of a run: the slug, unless more than its parameters set it apart."""
        return self.slug

    @classmethod
    def from_slug(cls, slug: str, **given: Any) -> Self:
        """The scenario of a slug, and of what is `given` besides. Raises ValueError, naming the family's parameters."""
        rest = slug
        found: dict[str, Any] = {}
        types = {field.name: field.type for field in fields(cls)}
        for name in cls.identified_by:
            of_text = types[name] in ("str", str)  # its source, or what it means
            if match := re.match(rf"-?{name}-({r'[a-z_]+' if of_text else r'[0-9]+'})", rest):
                found[name] = match[1] if of_text else int(match[1])
                rest = rest[match.end() :]
        if rest or not found:
            raise ValueError(
                f"{cls.family} has no scenario {slug!r}; its parameters are {', '.join(cls.identified_by)}, "
                f"written like {'-'.join(f'{name}-10' for name in cls.identified_by)}."
            )
        try:
            scenario = cls(**found, **given)
        except TypeError:
            raise ValueError(f"{cls.family} scenario {slug!r} lacks one of {', '.join(cls.identified_by)}.") from None
        if scenario.slug != slug:
            raise ValueError(f"{cls.family} scenario {slug!r} is written {scenario.slug!r}.")
        return scenario

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        """Raises ValueError where there is no trial `index`."""
        return Identity(self.family, self.version, self.slug, seed, index, repeat)

    def stream(self, seed: int, index: int) -> np.random.RandomState:
        """The random stream of one trial. Repeats of a trial ask the same prompt, so `repeat` does not enter."""
        return frozen_stream(self.family, self.version, self.slug, seed, index)
