"""Asking what a test function lacks: its trials go on side by side, each as its replies arrive.

A trial runs until it lacks an answer. Its requests are sent, and it runs again from its start, against what
is recorded, until it lacks nothing.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Self

from longctx.cells.cell import Trial
from longctx.functions.contexts import in_contexts, of_one_context, shared_requests
from longctx.functions.measure import JUDGE_ERROR, Result, RunOnce, TrialOf
from longctx.functions.trial import CACHED, FunctionTrial, TestMistake
from longctx.live.canary import ERROR, Canary
from longctx.live.display import Tally
from longctx.live.drain import Paused
from longctx.live.failure import Failure, SendResult
from longctx.recording.request import Place, Request
from longctx.recording.tape import Tape

Body = Mapping[str, Any]
Bodies = Mapping[str, Body]
"""Requests by the keys of their answers."""
KINDS = {"error": ERROR, "infra_error": JUDGE_ERROR}
"""How outcomes are named that no reply has."""
SHOWN_CHARACTERS = 600
"""The most characters of a difference that are shown."""


@dataclass(frozen=True, slots=True)
class TrialFilter:
    """The trials whose requests are sent now, and what is called with those that have ended."""

    keys: Set[str] | None = None
    """The keys of the trials to send; None for all."""
    ended: Callable[[FunctionTrial, Result], object] = lambda trial, result: None

    def holds(self, trial: Trial) -> bool:
        return self.keys is None or trial.key in self.keys

    def note(self, trial: FunctionTrial, result: Result) -> None:
        if result.kind not in ("suspended", "skipped", "error"):
            self.ended(trial, result)


class FunctionTrials:
    """Trials of test functions, each of which runs again as its answers arrive, until it lacks nothing."""

    def __init__(
        self,
        tape: Tape,
        tally: Tally,
        canary: Canary,
        part: TrialFilter | None = None,
        held: Mapping[Place, Failure] | None = None,
        only_canary: bool = False,
    ) -> None:
        """part: of the trials. held: why requests that are in batches are not sent.

        only_canary: ask only the first trials of each function, as the canary wants them.
        """
        self.asked = SendResult()
        self._part, self._held = part or TrialFilter(), held or {}
        self._canary, self._only_canary = canary, only_canary
        self._tape, self._tally = tape, tally
        self._begun: deque[Paused] = deque()
        """Trials that have run once, and whose first requests may be sent."""

    def of(self, trials: Iterable[Trial], trial_of: TrialOf, start: RunOnce) -> Self:
        """Return these trials of one cell, or of many: those that the part holds."""
        self._trial_of, self._start = trial_of, start
        self._fresh = deque(in_contexts([trial for trial in trials if self._part.holds(trial)]))
        self._begun.clear()
        return self

    def next(self) -> Paused | None:
        """Return the next trial that has run once and lacks answers; None if none may start now."""
        canary, begun, fresh = self._canary, self._begun, self._fresh
        while begun or fresh:
            group = (begun[0].trial if begun else fresh[0][0]).cell.group
            if why := canary.stopped(group):
                self._leave([begun.popleft().trial] if begun else fresh.popleft(), why)
            elif self._only_canary and canary.passed(group):
                begun.popleft() if begun else fresh.popleft()
            elif not canary.may_start(group):
                return None
            elif begun:
                canary.started(group)
                return begun.popleft()
            else:
                begun += self._begin(fresh.popleft())
        return None

    def go_on(self, paused: Paused) -> Sequence[Request]:
        paused.requests = requests = self._run(paused)
        self._tally.done += not requests
        return requests

    def readable(self, paused: Paused) -> None:
        self._begun.extendleft(reversed(paused.followers))
        paused.followers = []

    def failed(self, paused: Paused, why: Failure) -> None:
        self._canary.failed(paused.trial.cell.group)
        self._tally.done += 1
        self._tally.failed += 1
        self.asked.failures[paused.trial.key] = why

    def _leave(self, trials: Sequence[Trial], why: Failure) -> None:
        """Leave these trials unasked."""
        self._tally.done += len(trials)
        self.asked.failures |= {trial.key: why for trial in trials}

    def _begin(self, trials: Sequence[Trial]) -> list[Paused]:
        """Run trials about one context for the first time; return those that wait for answers and may be asked now.

        If requests share what the prompt cache keeps, this is the first of them, and the others follow it.
        """
        begun: dict[Paused, list[Request]] = {}
        for trial in trials:
            paused = Paused(trial)
            if requests := self._run(paused):
                paused.requests = begun[paused] = requests
            else:
                self._tally.done += 1
        first = {paused: requests[0] for paused, requests in begun.items() if len(requests) == 1}
        by_key = {request.key: paused for paused, request in first.items() if not request.place.counts}
        following: list[Paused] = []
        for group in of_one_context([request for request in first.values() if not request.place.counts]):
            marked = shared_requests(group)
            for request in marked:
                by_key[request.key].requests = [request]
            if any(request.shared.after for request in marked):
                writer, *followers = (by_key[request.key] for request in marked)
                writer.followers = followers
                following += followers
        return [paused for paused in begun if paused not in following]

    def _run(self, paused: Paused) -> list[Request]:
        """Run a trial; return the requests that it waits for, none if it has ended."""
        trial = self._trial_of(paused.trial)
        trial.expected = paused.issued.keys()
        result = self._start(trial)
        requests = self._unanswered(trial, result, paused)
        if requests:
            return requests
        self._part.note(trial, result)
        if paused.requests:
            self._tell(trial, result)
        elif result.kind == "suspended" and self._pending(trial):
            self._canary.passed_before(trial.cell.group)
        elif result.kind not in ("suspended", "skipped", "error"):
            self._canary.recorded(trial.cell.group, KINDS.get(result.kind, result.kind))
        return requests

    def _pending(self, running: FunctionTrial) -> Failure | None:
        """Return why a trial waits for a batch of an earlier run; None if it does not."""
        places = (request.place for request in running.unanswered)
        return next((self._held[place] for place in places if place in self._held), None)

    def _tell(self, trial: FunctionTrial, result: Result) -> None:
        """Count how a trial that was sent has ended, and tell the canary."""
        group = trial.cell.group
        if result.kind in ("suspended", "skipped"):
            self._canary.failed(group)
        else:
            kind = KINDS.get(result.kind, result.kind)
            self._tally.ended(group, kind)
            self._canary.ended(group, kind, trial.last.text if trial.last else "")

    def _unanswered(self, running: FunctionTrial, result: Result, before: Paused) -> list[Request]:
        """Return the requests of a trial that are sent now, none if it has ended or cannot go on."""
        trial, issued = running.trial, running.bodies
        if changed := not_repeated(running, before.issued):
            self.asked.failures[trial.key] = changed
            return []
        if result.kind != "suspended":
            if result.kind == "error" and not self._only_canary:  # all trials run again after it
                self.asked.errors[one_line(result)] += 1
            return []
        if pending := self._pending(running):
            if not self._only_canary:
                self.asked.failures[trial.key] = pending
            return []
        requests = [request for request in running.unanswered if self._tape.asks_request(request.place)]
        sent = {request.place.key for request in before.requests}
        if any(request.place.key in sent for request in requests):  # never pay for it a second time
            message = f"{running.cell.id}, trial {running.item}: its recorded answer is missing."
            self.asked.failures[trial.key] = Failure("answer-not-found", message)
            return []
        self.asked.stale += not (requests or self._only_canary)
        before.issued = issued
        return requests


def one_line(result: Result) -> str:
    """Return the error of a trial in one line."""
    if isinstance(result.error, TestMistake):
        return result.error.error.reason
    return f"{type(result.error).__name__}: {result.why}".partition("\n")[0]


def not_repeated(trial: FunctionTrial, before: Bodies) -> Failure | None:
    """Return why a trial that ran again cannot go on: it no longer issues what it issued before. None if it does."""
    lost = next((body for key, body in before.items() if key not in trial.bodies), None)
    if lost is None:
        return None
    new = next((body for key, body in trial.bodies.items() if key not in before), {})
    return Failure("test-not-repeatable", not_repeatable(trial, lost, new))


def not_repeatable(trial: FunctionTrial, before: Body, after: Body) -> str:
    """Return a sentence on a test that asks something else when it is run again, with the difference."""
    return (
        f"{trial.cell.id}, trial {trial.item}: the test sends a different request when it runs again, so its recorded "
        f"answers cannot be used. {cause(before, after)} The difference:\n{difference(before, after)}"
    )


def cause(before: Body, after: Body) -> str:
    """Return why a trial sends another request than before, and what to do. after: empty if it sends none."""
    if not after:
        return f"It no longer sends a request that was answered, because {CACHED}"
    if words(before) == words(after):
        return (
            "Both requests have the same words in another order, as from a set, whose order differs between processes "
            "(PYTHONHASHSEED), or from a listing of files: sort them."
        )
    return (
        "Draw random values from the fixture draw, use no clock, and keep a trial's state, such as the history of an "
        "agent, in function-scoped fixtures; or remove the difference from the comparison with the hook "
        "pytest_longctx_request."
    )


def words(body: Body) -> list[str]:
    """Return the words of a request in alphabetical order."""
    return sorted(re.findall(r"\w+", json.dumps(body, ensure_ascii=False)))


def difference(before: Body, after: Body) -> str:
    """Return the lines in which two requests differ."""
    texts = [json.dumps(body, indent=1, ensure_ascii=False, sort_keys=True).splitlines() for body in (before, after)]
    changes = difflib.unified_diff(texts[0], texts[1], lineterm="", n=0)
    lines = [line for line in changes if not line.startswith(("---", "+++", "@@"))]
    text = "\n".join(lines)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
