"""Code on the recordings of a model of any API, run until it has all its answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from longctx.config.models import ModelProfile
from longctx.functions.ask import Ask
from longctx.functions.measure import run
from longctx.functions.trial import FunctionTrial
from longctx.recording.tape import Tape
from tests.functions.examples import case_of, trial_of
from tests.recording.examples import AT

CLAUDE = ModelProfile(model="claude")


class Rounds:
    """Runs code until it lacks nothing, and answers what it lacks, one answer after another."""

    def __init__(self, tape: Tape, model: ModelProfile) -> None:
        self.tape, self.model = tape, model
        self.asked = 0
        self.ask = Ask(lambda: self.trial, lambda name: CLAUDE)

    def run(self, code: Any, *answers: dict[str, Any]) -> Any:
        case, left = case_of(model=self.model), iter(answers)
        while True:
            self.trial = trial_of(case, tape=self.tape)
            ask = self.ask
            found: list[Any] = []
            result = run(self.trial, lambda: found.append(code(ask)))  # noqa: B023
            if result.kind != "suspended":
                if result.error:
                    raise result.error
                return found[0]
            self._answer(left)

    def trial_again(self) -> FunctionTrial:
        """Return a fresh run of the trial, which `ask` serves."""
        self.trial = trial_of(case_of(model=self.model), tape=self.tape)
        return self.trial

    def _answer(self, answers: Iterator[dict[str, Any]]) -> None:
        for each in self.trial.unanswered:
            self.asked += 1
            content = json.dumps(next(answers)).encode()
            answer = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": content}}
            self.tape.record(each.place, answer, AT, 1.0)
