"""A scenario whose prompt fills a window of a model's own tokens, and asks for a set of names."""

from __future__ import annotations

from dataclasses import dataclass

from longctx import Mark, Outcome, Trial, Words
from longctx.families.tracing_and_counting.protocol import answers
from longctx.vocabulary.window import WindowScenario


@dataclass(frozen=True, slots=True)
class NamedSetScenario(WindowScenario):
    """A scenario in a window that asks for a set of names."""

    def shared_prefix(self, fillers: int, context_number: int) -> str:
        """Return the prefix of a trial. fillers: the repetitions of the filler before anything else in its text."""
        prefix = f"{self.family}/{self.window}/{fillers:09d}"
        return f"{prefix}/{context_number:06d}" if self.questions_per_context > 1 else prefix

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        return answers.marks(trial, outcome)
