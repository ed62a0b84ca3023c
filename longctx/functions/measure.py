"""The result of one run of a test function: how it ended, its outcome, its row and what is shown of it."""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from longctx.cells.cell import Trial
from longctx.errors import TapeError, UserError
from longctx.functions.trial import (
    FunctionTrial,
    TestMistake,
    asked_text,
    changed_request,
    no_answer,
    request_of,
    texts,
)
from longctx.recording.apis import status_of
from longctx.recording.trials import Judged, TrialEnd, Waiting
from longctx.results import judged_by
from longctx.results.constant import CHOICES
from longctx.results.trial_view import View
from longctx.vocabulary.answer import Answer, JudgeUnreadable, Unparseable
from longctx.vocabulary.excerpt import AROUND, CUT, Excerpt, excerpts
from longctx.vocabulary.judging import refused
from longctx.vocabulary.point import CREDIT, MEASURED, Kind, Mark, Outcome

JUDGE_ERROR = "judge_error"
"""Why a trial is not measured whose judge gave a verdict that cannot be read."""
MOST_OF_REASON = 1000
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

    set_up: sets up what the function takes. Its exceptions are not the answer's fault.
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
    if trial.unanswered and not isinstance(error, TestMistake):
        trial.number_unanswered()
        return Result("suspended")
    if error is not None and not is_set_up and not is_skip(error):
        return Result("error", str(error), error)
    return _judged(trial, error) if returned is None else _returned(trial, returned)


def _returned(trial: FunctionTrial, returned: object) -> Result:
    if not isinstance(returned, Outcome):
        sentence = (
            f"{trial.function} returns {returned!r:.40}, which judges nothing: write `assert` instead of `return`, or "
            "return a longctx.Outcome."
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


def _cut_off(answer: Answer) -> str:
    return f"the last reply was cut off after {answer.output_tokens} tokens{', before any text' * no_answer(answer)}"


def _unmet(trial: FunctionTrial, names: Sequence[str]) -> str:
    return "; ".join([f"failed: {', '.join(names)}", *(trial.reasons[name] for name in names if name in trial.reasons)])


def is_failure(error: BaseException) -> bool:
    """Return whether an exception states that an answer is wrong, and not that its test is."""
    return isinstance(error, AssertionError | Unparseable) or _meant(error) == "failed"


def is_skip(error: BaseException) -> bool:
    """Return whether an exception is that of `pytest.skip`."""
    return _meant(error) == "skipped"


def reason(error: BaseException) -> str:
    """Return the message of an error, or the line of an assertion without one: only pytest adds its values."""
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


def ended(trial: FunctionTrial, result: Result) -> Waiting | Judged | TrialEnd:
    """Return how a trial that has run once goes on."""
    match result.kind:
        case "suspended":
            waiting = trial.unanswered
            return Waiting([each.place for each in waiting], [each.body for each in waiting], changed_request)
        case "skipped":
            return TrialEnd("skipped", result.why)
        case "error":
            return TrialEnd("error", result.why, type(result.error).__name__, result.error)
        case "infra_error":
            return TrialEnd("unmeasured", result.why, JUDGE_ERROR, result.error)
    return judge_trial(trial, result)


def run_trial(trial_of: TrialOf, start: RunOnce, trial: Trial) -> Waiting | Judged | TrialEnd:
    """Run a trial once, against what is recorded."""
    running = trial_of(trial)
    try:
        return ended(running, start(running))
    except TapeError as error:
        return TrialEnd("error", str(error), type(error).__name__, error)


def judge_trial(trial: FunctionTrial, result: Result) -> Judged:
    """Return a trial that ran to its end, with its outcome, for its row and its page."""
    own = [exchange.answer for exchange in trial.answers if exchange.answer]
    depth, distance = _place(trial)
    kind: Any = result.kind  # a measured one
    outcome = result.outcome
    if outcome is None:
        shown = own[-1].text[:MOST_OF_REASON] if own else None
        outcome = Outcome(
            kind, shown, trace={name: int(held) for name, held in trial.checks.items() if isinstance(held, bool)}
        )
    letters, right = trial.choice if outcome.expected is None and trial.choice else (0, None)
    credit = {} if outcome.credit is None else {CREDIT: round(1000 * outcome.credit)}
    return Judged(
        kind,
        trial.exchanges,
        functools.partial(view, trial),
        outcome.why if result.outcome else result.why or None,
        expected=outcome.expected or right,
        returned=outcome.returned,
        trace={**outcome.trace, **credit, **trial.counted, **({CHOICES: letters} if letters else {})},
        checks=trial.checks,
        graded=trial.graded,
        lexical=trial.lexical,
        probe=trial.probe or None,
        kept=trial.kept,
        depth=depth,
        distance_from_end=distance,
        judged_by=judged_by.judge_digests(
            {**trial.judged_by, **({"expected": [outcome.expected]} if outcome.expected else {})}
        ),
        case=next((case for case in trial.judged_by.get("case", ()) if isinstance(case, dict)), None),
        strategy=trial.strategy.source,
        origins={trial.tape.origin(exchange.place) for exchange in trial.exchanges},
    )


def _place(trial: FunctionTrial) -> tuple[float | None, int | None]:
    """Return the depth of the needle in the first request that contains it, and the tokens after it.

    None if a trial has several needles, or one at several places. Of a probe of a transcript, it is the place in the
    transcript, whatever the strategy kept.
    """
    if trial.depth is not None:
        return round(trial.depth, 6), None
    if len(trial.needles) != 1:
        return None, None
    needle = trial.needles[0]
    for exchange in trial.answers:
        text = asked_text(exchange)
        if needle in text and exchange.answer:
            if text.count(needle) > 1:
                break
            depth = text.index(needle) / len(text)
            return round(depth, 6), round((1 - depth) * exchange.answer.input_tokens)
    return None, None


def view(trial: FunctionTrial, test: str) -> View:
    """Return the conversation of a trial: what each request adds, with the needles marked, and each answer."""
    parts: list[Excerpt] = []
    before: list[Any] = []
    if trial.answers and (system := request_of(trial.answers[0]).get("system")):
        parts.append(Excerpt(("system prompt",), 1, (("", _cut(texts(system))),)))
    for number, exchange in enumerate(trial.answers, start=1):
        turns = list(request_of(exchange)["messages"])
        goes_on = len(turns) > len(before) and turns[: len(before)] == before
        new = turns[len(before) :] if goes_on else turns
        added = "\n\n".join(texts(turn["content"]) for turn in new if turn["role"] == "user")
        before = turns
        marks = [
            Mark("needle", place, place + len(needle)) for needle in trial.needles if (place := added.find(needle)) >= 0
        ]
        parts.append(Excerpt((f"request {number}",), 1, (("", _cut(added)),)))
        parts += excerpts(added, marks)
        if number < len(trial.answers):
            parts.append(Excerpt((f"reply {number}",), 1, (("", _cut(answer_text(exchange.answer))),)))
    for number, exchange in enumerate((each for each in trial.exchanges if each.role == "judge"), start=1):
        parts.append(Excerpt((f"to the judge, {number}",), 1, (("", _cut(asked_text(exchange))),)))
        parts.append(Excerpt((f"of the judge, {number}",), 1, (("", _cut(answer_text(exchange.answer))),)))
    if trial.checks:
        held = "\n".join(f"{name}: {_shown(held)}" for name, held in trial.checks.items())
        parts.append(Excerpt(("checks",), 1, (("", held),)))
    return View(test, parts, answer_text(trial.answers[-1].answer) if trial.answers else None)


def _shown(held: bool | float) -> str:
    return f"partial credit {held:g}" if isinstance(held, float) else "holds" if held else "fails"


def answer_text(answer: Answer | None) -> str:
    """Return an answer as people read it: its text, and the tools that it calls; empty for a count of tokens."""
    if answer is None:
        return ""
    calls = [f"[calls {use.get('name')}({use.get('input')})]" for use in answer.tool_uses]
    return "\n".join(filter(None, [answer.thought + answer.text, *calls]))


def _cut(text: str) -> str:
    return text if len(text) <= 4 * AROUND else f"{text[: 2 * AROUND]}{CUT}{text[-2 * AROUND :]}"


def _first_lines(text: str) -> str:
    return text if len(text) <= MOST_OF_REASON else f"{text[:MOST_OF_REASON]}…"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions in a group, as a TaskGroup raises them: a mistake first, then other errors."""
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    leaves = [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    yield from sorted(leaves, key=lambda leaf: not isinstance(leaf, TestMistake))
