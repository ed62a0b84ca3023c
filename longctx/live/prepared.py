"""A question that is ready to be sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longctx.cases.case import Question
from longctx.config.models import ModelProfile
from longctx.live.cost.money import highest_compaction, highest_cost
from longctx.recording.apis import messages
from longctx.recording.request import call, posted
from longctx.recording.tape import Wanted
from longctx.vocabulary.scenario import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRequest(Question):
    """One of the requests of a trial of a test function, whose body and place on the tape are known."""

    wanted: Wanted
    body: Mapping[str, Any]
    """With the provider's id of the model."""
    headers: Mapping[str, str]

    @property
    def sent(self) -> dict[str, Any]:
        """The arguments of the SDK's call."""
        if self.case.model.api != messages.NAME:
            return posted(self.wanted.path, self.body, self.headers)
        named = {name: value for name, value in self.body.items() if name in ("model", "max_tokens", "messages")}
        extra = {name: value for name, value in self.body.items() if name not in named}
        return {**named, "extra_body": extra or None, "extra_headers": dict(self.headers) or None}


def most_paid(question: Question, model: ModelProfile | None = None) -> float:
    """Return the most that a question can cost in USD if it is asked directly. model: in place of its own."""
    case = question.case
    model = model or case.model
    body = question.body if isinstance(question, OneRequest) else model.extra_body
    longest = case.longest_tokens
    request = highest_cost(model, case.most_tokens, case.reply_tokens, longest)
    return request + highest_compaction(model, body, case.most_tokens, longest)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with its trial and its place on the tape."""

    question: Question
    trial: Trial
    wanted: Wanted
    sent: dict[str, Any]
    """The arguments of the SDK's call."""

    @classmethod
    def of(cls, question: Question) -> Prepared:
        """Build the trial of a question. Raises UserError if it cannot be built."""
        trial = question.build()
        if isinstance(question, OneRequest):
            return cls(question, trial, question.wanted, question.sent)
        sent = call(trial, question.case.model, question.shared.cuts)
        return cls(question, trial, Wanted.of(question, trial), sent)
