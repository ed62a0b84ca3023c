"""Code on the recordings of a model of any API, run until it has all its answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.functions.ask import Ask
from longctx.functions.measure import run
from longctx.functions.trial import FunctionTrial
from longctx.recording.tape import Tape
from tests.functions.examples import MODEL, answer_to, cell_of, trial_of
from tests.recording.examples import AT, answer

MODELS = {name: ModelProfile(model=name) for name in ("claude", "other")}


def load(name: str) -> ModelProfile:
    if name not in MODELS:
        raise UserError("no-such-model", f"There is no model {name}.")
    return MODELS[name]


class Sum(BaseModel):
    total: int


class Rounds:
    """Runs code until it lacks nothing, and answers what it lacks.

    changed: fields of the answers that are numbered.
    """

    def __init__(self, tape: Tape, model: ModelProfile = MODEL, **changed: Any) -> None:
        self.tape, self.model, self.changed = tape, model, changed
        self.asked = self.rounds = 0
        self.ask = Ask(lambda: self.trial, load)

    def run(self, code: Any, *answers: dict[str, Any]) -> Any:
        """Return what the code returns. answers: in their order; if there are none, each has a number for its text."""
        left = iter(answers) if answers else None
        while True:
            self.rounds += 1
            found: list[Any] = []
            result = run(self.trial_again(), lambda: found.append(code(self.ask)))  # noqa: B023
            if result.kind != "suspended":
                if result.error:
                    raise result.error
                return found[0]
            self._answer(left)

    def trial_again(self) -> FunctionTrial:
        """Return a fresh run of the trial, which `ask` serves."""
        self.trial = trial_of(cell_of(model=self.model), tape=self.tape)
        return self.trial

    def _answer(self, answers: Iterator[dict[str, Any]] | None) -> None:
        for each in self.trial.unanswered:
            self.asked += 1
            if answers:
                self.tape.record(each.place, answer(json.dumps(next(answers)).encode()), AT, 1.0)
            else:
                answer_to(each, self.tape, f"reply {each.place.number}", **self.changed)
