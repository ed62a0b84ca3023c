"""Running a test function for one trial, and what comes of it."""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from longctx.cases.case import Question
from longctx.errors import TapeError, UserError
from longctx.functions.answer import Answer, JudgeUnreadable, Unparseable, texts
from longctx.functions.trial import FunctionTrial, TestMistake, changed_request
from longctx.recording.apis import api_at, messages
from longctx.recording.trials import Ended, Exchange, Judged, Waiting
from longctx.results.view import View
from longctx.vocabulary.excerpt import AROUND, CUT, Excerpt, excerpts
from longctx.vocabulary.judging import refused
from longctx.vocabulary.scenario import CREDIT, CUT_OFF, MEASURED, Kind, Mark, Outcome

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


TrialOf = Callable[[Question], FunctionTrial]
"""Returns a trial that has not run yet."""
RunOnce = Callable[[FunctionTrial], Result]
"""Runs the function once for a trial."""


def run(trial: FunctionTrial, call: Callable[[], object]) -> Result:
    """Call the function, and judge its trial by the outcome that it returns, or else by how it ends."""
    error: BaseException | None = None
    returned: object = None
    try:
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
    return _judged(trial, error) if returned is None else _returned(trial, returned)


def _returned(trial: FunctionTrial, returned: object) -> Result:
    if not isinstance(returned, Outcome):
        sentence = (
            f"{trial.function} returns {returned!r:.40}, which judges nothing: write `assert` in place of "
            "`return`, or return a longctx.Outcome."
        )
    elif returned.kind in MEASURED and (returned.credit is None or 0 <= returned.credit <= 1):
        return Result(returned.kind, returned.why, outcome=returned)
    else:
        sentence = (
            f"{trial.function} returns an outcome of the kind {returned.kind!r} with the credit {returned.credit}: the "
            f"kind is one of {', '.join(MEASURED)}, and credit is a number from 0 to 1."
        )
    return Result("error", sentence, TestMistake(UserError("bad-outcome", sentence)))


def _judged(trial: FunctionTrial, error: BaseException | None) -> Result:
    means = _meant(error)
    if means == "skipped":
        return Result("skipped", str(error))
    if isinstance(error, JudgeUnreadable):
        return Result("infra_error", f"{JUDGE_ERROR}: {error}", error)
    failed = isinstance(error, AssertionError | Unparseable) or means == "failed"
    if error is not None and not failed:
        return Result("error", str(error), error)
    unmet = [name for name, held in trial.checks.items() if held is False]
    if error is None and not unmet:
        return Result("correct")
    why = _first_lines(_reason(error)) if error is not None else f"failed: {', '.join(unmet)}"
    last = trial.last
    if last and last.stop_reason == "refusal":
        return Result("refusal", f"{refused(last)}; {why}")
    if last and last.stop_reason in CUT_OFF:
        return Result("truncated", f"the last reply was cut off after {last.output_tokens} tokens; {why}")
    return Result("unparseable" if isinstance(error, Unparseable) else "wrong", why)


def _reason(error: BaseException) -> str:
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


def run_trial(trial_of: TrialOf, start: RunOnce, question: Question) -> Waiting | Judged | Ended:
    """Run a trial once, against what is recorded."""
    trial = trial_of(question)
    try:
        return ended(trial, start(trial))
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
    answer = Answer((api_at(exchange.wanted.path) or messages).as_message(exchange.message))
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
