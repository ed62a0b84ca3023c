"""A question that is ready to be sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longctx.recording.case import Question
from longctx.recording.request import call
from longctx.recording.tape import Wanted
from longctx.vocabulary.scenario import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRequest(Question):
    """One of the requests of a trial of a test function, whose body and place on the tape are known."""

    wanted: Wanted
    body: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with its trial and its place on the tape. sent: the arguments of the SDK's call."""

    question: Question
    trial: Trial
    wanted: Wanted
    sent: dict[str, Any]

    @classmethod
    def of(cls, question: Question) -> Prepared:
        """Build the trial of a question. Raises UserError if it cannot be built."""
        trial = question.build()
        sent = call(trial, question.case.model, question.shared.cuts)
        return cls(question, trial, Wanted.of(question, trial), sent)
