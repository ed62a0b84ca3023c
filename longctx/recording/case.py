"""What is asked: a case is one scenario for one model in one wording; a question is one of its trials."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field

from longctx.config.folders import file_name, slug
from longctx.config.models import ModelProfile
from longctx.config.prompts import Wording
from longctx.errors import UserError
from longctx.vocabulary.scenario import Identity, Scenario, Trial


@dataclass(frozen=True, slots=True)
class Case:
    """One test case: a scenario, whom it is asked, in which words, and how often."""

    model: ModelProfile
    wording: Wording
    scenario: Scenario
    seed: int
    trials: int
    repeats: int = 1
    only_trial: int | None = None
    """Its index, where a single trial is asked rather than `trials`."""
    min_rate: float | None = None
    band: str = "all"
    """The band of its family's lengths."""
    counted: int | None = None
    """Tokens of one of its prompts, as the model's server counts them; None where it was not asked."""

    @property
    def id(self) -> str:
        return f"{file_name(self.model.model)}-{self.wording.prompt_set}-{self.scenario.id}"

    @property
    def file(self) -> str:
        """The scenario's file on the tape, relative to the cassette folder."""
        return f"{file_name(self.model.model)}/{self.scenario.family}/{self.scenario.slug}.jsonl"

    @property
    def measured(self) -> dict[str, float] | None:
        """What the model's tokenizer makes of this family's wording; None where it must be measured first."""
        if not self.scenario.probes(self.wording.words):
            return {}
        return self.model.measures(self.scenario.family, self.wording.digest)

    @property
    def size(self) -> int:
        """How many questions the case asks: fewer than its trials where its family has no more."""
        return (len(self.scenario.indices(self.trials)) if self.only_trial is None else 1) * self.repeats

    def clusters(self) -> list[object]:
        """What each of its trials is easy or hard together with, such as the section that it asks about: fewer of them
        than `trials` where its family has no more questions."""
        scenario = self.scenario
        return [scenario.cluster(index) or (scenario.slug, index) for index in scenario.indices(self.trials)]

    @property
    def size_tokens(self) -> int:
        """The tokens of a prompt: as counted, or about, by the model's profile."""
        if self.counted is not None:
            return self.counted
        return self.scenario.size_tokens(self.model.tokens.model_dump())

    @property
    def longest_tokens(self) -> int:
        """Tokens of a prompt that takes a tenth more than estimated: prompts of one size differ, and tokenizers do."""
        return self.size_tokens * 11 // 10

    @property
    def reply_tokens(self) -> int:
        """The most a reply may take."""
        return self.scenario.max_tokens + self.model.thinking_tokens

    def fitted(self) -> Case:
        """This case, ready to be built for its model. Raises UserError where it cannot be."""
        size, window = self.size_tokens, self.model.window
        if window is not None and size + self.reply_tokens > window:
            raise UserError(
                "window-too-small",
                f"{self.id} takes about {size:,} tokens and its reply up to {self.reply_tokens:,}, but the window of "
                f"{self.model.model} is {window:,}: choose smaller sizes in the profile, or another model.",
            )
        most = self.model.max_output
        if most is not None and self.reply_tokens > most:
            raise UserError(
                "reply-too-long",
                f"{self.id} asks for replies of up to {self.reply_tokens:,} tokens, but {self.model.model} takes no "
                f"request for more than {most:,}: lower max_tokens in the profile, or thinking_tokens in the model's.",
            )
        if self.measured is None:
            raise UserError(
                "prompt-set-not-measured",
                f"{self.id}: it was never measured how many tokens {self.model.model} makes of the prompt set "
                f"{self.wording.prompt_set!r} ({self.wording.digest}). "
                "Record it with --ctx-record once, which measures that first.",
            )
        try:
            fitted = dataclasses.replace(self, scenario=self.scenario.fit(self.measured))
            if self.only_trial is not None:
                fitted.scenario.identity(self.seed, self.only_trial, 0)
            return fitted
        except ValueError as error:
            raise UserError("scenario-not-buildable", f"{self.id}: {error}") from None

    def questions(self) -> Iterator[Question]:
        indices = self.scenario.indices(self.trials) if self.only_trial is None else [self.only_trial]
        for repeat in range(self.repeats):
            for index in indices:
                yield Question(self, index, repeat)


def earlier_file(file: str, model: str) -> str:
    """A model's file under the name that its folder had when other models could have the same."""
    return f"{slug(model)}/{file.partition('/')[2]}"


@dataclass(frozen=True, slots=True)
class Shared:
    """What a prompt has in common with those asked around it (see sharing.py). Offsets are characters of `length`,
    that of the user's turn.

    cuts: where shared beginnings end, ascending; the longest ones are marked for the model's prompt cache.
    read: how much of it a question asked before has written; after: the key of that question.
    """

    length: int = 0
    cuts: tuple[int, ...] = ()
    read: int = 0
    after: str | None = None

    @property
    def read_share(self) -> float:
        """The part of the prompt that is read from the cache."""
        return self.read / self.length if self.read else 0.0

    @property
    def write_share(self) -> float:
        """The part of the prompt that is written to the cache."""
        return (self.cuts[-1] - self.read) / self.length if self.cuts else 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """One trial of a fitted case.

    What is known of it is no part of what it is. shared: what it has in common with those asked before it. built: its
    trial, where it was kept. sha256: the digest of its request; empty where it is not known.
    """

    case: Case
    index: int
    repeat: int = 0
    shared: Shared = field(default=Shared(), compare=False)
    built: Trial | None = field(default=None, compare=False, repr=False)
    sha256: str = field(default="", compare=False)

    @property
    def identity(self) -> Identity:
        return self.case.scenario.identity(self.case.seed, self.index, self.repeat)

    @property
    def key(self) -> str:
        """This trial for this model in this wording."""
        return f"{self.case.model.model}/{self.case.wording.digest}/{self.identity}"

    @property
    def prefix(self) -> str | None:
        """The prefix of the trial (see Scenario). Raises UserError as `build` does."""
        case = self.case
        try:
            return case.scenario.prefix(case.wording.words, case.seed, self.index)
        except ValueError as error:
            raise UserError("scenario-not-buildable", f"{case.id}: {error}") from None

    def build(self) -> Trial:
        """The trial. Raises UserError where its scenario cannot be built with these parameters."""
        if self.built is not None:
            return self.built
        try:
            return self.case.scenario.build(self.case.wording.words, self.case.seed, self.index, self.repeat)
        except ValueError as error:
            raise UserError("scenario-not-buildable", f"{self.case.id}: {error}") from None
