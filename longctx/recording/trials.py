"""One trial, run against the recordings: it is judged, waits for answers, or ends without a judgement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from longctx.cells.cell import Trial
from longctx.config.models import ModelProfile
from longctx.errors import TapeError
from longctx.recording.base import AnswerOrigin
from longctx.recording.request import Place, request_body
from longctx.recording.tape import Tape
from longctx.results.judged_by import judge_digests
from longctx.results.trial_view import View
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.excerpt import excerpts
from longctx.vocabulary.point import BuiltTrial, Kind, Outcome
from longctx.vocabulary.shapes import CITATIONS, judged_citations

NOT_READ = "context_not_read"
"""The cause of trials whose blocks the server left out."""
MOST_CHARACTERS_A_TOKEN = 10
"""More characters than the tokens of any text have on average."""

Role = Literal["test", "judge", "strategy"]
"""Who sent a request: the test itself, its judge, or the strategy of context management, such as for a summary."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its recorded answer."""

    place: Place
    answer: Answer | None
    """None for a count of tokens."""
    model: ModelProfile
    body: Mapping[str, Any] = field(default_factory=dict)
    """What was sent."""
    message: Mapping[str, Any] = field(default_factory=dict)
    sha256: str = ""
    """The digest of the answer."""
    role: Role = "test"


@dataclass(frozen=True, slots=True)
class Waiting:
    """The trial goes on once these requests are answered."""

    requests: Sequence[Place]
    bodies: Sequence[Mapping[str, Any]]
    """What each sends."""
    changed: Callable[[Place], str] | None = None
    """Returns what may have changed in a request that is stale; None if that is what makes up a protocol's."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A trial that ran to its end, with what its row and its page show."""

    kind: Kind
    exchanges: Sequence[Exchange]
    view: Callable[[str], View]
    """Returns what the page shows of it. It is given the id of its test."""
    why: str | None = None
    """Why the answer is wrong, in a sentence."""
    expected: str | None = None
    returned: str | None = None
    """What was read from the last answer, or its text; None if there is none."""
    trace: Mapping[str, int] = field(default_factory=dict)
    """The numbers in `why`, by name."""
    checks: Mapping[str, bool | float] = field(default_factory=dict)
    """What is scored apart from the outcome; each check has its own row."""
    graded: Sequence[tuple[str, str | None]] = ()
    """The judge's grade, and the human label if there is one, of each readable answer."""
    params: Mapping[str, int] = field(default_factory=dict)
    """Parameters of the prompt that depend on the model."""
    lexical: bool | None = None
    """Whether the lexical baseline answers it."""
    probe: str | None = None
    """The kind of fact that it requests."""
    kept: tuple[int, int] | None = None
    """The tokens that the model saw of a transcript, and those that it has."""
    depth: float | None = None
    distance_from_end: int | None = None
    documents: str | None = None
    """The digest of the documents in its prompt."""
    judged_by: str | None = None
    """The digests of what judges it, as in its row."""
    case: Mapping[str, Any] | None = None
    """The case of a test function; None without one."""
    strategy: str = ""
    """The file of the project's own strategy of context management; empty for any other."""
    origins: Collection[AnswerOrigin | None] = ()
    """Where its answers come from, in a run with a base branch."""


@dataclass(frozen=True, slots=True)
class TrialEnd:
    """A trial that ended without a judgement: its test skipped it, failed with its own error, or it has no measure."""

    kind: Literal["skipped", "error", "unmeasured"]
    why: str = ""
    cause: str = ""
    """The error in its row."""
    error: BaseException | None = None


RunTrial = Callable[[Trial], Waiting | Judged | TrialEnd]
"""Runs a trial once, against what is recorded."""


def run_protocol(tape: Tape, trial: Trial) -> Waiting | Judged | TrialEnd:
    """Run one trial of a protocol: rebuild its prompt, look up the answer, and judge it.

    Raises UserError if the prompt cannot be built or the recordings cannot be read.
    """
    model = trial.cell.model
    place: Place | None = None
    found: Answer | None = None
    unread = False

    def answer(built: BuiltTrial) -> Answer | None:
        nonlocal place, found, unread
        place = Place.of(trial, built)
        found = tape.reply(place)
        unread = found is not None and built.context is not None and not may_have_been_read(built.user, found)
        return None if unread else found

    try:
        built, outcome = trial.run(answer)
        assert place is not None
        if unread:
            return TrialEnd("unmeasured", cause=NOT_READ)
        if outcome is None:
            return Waiting([place], [request_body(built, model)])
        exchange = Exchange(place, found, model, request_body(built, model))
        return _judged(built, outcome, exchange, tape.origin(place))
    except Exception as error:  # of a judge that did not foresee this answer
        if isinstance(error, TapeError) or found is None:
            raise
        return TrialEnd("error", str(error), type(error).__name__, error)


def _judged(built: BuiltTrial, outcome: Outcome, exchange: Exchange, origin: AnswerOrigin | None) -> Judged:
    answer = exchange.answer
    assert answer is not None
    distance = built.distance_from_end

    def view(test: str) -> View:
        return View(test, excerpts(built.user, outcome.marks), answer.thought + answer.text, outcome.quotes)

    return Judged(
        outcome.kind,
        [exchange],
        view,
        outcome.why,
        expected=built.expected,
        returned=outcome.returned,
        trace=outcome.trace,
        checks={**_citations(built, answer), **outcome.checks},
        params=built.recorded,
        lexical=built.lexical() if built.lexical else None,
        depth=round(built.depth, 6),
        distance_from_end=round((1 - built.depth) * answer.input_tokens) if distance is None else distance,
        documents=built.documents or None,
        judged_by=judge_digests({"expected": [built.expected], "accepted": built.accepted}),
        origins=[origin],
    )


def may_have_been_read(text: str, answer: Answer) -> bool:
    """Return whether a server can have read a context with this text, by the tokens that it counted."""
    return len(text) <= answer.input_tokens * MOST_CHARACTERS_A_TOKEN


def _citations(built: BuiltTrial, answer: Answer) -> dict[str, bool]:
    """Return the checks of an answer's citations, in the shape that requests them."""
    if built.shape != CITATIONS or built.context is None:
        return {}
    return judged_citations(built.context, answer.citations)
