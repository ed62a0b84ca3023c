"""A scenario whose prompt fills a window of a model's own tokens, and asks for a set of names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from longctx import Context, Mark, Outcome, Piece, Scenario, Trial, Words
from longctx.families.tracing_and_counting.protocol import answers
from longctx.vocabulary.token_counts import check_profile


@dataclass(frozen=True, slots=True)
class NamedSetScenario(Scenario):
    """A scenario in a window of so many tokens, the reply's max_tokens included. tokens: a model's, from `measured`."""

    measures: ClassVar[tuple[str, ...]]
    """The names of the measures of a model's tokens that the scenario needs."""
    counts_system: ClassVar[bool] = True

    window: int
    max_tokens: int = field(default=128, kw_only=True)
    tokens: Mapping[str, float] | None = field(default=None, kw_only=True, hash=False)

    def fit(self, measured: Mapping[str, float]) -> Self:
        check_profile(measured, self.measures)
        fitted = replace(self, tokens=measured)
        fitted.check_room()
        return fitted

    @property
    def counted(self) -> Mapping[str, float]:
        """The model's tokens. Raises ValueError if they were not measured."""
        if self.tokens is None:
            raise ValueError("the model's tokens of this wording are not known.")
        return self.tokens

    @abstractmethod
    def check_room(self) -> None:
        """Raise ValueError if the window is too small."""

    def shared_prefix(self, fillers: int, context_number: int) -> str:
        """Return the prefix of a trial. fillers: the repetitions of the filler before anything else in its text."""
        prefix = f"{self.family}/{self.window}/{fillers:09d}"
        return f"{prefix}/{context_number:06d}" if self.questions_per_context > 1 else prefix

    @property
    def piece_count(self) -> int:
        return 1

    def in_pieces(self, words: Words, trial: Trial) -> Context:
        begins = trial.facts.question
        return Context((Piece(trial.user[:begins].strip()),), trial.user[begins:].strip(), needle=0)

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        return answers.marks(trial, outcome)

    @property
    def length(self) -> int:
        """The tokens of the window."""
        return self.window

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return self.window - self.max_tokens
