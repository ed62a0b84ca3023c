"""The request of a question, and what it can cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from longctx.cases.case import Trial
from longctx.config.models import ModelProfile
from longctx.live.cost.money import highest_compaction, highest_cost
from longctx.recording.request import sdk_arguments, sent_body
from longctx.recording.tape import Wanted
from longctx.vocabulary.cell import BuiltTrial


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRequest(Trial):
    """One of the requests of a trial of a test function, whose body and place on the tape are known."""

    wanted: Wanted
    body: Mapping[str, Any]
    """With the provider's id of the model."""
    headers: Mapping[str, str]


def most_paid(trial: Trial, model: ModelProfile | None = None) -> float:
    """Return the most that a question can cost in USD if it is asked directly. model: in place of its own."""
    case = trial.case
    model = model or case.model
    body = trial.body if isinstance(trial, OneRequest) else model.extra_body
    longest = case.longest_tokens
    request = highest_cost(model, case.most_tokens, case.reply_tokens, longest)
    return request + highest_compaction(model, body, case.most_tokens, longest)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that is ready to be sent, directly or in a batch."""

    trial: Trial
    built: BuiltTrial
    wanted: Wanted
    """Its place on the tape."""
    body: Mapping[str, Any]
    """As its API takes it, with the provider's id of the model."""
    headers: Mapping[str, str]

    @classmethod
    def of(cls, trial: Trial) -> Request:
        """Build the trial of a question. Raises UserError if it cannot be built."""
        built = trial.build()
        if isinstance(trial, OneRequest):
            return cls(trial, built, trial.wanted, trial.body, trial.headers)
        model = trial.case.model
        body = sent_body(built, model, trial.shared.cuts)
        return cls(trial, built, Wanted.of(trial, built), body, model.treatments)

    @property
    def in_batch(self) -> Request:
        """The same request as a batch takes it, without `stream`."""
        return replace(self, body={name: value for name, value in self.body.items() if name != "stream"})

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the SDK's call."""
        return sdk_arguments(self.wanted.path, self.body, self.headers)
