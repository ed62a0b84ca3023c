"""A question made ready to be sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longctx.recording.case import Question
from longctx.recording.request import call
from longctx.recording.tape import Wanted
from longctx.vocabulary.scenario import Trial


@dataclass(frozen=True, slots=True)
class Prepared:
    """Ready to be sent as often as it takes. sent: the arguments of the SDK's call."""

    question: Question
    trial: Trial
    wanted: Wanted
    sent: dict[str, Any]

    @classmethod
    def of(cls, question: Question) -> Prepared:
        """Raises UserError where the trial cannot be built."""
        trial = question.build()
        sent = call(trial, question.case.model, question.shared.cuts)
        return cls(question, trial, Wanted.of(question, trial), sent)
