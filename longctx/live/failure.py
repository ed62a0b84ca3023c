"""The result of a live pass: how many requests were answered, and why trials were not measured or cannot be asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from longctx.cells.cell import Cell
from longctx.recording.request import Request
from longctx.results.row import EARLY_STOP
from longctx.vocabulary.answer import Answer

NOT_ASKED = "not_asked"
"""The cause of a request that was not sent: it has not failed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a trial was not measured."""

    cause: str
    message: str
    fatal: bool = False
    """Other trials would fail in the same way, so the live pass stops."""
    outage: bool = False
    """The server is not there: one that has answered before is waited for."""


Unasked = tuple[Cell, Failure]
"""A cell of which no question can be sent, and the reason."""


@dataclass(slots=True)
class SendResult:
    """The result of a live pass."""

    answered: int = 0
    """The number of requests that were answered."""
    failures: dict[str, Failure] = field(default_factory=dict)
    """Why trials were not answered, by `Trial.key`."""
    stopped: Failure | None = None
    """Why the live pass stopped before its end."""
    others: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of answers for each (model asked for, model that the server names) if these differ."""
    unread: set[tuple[str, str]] = field(default_factory=set)
    """Each model whose server counts something of a cache in a way that is not known, with the name of the field."""
    errors: Counter[str] = field(default_factory=Counter)
    """How many trials ended with each error of the test itself, which its run shows in full."""
    stale: int = 0
    """How many trials have only an answer to another request, which the record mode does not ask."""

    @property
    def settled(self) -> Failure | None:
        """Why the remaining questions did not need to be asked; None if all were asked."""
        return next((why for why in self.failures.values() if why.cause == EARLY_STOP), None)

    @property
    def complete(self) -> bool:
        """Whether every trial was answered, or did not need to be asked."""
        left = [failure for failure in self.failures.values() if failure.cause != EARLY_STOP]
        return not (left or self.errors or self.stale)

    def note(self, request: Request, answer: Answer) -> None:
        """Count an answer."""
        model = request.model
        self.answered += 1
        if answer.model not in ("", model.model, model.sent_as):
            self.others[model.model, answer.model] += 1
        self.unread |= {(model.model, name) for name in answer.unread_usage}

    def add(self, other: SendResult) -> None:
        """Add the result of a further round."""
        self.answered += other.answered
        self.failures |= other.failures
        self.others += other.others
        self.unread |= other.unread
        self.stopped = self.stopped or other.stopped
        self.errors += other.errors
        self.stale += other.stale
