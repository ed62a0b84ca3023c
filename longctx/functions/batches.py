"""Asking test functions in batches, in rounds: what all of their trials lack now is asked, then they run again."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

from longctx.cells.cell import Trial
from longctx.config.models import ModelProfile
from longctx.functions.asking import FunctionTrials, TrialFilter
from longctx.functions.contexts import of_one_context, shared_requests
from longctx.functions.measure import RunOnce, TrialOf
from longctx.live.asker import count
from longctx.live.batches.filling import held_in_batch
from longctx.live.batches.ledger import Ledger
from longctx.live.bounds import Terms
from longctx.live.canary import Canary
from longctx.live.cost.money import Budget
from longctx.live.display import Tally
from longctx.live.drain import Paused
from longctx.live.failure import Failure, SendResult
from longctx.live.interrupted import Halt
from longctx.live.outcomes import Outcomes
from longctx.live.progress import live_progress
from longctx.live.run import Sending, open_batches, stoppable
from longctx.live.server.client import open_clients
from longctx.live.watch import Say
from longctx.recording.request import Place, Request
from longctx.recording.tape import Tape


class Rounds:
    """The rounds of one live pass. In each, those trials run that have not ended."""

    def __init__(self, tape: Tape, terms: Terms, budget: Budget, say: Say, tally: Tally, part: TrialFilter) -> None:
        """tally: counts what is asked. part: of the trials."""
        self._part = part
        self._trials = FunctionTrials(tape, tally, Canary({}, None), self._part)
        self.asked = self._trials.asked
        self.held: dict[Place, Failure] = {}
        """Why requests that were in batches at the last look are not sent."""
        self._tape, self._terms, self._budget, self._say = tape, terms, budget, say
        self._tally = tally
        self._going: dict[str, Paused | None] = {}
        """The trials that have run, by their keys; None if they have ended."""

    def collect(self, models: Sequence[ModelProfile]) -> None:
        """Record the answers of batches that earlier runs submitted. Raises UserError and Interrupted."""
        if Ledger(self._tape.written_to).open():
            self._stoppable(lambda halt: self._ask([], models, halt), 0)

    def run(self, trials: Iterable[Trial], trial_of: TrialOf, start: RunOnce) -> list[Request]:
        """Run those of the trials that go on; return the requests that they lack."""
        supply, going, unanswered = self._trials.of((), trial_of, start), self._going, list[Request]()
        for trial in filter(self._part.holds, trials):
            paused = going.get(trial.key, Paused(trial))
            if paused is None or trial.key in self.asked.failures:
                continue
            requests = supply.go_on(paused)
            going[trial.key] = paused if requests else None
            unanswered += requests
        return unanswered

    def ask(self, requests: Sequence[Request]) -> None:
        """Ask the requests of a round, and wait for their batches. Raises UserError and Interrupted."""
        models = {request.model.model: request.model for request in requests}
        self.asked.add(self._stoppable(lambda halt: self._ask(requests, list(models.values()), halt), len(requests)))

    def _stoppable(self, ask: Callable[[Halt], Coroutine[Any, Any, SendResult]], requests: int) -> SendResult:
        halt = Halt()
        halt.to_ask = self._tape.recorded + requests
        return stoppable(lambda: ask(halt), self._tape, halt, self._say)

    async def _ask(self, requests: Sequence[Request], models: Sequence[ModelProfile], halt: Halt) -> SendResult:
        terms, tape = self._terms, self._tape
        async with open_clients(tape, terms.base_url, terms.in_flight, models) as clients:
            batches = await open_batches(clients.first, tape, terms, self._say)
            asked = SendResult()
            for request in requests:
                if request.place.counts and (failure := await count(clients.first, tape, request)):
                    asked.failures[request.trial.key] = failure
            claimed = batches.held()
            self.held = {place: held_in_batch(status) for place, status in claimed.items()}
            open_requests = [request for request in requests if not request.place.counts]
            held = [request for request in open_requests if request.place in claimed]
            taken = claimed.keys() | batches.collected
            free = [request for request in open_requests if request.place not in taken]
            bounds = terms.bounds(halt, self._budget)
            self._tally.begin(len(free) + len(held))
            with live_progress(self._tally, self._say) as shown:
                sending = Sending(clients, tape, bounds, Outcomes(self._tally, shown), batches)
                shared = [request for group in of_one_context(free) for request in shared_requests(group, batch=True)]
                asked.add(await sending.all(shared, held))
        return asked
