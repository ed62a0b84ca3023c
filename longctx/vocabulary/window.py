"""Scenarios whose prompt fills a window of a model's own tokens."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from longctx.vocabulary.scenario import Scenario, Trial, Words
from longctx.vocabulary.shapes import Context, Piece
from longctx.vocabulary.token_counts import check_profile, checked_counts


@dataclass(frozen=True, slots=True)
class WindowScenario(Scenario):
    """A scenario in a window of so many tokens, the reply's max_tokens included.

    The facts of its trials say where in the user's text the question begins: `facts.question`.
    """

    needs: ClassVar[tuple[str, ...]]
    """The names of the token values that the scenario needs."""
    counts_system: ClassVar[bool] = True

    window: int
    max_tokens: int = field(default=128, kw_only=True)
    tokens: Mapping[str, float] | None = field(default=None, kw_only=True, hash=False)
    """The model's own, from `token_values`."""

    def fit(self, values: Mapping[str, float]) -> Self:
        check_profile(values, self.needs)
        fitted = replace(self, tokens=values)
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

    @property
    def piece_count(self) -> int:
        return 1

    def in_pieces(self, words: Words, trial: Trial) -> Context:
        begins = trial.facts.question
        return Context((Piece(trial.user[:begins].strip()),), trial.user[begins:].strip(), needle=0)

    @property
    def length(self) -> int:
        """The tokens of the window."""
        return self.window

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return self.window - self.max_tokens


@dataclass(frozen=True, slots=True)
class LinesScenario(WindowScenario):
    """A window filled with lines that take about the same number of tokens each."""

    needs: ClassVar[tuple[str, ...]] = ("line", "fixed")
    spread: ClassVar[float]
    """Four standard deviations of the tokens of a line: prompts hardly ever exceed their window."""

    @classmethod
    @abstractmethod
    def probe_texts(cls, words: Words) -> Sequence[str]:
        """Return a prompt with one line, and a prompt with LINES + 1 lines that is otherwise the same."""

    @classmethod
    def probes(cls, words: Words) -> dict[str, str]:
        return dict(zip(("1 line", f"{LINES + 1} lines"), cls.probe_texts(words), strict=True))

    @classmethod
    def token_values(cls, counts: Mapping[str, int]) -> dict[str, float]:
        line = (counts[f"{LINES + 1} lines"] - counts["1 line"]) / LINES
        values = checked_counts({"line": line, "fixed": counts["1 line"] - line})
        return {name: round(value, 4) for name, value in values.items()}

    @property
    @abstractmethod
    def least_lines(self) -> int:
        """The fewest lines of a prompt."""

    def check_room(self) -> None:
        self.line_count()

    def line_count(self) -> int:
        """Return how many lines fill the window. Raises ValueError if they are too few."""
        line, fixed = self.counted["line"], self.counted["fixed"] + self.max_tokens
        room, least = self.window - fixed, self.least_lines
        # n lines and their deviation, spread * sqrt(n), take all of the room.
        root = (math.sqrt(self.spread**2 + 4 * line * max(room, 0)) - self.spread) / (2 * line)
        if (lines := int(root * root)) >= least:
            return lines
        needed = math.ceil(fixed + least * line + self.spread * math.sqrt(least)) + 1
        raise ValueError(
            f"a window of {self.window} tokens is too small for the {least} lines of {self.slug}: give at least "
            f"{needed}."
        )


LINES = 100
"""The random lines by which two probes differ; their tokens are averaged."""
