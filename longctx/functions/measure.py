"""Running a test function for one trial, and what comes of it.

One run of a test function for one trial: its requests are answered from the recordings, in their order.

A request without a recorded answer suspends the function: a BaseException leaves it, so that no handler of the test or
of the product's code takes it for an error. Once the answer is recorded, the function runs again from its start.
"""

from __future__ import annotations

import functools
import hashlib
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from longctx.cases.case import Case, Trial
from longctx.config.files import file_name
from longctx.config.models import ModelProfile, as_lines
from longctx.errors import TapeError, UserError
from longctx.functions.answer import Answer, JudgeUnreadable, Unparseable, texts
from longctx.functions.strategies import Managed, Messages, Strategy, tokens_of
from longctx.live.cost.money import COMPACTION
from longctx.recording.apis import api_at, api_of, messages, status_of
from longctx.recording.apis.messages import Edits
from longctx.recording.reply import MOST_DEPTH, is_too_deep, read_object
from longctx.recording.request import digest, digests
from longctx.recording.tape import Tape, Wanted
from longctx.recording.trials import Ended, Exchange, Judged, Role, Waiting
from longctx.results import judging
from longctx.results.view import View
from longctx.vocabulary.cell import CREDIT, MEASURED, Kind, Mark, Outcome, Reply
from longctx.vocabulary.excerpt import AROUND, CUT, Excerpt, excerpts
from longctx.vocabulary.judging import refused
from longctx.vocabulary.protocol_cell import Suspended

MOST_REQUESTS = 50
"""The most requests of one trial: more are taken for a loop without end."""
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


@dataclass(frozen=True, slots=True)
class Lacking:
    """A request without a recorded answer."""

    wanted: Wanted
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    model: ModelProfile


@dataclass(slots=True)
class FunctionTrial:
    """The state of one run of the function."""

    trial: Trial
    tape: Tape
    judge: ModelProfile | None = None
    strategy: Strategy = field(default_factory=Strategy)
    exchanges: list[Exchange] = field(default_factory=list)
    """The requests that were answered so far."""
    lacking: list[Lacking] = field(default_factory=list)
    """The requests that were not: more than one if the function issues several at once."""
    checks: dict[str, bool | float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    """Why checks do not hold, by their names, where that is known."""
    graded: list[tuple[str, str | None]] = field(default_factory=list)
    """What the judge said, and the human label if it has one, of each of its answers that was read."""
    needles: list[str] = field(default_factory=list)
    """The texts that were inserted into a filler."""
    lexical: bool | None = None
    """Whether matching words alone finds the answer, where the test says what it is."""
    managed: dict[int, tuple[object, Managed]] = field(default_factory=dict)
    """What the strategy left of each transcript, by the identity of that."""
    probe: str = ""
    """The kind of the latest probe."""
    depth: float | None = None
    """The place in the transcript of what the latest probe asks for."""
    counted: dict[str, int] = field(default_factory=dict)
    """How many probes were answered wrongly in each way, and how many edits the server made."""
    kept: tuple[int, int] | None = None
    """The tokens that the model saw of the latest transcript, and those that it has."""
    draws: int = 0
    """How many values were drawn."""
    shared_draws: int = 0
    """How many values were drawn for all items of its context."""
    judged_by: dict[judging.JudgedBy, list[object]] = field(default_factory=dict)
    """What judges it beside the test's code."""
    bodies: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The requests that were issued, in their order, by the keys of their answers."""
    _equal: Counter[str] = field(default_factory=Counter)
    _after: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def case(self) -> Case:
        return self.trial.case

    @property
    def function(self) -> str:
        """The name of the test function."""
        return self.case.cell.test

    @property
    def seed(self) -> int:
        return self.case.seed

    @property
    def item(self) -> str:
        """What identifies the item: the id of a case, or the number of a drawn trial."""
        identity = self.trial.identity
        return identity.item if identity.item is not None else str(identity.trial)

    @property
    def context(self) -> str:
        """What identifies the context that the item shares with others; its own name if it shares none."""
        return self.case.cell.cluster(self.trial.index) or self.item

    @property
    def answers(self) -> list[Exchange]:
        """The exchanges with the model under test, without those of a strategy."""
        return [exchange for exchange in self.exchanges if exchange.reply and exchange.role == "test"]

    @property
    def last(self) -> Reply | None:
        """The latest reply of the model under test."""
        return self.answers[-1].reply if self.answers else None

    @property
    def judge_cut_off(self) -> str:
        """Why the trial has no verdict, if a reply of the judge was cut off before its text began; else empty."""
        last = next((each.reply for each in reversed(self.exchanges) if each.role == "judge"), None)
        cut = last is not None and no_answer(last)
        return f"the judge's reply was cut off after {last.output_tokens} tokens" if last and cut else ""

    def exchange(
        self,
        body: Mapping[str, Any],
        headers: Mapping[str, str],
        model: ModelProfile,
        *,
        counts: bool = False,
        role: Role = "test",
    ) -> Mapping[str, Any]:
        """Return the recorded answer to a request. Raises Suspended if there is none.

        body: as sent, with the model's id. headers: those on which the answer may depend. counts: whether it asks for
        a count of tokens.
        """
        return self.receive(self.issue(body, headers, model, counts, role))

    def issue(
        self,
        body: Mapping[str, Any],
        headers: Mapping[str, str],
        model: ModelProfile,
        counts: bool = False,
        role: Role = "test",
        path: str = "",
    ) -> Exchange:
        """Give a request its number, and return it with its answer. Arguments and exceptions: those of `exchange`.

        path: that of its API, if it is not the model's own.

        Code that sends several requests at once issues all of them before it receives the first reply.
        """
        with self._lock:
            wanted = self._wanted(body, headers, model, counts, path or api_of(model).PATH)
            self.bodies[wanted.key] = body
            try:
                if not self.tape.plays(wanted):
                    self.lacking.append(Lacking(wanted, body, headers, model))
                    raise Suspended(wanted.trial)
                found = self.tape.answer(wanted)
                assert found is not None
                reply = None if counts else self.tape.reply(wanted)
                message = self.tape.count(wanted) if counts else read_object(found[0])
                if is_too_deep(message):
                    raise UserError(
                        "answer-too-deep",
                        f"{self.case.id}, trial {self.item}: an answer of {model.model} is nested more than "
                        f"{MOST_DEPTH} levels deep, which code cannot be expected to read. Delete its line in "
                        f"cassettes/{wanted.file}, and record the trial again with --ctx-record once.",
                    )
            except UserError as error:
                raise TestMistake(error) from None
        sha256 = hashlib.sha256(found[0]).hexdigest()
        return Exchange(wanted, reply, model, body, message, sha256, role)

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
        message = self.exchange(body, sent, model, role=role)
        told = functools.partial(self._graded, label) if role == "judge" else None
        return Answer(api_of(model).as_message(message), role == "judge", told)

    def judge_by(self, part: judging.JudgedBy, value: object) -> None:
        """Note something that judges the trial."""
        self.judged_by.setdefault(part, []).append(value)

    def _note_judge(
        self, body: Mapping[str, Any], headers: Mapping[str, str], model: ModelProfile, label: object
    ) -> None:
        own = [exchange.reply.text for exchange in self.answers if exchange.reply]
        prompt = "\n".join(texts(turn["content"]) for turn in body["messages"])
        sent = "\n".join(map(_asked, self.answers))
        fixed = {name: value for name, value in body.items() if name != "messages"}
        self.judge_by("judge", [model.model, fixed, dict(headers)])
        self.judge_by("judge_prompt", judging.prompt_without(prompt, own, sent))
        if label is not None:
            self.judge_by("labels", str(label))

    def _graded(self, label: object, said: object) -> None:
        self.graded.append((str(said)[:MOST_SAID], None if label is None else str(label)[:MOST_SAID]))

    def measure_kept(self, messages: Messages, managed: Managed, message: Mapping[str, Any]) -> None:
        """Measure how much of a transcript the model saw, and which edits the server made. Raises UserError.

        Without edits, both are counted in the reference vocabulary; with them, what the server reports counts.
        """
        before = tokens_of(messages)
        if not managed.edits:
            self.kept = min(before, tokens_of(managed.messages)), before
            return
        report = Edits.of(message)
        if not report.reported and COMPACTION not in managed.edits:
            raise UserError(
                "strategy-not-supported",
                f"{self.case.id}: the server reports no context management, so it ignored "
                f"{' and '.join(managed.edits)}: ask a server that has it, or leave the strategy "
                f"{self.strategy.name!r} out.",
            )
        for edit in managed.edits:
            self.counted[f"applied {edit}"] = int(edit in report.applied)
        seen = report.input_tokens
        if report.cleared:
            before = seen + report.cleared
        elif not report.applied:
            seen = before
        self.kept = min(seen, before), before

    def _wanted(
        self, body: Mapping[str, Any], headers: Mapping[str, str], model: ModelProfile, counts: bool, path: str
    ) -> Wanted:
        case = self.case
        number = len(self.bodies)
        if number >= MOST_REQUESTS:
            raise mistake(
                "too-many-requests",
                f"{case.id}, trial {self.item}: the test asks more than {MOST_REQUESTS} times, which looks like an "
                "endless loop: stop it after a number of turns.",
            )
        try:
            compared = self.tape.rewriting.compared(body)
        except UserError as error:
            raise TestMistake(error) from None
        sha256, parts = digests(compared, headers, path)
        if counts:
            sha256 = digest({**compared, "count_tokens": True}, headers, path)
        same = self._equal[sha256]
        self._equal[sha256] += 1
        return Wanted(
            file=f"{file_name(model.model)}/{case.file.partition('/')[2]}",
            trial=str(self.trial.identity),
            sha256=sha256,
            prompt_set=case.wording.prompt_set,
            wording=case.wording.digest,
            model=model.model,
            sent_as=model.sent_as,
            headers=as_lines(headers),
            number=number,
            same=same,
            after=self._after,
            counts=counts,
            path=path,
            parts=parts,
        )


def changed_request(wanted: Wanted) -> str:
    """Return what may have changed in a request of a trial, as the end of a sentence on a stale recording."""
    after = f"request {wanted.number + 1} after the same reply" if wanted.number else "request 1"
    return (
        f"{after} is not the one that was recorded: the test changed, or the code that it calls, its cases, or what "
        f"the profile of {wanted.model} sends."
    )


CACHED = (
    "the code under test keeps answers, as a cache by prompt does: turn it off, or clear it in a function-scoped "
    "fixture."
)
"""Why a request is not sent that was sent before, as the end of a sentence."""
JUDGE_ERROR = "judge_error"
"""Why a trial is not measured whose judge gave a verdict that cannot be read."""
SHOWN = 1000
"""The most characters of a reason that a row keeps."""
Meant = Literal["failed", "skipped"] | None
"""What an exception of pytest means."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a trial ended."""

    kind: Kind | Literal["suspended", "skipped", "error"]
    why: str = ""
    error: BaseException | None = None
    """The exception that is the test's own error, or the mistake."""
    outcome: Outcome | None = None
    """What the test returned, if it judges by that."""


TrialOf = Callable[[Trial], FunctionTrial]
"""Returns a trial that has not run yet."""
RunOnce = Callable[[FunctionTrial], Result]
"""Runs the function once for a trial."""


def run(trial: FunctionTrial, call: Callable[[], object], set_up: Callable[[], object] = lambda: None) -> Result:
    """Call the function, and judge its trial by the outcome that it returns, or else by how it ends.

    set_up: sets up what the function takes. What it raises is no answer's fault.
    """
    error: BaseException | None = None
    returned: object = None
    is_set_up = False
    try:
        set_up()
        is_set_up = True
        returned = call()
    except BaseException as raised:
        error = next(_leaves(raised))
        if isinstance(error, KeyboardInterrupt):
            raise
        if isinstance(error, UserError) and not isinstance(error, TapeError):
            error = TestMistake(error)
    # What was suspended counts, even if the code under test went on without an answer.
    if trial.lacking and not isinstance(error, TestMistake):
        return Result("suspended")
    if error is not None and not is_set_up and not is_skip(error):
        return Result("error", str(error), error)
    return _judged(trial, error) if returned is None else _returned(trial, returned)


def _returned(trial: FunctionTrial, returned: object) -> Result:
    if not isinstance(returned, Outcome):
        sentence = (
            f"{trial.function} returns {returned!r:.40}, which judges nothing: write `assert` in place of "
            "`return`, or return a longctx.Outcome."
        )
    elif returned.kind in MEASURED and (returned.credit is None or 0 <= returned.credit <= 1):
        if returned.kind == "correct" and trial.last and no_answer(trial.last):
            returned = replace(returned, kind="truncated", why=_cut_off(trial.last), credit=None)
        return Result(returned.kind, returned.why, outcome=returned)
    else:
        sentence = (
            f"{trial.function} returns an outcome of the kind {returned.kind!r} with the credit {returned.credit}: the "
            f"kind is one of {', '.join(MEASURED)}, and credit is a number from 0 to 1."
        )
    return Result("error", sentence, TestMistake(UserError("bad-outcome", sentence)))


def _judged(trial: FunctionTrial, error: BaseException | None) -> Result:
    if error is not None and is_skip(error):
        return Result("skipped", str(error))
    if isinstance(error, JudgeUnreadable):
        return Result("infra_error", f"{JUDGE_ERROR}: {error}", error)
    if error is not None and not is_failure(error):
        status = status_of(trial.exchanges[-1].message) if trial.exchanges else 200
        if status != 200 and _status(error) == status:
            return Result("refusal", f"the model refused; {_first_lines(str(error))}")
        return Result("error", str(error), error)
    if why := trial.judge_cut_off:
        return Result("infra_error", f"{JUDGE_ERROR}: {why}", error)
    unmet = [name for name, held in trial.checks.items() if held is False]
    last = trial.last
    if error is None and not unmet:
        return Result("truncated", _cut_off(last)) if last and no_answer(last) else Result("correct")
    why = _first_lines(reason(error) if error is not None else _unmet(trial, unmet))
    if last and last.stop_reason == "refusal":
        return Result("refusal", f"{refused(last)}; {why}")
    if last and last.cut_off:
        return Result("truncated", f"{_cut_off(last)}; {why}")
    return Result("unparseable" if isinstance(error, Unparseable) else "wrong", why)


def _status(error: BaseException) -> int | None:
    """Return the status of the answer for which an SDK raised this error; None for any other error."""
    response = getattr(error, "response", None)
    return getattr(response, "status_code", None) or getattr(error, "code", None)


def no_answer(reply: Reply) -> bool:
    """Return whether a reply was cut off before its text began: an assertion that passes on it judges nothing."""
    return reply.cut_off and reply.says_nothing


def _cut_off(reply: Reply) -> str:
    return f"the last reply was cut off after {reply.output_tokens} tokens{', before any text' * no_answer(reply)}"


def _unmet(trial: FunctionTrial, names: Sequence[str]) -> str:
    return "; ".join([f"failed: {', '.join(names)}", *(trial.reasons[name] for name in names if name in trial.reasons)])


def is_failure(error: BaseException) -> bool:
    """Return whether an exception says that an answer is wrong, and not that its test is."""
    return isinstance(error, AssertionError | Unparseable) or _meant(error) == "failed"


def is_skip(error: BaseException) -> bool:
    """Return whether an exception is that of `pytest.skip`."""
    return _meant(error) == "skipped"


def reason(error: BaseException) -> str:
    """Return what an error says, or the line of an assertion that says nothing: only pytest makes it say its values."""
    if str(error) or not isinstance(error, AssertionError):
        return str(error)
    lines = traceback.extract_tb(error.__traceback__)
    return (lines[-1].line or "") if lines else ""


def _meant(error: BaseException | None) -> Meant:
    """Return what `pytest.skip` or `pytest.fail` means, if the test has called it: pytest is imported then."""
    pytest = sys.modules.get("pytest")
    if pytest is None:
        return None
    if isinstance(error, pytest.skip.Exception):
        return "skipped"
    return "failed" if isinstance(error, pytest.fail.Exception) else None


def ended(trial: FunctionTrial, result: Result) -> Waiting | Judged | Ended:
    """Return how a trial that has run once goes on."""
    match result.kind:
        case "suspended":
            return Waiting([lacking.wanted for lacking in trial.lacking], changed_request)
        case "skipped":
            return Ended("skipped", result.why)
        case "error":
            return Ended("error", result.why, type(result.error).__name__, result.error)
        case "infra_error":
            return Ended("unmeasured", result.why, JUDGE_ERROR, result.error)
    return judged(trial, result)


def run_trial(trial_of: TrialOf, start: RunOnce, trial: Trial) -> Waiting | Judged | Ended:
    """Run a trial once, against what is recorded."""
    running = trial_of(trial)
    try:
        return ended(running, start(running))
    except TapeError as error:
        return Ended("error", str(error), type(error).__name__, error)


def judged(trial: FunctionTrial, result: Result) -> Judged:
    """Return a trial that ran to its end, with its outcome and what its row and its page show."""
    own = [exchange.reply for exchange in trial.answers if exchange.reply]
    depth, distance = _place(trial)
    kind: Any = result.kind  # a measured one
    outcome = result.outcome
    if outcome is None:
        shown = own[-1].text[:SHOWN] if own else None
        outcome = Outcome(
            kind, shown, trace={name: int(held) for name, held in trial.checks.items() if isinstance(held, bool)}
        )
    credit = {} if outcome.credit is None else {CREDIT: round(1000 * outcome.credit)}
    return Judged(
        kind,
        trial.exchanges,
        functools.partial(view, trial),
        outcome.why if result.outcome else result.why or None,
        expected=outcome.expected,
        returned=outcome.returned,
        trace={**outcome.trace, **credit, **trial.counted},
        checks=trial.checks,
        graded=trial.graded,
        lexical=trial.lexical,
        probe=trial.probe or None,
        kept=trial.kept,
        depth=depth,
        distance_from_end=distance,
        judged_by=judging.digests(
            {**trial.judged_by, **({"expected": [outcome.expected]} if outcome.expected else {})}
        ),
        origins={trial.tape.origin(exchange.wanted) for exchange in trial.exchanges},
    )


def _place(trial: FunctionTrial) -> tuple[float | None, int | None]:
    """Return the depth of the needle in the first request that holds it, and the tokens after it.

    Of a probe of a transcript, it is the place in the transcript, whatever the strategy kept.
    """
    if trial.depth is not None:
        return round(trial.depth, 6), None
    for exchange in trial.answers:
        text = _asked(exchange)
        places = [place for needle in trial.needles if (place := text.find(needle)) >= 0]
        if places and exchange.reply:
            depth = places[0] / len(text)
            return round(depth, 6), round((1 - depth) * exchange.reply.input_tokens)
    return None, None


def view(trial: FunctionTrial, test: str) -> View:
    """Return the conversation of a trial: what each request adds, with the needles marked, and each reply."""
    parts: list[Excerpt] = []
    before: list[Any] = []
    if trial.answers and (system := _request(trial.answers[0]).get("system")):
        parts.append(Excerpt(("system prompt",), 1, (("", _cut(texts(system))),)))
    for number, exchange in enumerate(trial.answers, start=1):
        turns = list(_request(exchange)["messages"])
        goes_on = len(turns) > len(before) and turns[: len(before)] == before
        new = turns[len(before) :] if goes_on else turns
        added = "\n\n".join(texts(turn["content"]) for turn in new if turn["role"] == "user")
        before = turns
        marks = [
            Mark("needle", place, place + len(needle))
            for needle in dict.fromkeys(trial.needles)
            if (place := added.find(needle)) >= 0
        ]
        parts.append(Excerpt((f"request {number}",), 1, (("", _cut(added)),)))
        parts += excerpts(added, marks)
        if number < len(trial.answers):
            parts.append(Excerpt((f"reply {number}",), 1, (("", _cut(reply_text(exchange))),)))
    for number, exchange in enumerate((each for each in trial.exchanges if each.role == "judge"), start=1):
        parts.append(Excerpt((f"to the judge, {number}",), 1, (("", _cut(_asked(exchange))),)))
        parts.append(Excerpt((f"of the judge, {number}",), 1, (("", _cut(reply_text(exchange))),)))
    if trial.checks:
        held = "\n".join(f"{name}: {_shown(held)}" for name, held in trial.checks.items())
        parts.append(Excerpt(("checks",), 1, (("", held),)))
    return View(test, parts, reply_text(trial.answers[-1]) if trial.answers else None)


def _shown(held: bool | float) -> str:
    return f"partial credit {held:g}" if isinstance(held, float) else "holds" if held else "fails"


def reply_text(exchange: Exchange) -> str:
    """Return the reply as people read it: its text, and the tools that it calls."""
    return text_of(exchange.wanted.path, exchange.message)


def text_of(path: str, message: Mapping[str, Any]) -> str:
    """Return an answer as people read it. path: that of its API."""
    answer = Answer((api_at(path) or messages).as_message(message))
    calls = [f"[calls {use.get('name')}({use.get('input')})]" for use in answer.tool_uses]
    return "\n".join(filter(None, [answer.text, *calls]))


def _asked(exchange: Exchange) -> str:
    return "\n\n".join(texts(turn["content"]) for turn in _request(exchange)["messages"])


def _request(exchange: Exchange) -> Mapping[str, Any]:
    return (api_at(exchange.wanted.path) or messages).as_request(exchange.body)


def _cut(text: str) -> str:
    return text if len(text) <= 4 * AROUND else f"{text[: 2 * AROUND]}{CUT}{text[-2 * AROUND :]}"


def _first_lines(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions in a group, as a TaskGroup raises them: a mistake first, then other errors."""
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    leaves = [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    yield from sorted(leaves, key=lambda leaf: not isinstance(leaf, TestMistake))
