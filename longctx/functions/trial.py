"""One run of a test function for one trial: its requests are answered from the recordings, in their order.

A request without a recorded answer suspends the function: a BaseException leaves it, so that no handler of the test or
of the product's code takes it for an error. Once the answer is recorded, the function runs again from its start.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from longctx.cells.cell import Cell, RequestTokens, Trial, body_tokens
from longctx.config.models import ModelProfile, header_lines
from longctx.errors import UserError
from longctx.functions.strategies import Managed, Messages, Strategy, tokens_of
from longctx.recording.answer_body import MOST_DEPTH, is_too_deep, read_object
from longctx.recording.apis import api_at, api_of, messages
from longctx.recording.apis.messages import Edits
from longctx.recording.request import Place, Request, digest, request_digests
from longctx.recording.tape import Tape
from longctx.recording.trials import Exchange, Role
from longctx.results import judged_by as judging
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.protocol_cell import Suspended
from longctx.vocabulary.shapes import COMPACTION

MOST_REQUESTS = 50
"""The most requests of one trial: more are taken for a loop without end."""


UNLIMITED = 16_384
"""The tokens that are reserved for a reply whose request does not limit it and whose model's limit is not known."""


GUESS = 1_000
"""The tokens of such a reply, besides thinking, in the estimate of a run without comparable answers."""


MOST_SAID = 80
"""The most characters that are kept of what a judge says."""


class TestMistake(BaseException):
    """A mistake in the test, which neither the test nor the product's code can handle. error: the sentence on it."""

    __test__ = False
    """Keeps pytest from taking it for a class of tests."""

    def __init__(self, error: UserError) -> None:
        super().__init__(str(error))
        self.error = error


def mistake(code: str, sentence: str) -> TestMistake:
    """Return a mistake in the test: see UserError."""
    return TestMistake(UserError(code, sentence))


@dataclass(slots=True)
class FunctionTrial:
    """The state of one run of the function."""

    trial: Trial
    tape: Tape
    judge: ModelProfile | None = None
    strategy: Strategy = field(default_factory=Strategy)
    exchanges: list[Exchange] = field(default_factory=list)
    """The requests that were answered so far."""
    unanswered: list[Request] = field(default_factory=list)
    """The requests that were not: more than one if the function issues several at once."""
    checks: dict[str, bool | float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    """Why checks fail, by their names, where that is known."""
    graded: list[tuple[str, str | None]] = field(default_factory=list)
    """The judge's grade, and the human label if there is one, of each readable answer."""
    inserted: dict[str, bool] = field(default_factory=dict)
    """The texts that were inserted into fillers, and whether they are marked as the needle."""
    lexical: bool | None = None
    """Whether matching words alone finds the answer, where the test states what it is."""
    managed: dict[int, tuple[object, Managed]] = field(default_factory=dict)
    """What the strategy left of each transcript, by the identity of that."""
    probe: str = ""
    """The kind of the latest probe."""
    depth: float | None = None
    """The place in the transcript of what the latest probe asks for."""
    counted: dict[str, int] = field(default_factory=dict)
    """How many probes were answered wrongly in each way, and how many edits the server made."""
    compared: dict[tuple[str, str], None] = field(default_factory=dict)
    """The letters that `choice` read one of, with each letter that it was compared with."""
    kept: tuple[int, int] | None = None
    """The tokens that the model saw of the latest transcript, and those that it has."""
    draws: int = 0
    """How many values were drawn."""
    shared_draws: int = 0
    """How many values were drawn for all items of its context."""
    judged_by: dict[judging.JudgedBy, list[object]] = field(default_factory=dict)
    """What judges it besides the test's code."""
    bodies: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The requests that were issued, in their order, by the keys of their answers."""
    expected: Set[str] = frozenset()
    """The keys of those that an earlier run of the trial issued."""
    closed: bool = False
    """Whether the code was told of a missing answer, as an error. What it sends then without an answer is no request of
    the trial: it may follow from the error, as a fallback does."""
    endpoint: str = ""
    """The address at which the code reaches the local endpoint; empty if there is none."""
    _equal: Counter[str] = field(default_factory=Counter)
    _after: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def cell(self) -> Cell:
        return self.trial.cell

    @property
    def function(self) -> str:
        """The name of the test function."""
        return self.cell.point.test

    @property
    def seed(self) -> int:
        return self.cell.seed

    @property
    def item(self) -> str:
        """What identifies the item: the id of a case, or the number of a drawn trial."""
        identity = self.trial.identity
        return identity.item if identity.item is not None else str(identity.trial)

    @property
    def context(self) -> str:
        """What identifies the context that the item shares with others; its own name if it shares none."""
        return self.cell.point.cluster(self.trial.index) or self.item

    @property
    def needles(self) -> list[str]:
        """The inserted texts that are marked as the needle; all of them if none is."""
        return [text for text, marked in self.inserted.items() if marked] or list(self.inserted)

    @property
    def answers(self) -> list[Exchange]:
        """The exchanges with the model under test, without those of a strategy."""
        return [exchange for exchange in self.exchanges if exchange.answer and exchange.role == "test"]

    @property
    def last(self) -> Answer | None:
        """The latest answer of the model under test."""
        return self.answers[-1].answer if self.answers else None

    @property
    def judge_cut_off(self) -> str:
        """Why the trial has no verdict, if an answer of the judge was cut off before its text began; else empty."""
        last = next((each.answer for each in reversed(self.exchanges) if each.role == "judge"), None)
        cut = last is not None and no_answer(last)
        return f"the judge's reply was cut off after {last.output_tokens} tokens" if last and cut else ""

    def issue(
        self,
        body: Mapping[str, Any],
        headers: Mapping[str, str],
        model: ModelProfile,
        role: Role = "test",
        path: str = "",
    ) -> Exchange:
        """Give a request its number, and return it with its recorded answer. Raises Suspended if there is none.

        body: as sent, with the model's id. headers: those on which the answer may depend. path: that of its API, if it
        is not the model's own.

        Code that sends several requests at once issues all of them before it receives the first answer.
        """
        with self._lock:
            place = self._place(body, headers, model, path or api_of(model).PATH)
            try:
                recorded = self.tape.uses_recording(place)
                if recorded or not self.closed:
                    self.bodies[place.key] = body
                if not recorded:
                    if not self.closed:
                        self.unanswered.append(request_of_code(self.trial, place, body, headers, model))
                    raise Suspended(place.trial)
                found = self.tape.answer(place)
                assert found is not None
                answer = None if place.counts else self.tape.reply(place)
                message = self.tape.count(place) if place.counts else read_object(found[0])
                if is_too_deep(message):
                    raise UserError(
                        "answer-too-deep",
                        f"{self.cell.id}, trial {self.item}: an answer of {model.model} is nested more than "
                        f"{MOST_DEPTH} levels deep. Delete its line in "
                        f"cassettes/{place.file}, and record the trial again with --ctx-record once.",
                    )
            except UserError as error:
                raise TestMistake(error) from None
        sha256 = hashlib.sha256(found[0]).hexdigest()
        return Exchange(place, answer, model, body, message, sha256, role)

    def number_unanswered(self) -> None:
        """Give requests without an answer places that no answered request of this trial has.

        Code that sends from several threads sends in another order each time: what came third in an earlier run is no
        earlier version of what comes third in this one.
        """
        with self._lock:
            given: set[tuple[int, str]] = set()
            answered = self.bodies.keys() - {request.place.key for request in self.unanswered}
            for index, request in enumerate(self.unanswered):
                place = request.place
                taken = given | self.tape.recorded_places(place, answered)
                while (at := (place.number, place.after)) in taken:
                    place = replace(place, number=place.number + 1)
                given.add(at)
                self.unanswered[index] = replace(request, place=place)

    def receive(self, exchange: Exchange) -> Mapping[str, Any]:
        """Return the answer to an issued request; the next request is recorded as one that follows it."""
        with self._lock:
            self._after = exchange.sha256
            self.exchanges.append(exchange)
        return exchange.message

    def answer(
        self,
        body: Mapping[str, Any],
        model: ModelProfile,
        *,
        headers: Mapping[str, str] | None = None,
        role: Role = "test",
        label: object = None,
    ) -> Answer:
        """Return the answer to a body that the suite built. Raises Suspended.

        headers: those on which the answer may depend, by default the model profile's. label: a human's, for a judge.
        """
        sent = model.treatments if headers is None else headers
        if role == "judge":
            self._note_judge(body, sent, model, label)
        exchange = self.issue(body, sent, model, role)
        self.receive(exchange)
        answer = exchange.answer
        assert answer is not None
        told = functools.partial(self._graded, label) if role == "judge" else None
        compared = self._compared if role == "test" else None
        return replace(answer, text=answer.thought + answer.text, thought="", told=told, compared=compared)

    def _compared(self, letters: str, other: str) -> None:
        if len(other) == 1 and other in letters:
            self.compared[letters, other] = None

    @property
    def choice(self) -> tuple[int, str] | None:
        """Among how many letters the trial chose, and which one is right; None unless it compared one choice with one
        letter."""
        known = [(len(letters), right) for letters, right in self.compared]
        return known[0] if len(known) == 1 else None

    def judge_by(self, part: judging.JudgedBy, value: object) -> None:
        """Note something that judges the trial."""
        self.judged_by.setdefault(part, []).append(value)

    def _note_judge(
        self, body: Mapping[str, Any], headers: Mapping[str, str], model: ModelProfile, label: object
    ) -> None:
        own = [exchange.answer.text for exchange in self.answers if exchange.answer]
        prompt = "\n".join(texts(turn["content"]) for turn in body["messages"])
        sent = "\n".join(map(asked_text, self.answers))
        fixed = {name: value for name, value in body.items() if name != "messages"}
        self.judge_by("judge", [model.model, fixed, dict(headers)])
        self.judge_by("judge_prompt", judging.prompt_without(prompt, own, sent))
        if label is not None:
            self.judge_by("labels", str(label))

    def _graded(self, label: object, said: object) -> None:
        self.graded.append((str(said)[:MOST_SAID], None if label is None else str(label)[:MOST_SAID]))

    def measure_kept(self, messages: Messages, managed: Managed, message: Mapping[str, Any]) -> None:
        """Measure how much of a transcript the model saw, and which edits the server made. Raises UserError.

        If the server edits no turns, both are counted in the reference vocabulary; if it does, its own counts are used.
        """
        before = tokens_of(messages)
        if not managed.edits:
            self.kept = min(before, tokens_of(managed.messages)), before
            return
        report = Edits.of(message)
        if not report.reported and COMPACTION not in managed.edits:
            raise UserError(
                "strategy-not-supported",
                f"{self.cell.id}: the server reports no context management, so it ignored "
                f"{' and '.join(managed.edits)}: use a server that has it, or leave out the strategy "
                f"{self.strategy.name!r}.",
            )
        for edit in managed.edits:
            self.counted[f"applied {edit}"] = int(edit in report.applied)
        seen = report.input_tokens
        if report.cleared:
            before = seen + report.cleared
        elif not report.applied:
            seen = before
        self.kept = min(seen, before), before

    def _place(self, body: Mapping[str, Any], headers: Mapping[str, str], model: ModelProfile, path: str) -> Place:
        cell = self.cell
        number = len(self.bodies)
        if number >= MOST_REQUESTS:
            raise mistake(
                "too-many-requests",
                f"{cell.id}, trial {self.item}: the test sends more than {MOST_REQUESTS} requests, which looks like an "
                "endless loop: limit its turns.",
            )
        try:
            compared = self.tape.rewriting.compared(body)
        except UserError as error:
            raise TestMistake(error) from None
        sha256, parts = request_digests(compared, headers, path)
        if counts := path == (api_at(path) or messages).COUNT_PATH:
            sha256 = digest({**compared, "count_tokens": True}, headers, path)
        same = self._equal[sha256]
        self._equal[sha256] += 1
        return Place(
            file=cell.file_of(model),
            trial=str(self.trial.identity),
            sha256=sha256,
            prompt_set=cell.wording.prompt_set,
            wording=cell.wording.digest,
            model=model.model,
            sent_as=model.sent_as,
            headers=header_lines(headers),
            number=number,
            same=same,
            after=self._after,
            counts=counts,
            path=path,
            parts=parts,
        )


def request_of_code(
    trial: Trial, place: Place, body: Mapping[str, Any], headers: Mapping[str, str], model: ModelProfile
) -> Request:
    """Return a request that code issued, whose tokens are estimated by its body."""
    api = api_at(place.path) or messages
    asked = api.most_tokens(body)
    room = (model.max_output or UNLIMITED) if asked is None else asked
    prompt = body_tokens(api.as_request(body), model)
    guess = GUESS + model.thinking_tokens if asked is None else None
    tokens = RequestTokens(prompt, prompt, max(room, model.thinking_tokens), guess=guess)
    return Request(trial, model, tokens, place, {**body, "model": model.sent_as}, dict(headers))


def changed_request(place: Place) -> str:
    """Return what may have changed in a request of a trial, as the end of a sentence on a stale recording."""
    after = f"request {place.number + 1} after the same reply" if place.number else "request 1"
    return (
        f"{after} differs from the recorded one: the test changed, or the code that it calls, its cases, or the "
        f"profile of {place.model}."
    )


CACHED = "the code under test caches answers: turn the cache off, or clear it in a function-scoped fixture."
"""Why an earlier request is not sent again, as the end of a sentence."""


def no_answer(answer: Answer) -> bool:
    """Return whether an answer was cut off before its text began: an assertion that passes on it judges nothing."""
    return answer.cut_off and answer.says_nothing


def texts(content: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a turn's content: its text blocks, documents and tool results."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content:
        match block:
            case {"type": "text", "text": str(text)}:
                parts.append(text)
            case {"type": "document", "source": {"type": "text", "data": str(text)}}:
                parts.append(text)
            case {"type": "tool_result", "content": inner} if inner:
                parts.append(texts(inner))
    return "\n".join(parts)


def asked_text(exchange: Exchange) -> str:
    return "\n\n".join(texts(turn["content"]) for turn in request_of(exchange)["messages"])


def request_of(exchange: Exchange) -> Mapping[str, Any]:
    return (api_at(exchange.place.path) or messages).as_request(exchange.body)
