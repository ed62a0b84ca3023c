"""What the tape lacks, in the order in which it is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

from longctx.recording.case import Case, Question
from longctx.recording.tape import Tape, Wanted

KEPT = 64_000_000
"""Characters of prompts that are kept until they are asked, so as not to be built twice."""

PassedOver = Callable[[Question, Wanted], object]


def missing(
    tape: Tape, cases: Sequence[Case], passed_over: PassedOver | None = None, build: bool = True
) -> list[Question]:
    """The questions this tape's record mode asks, those with a common beginning next to each other.

    passed_over: told of each question that it does not ask. build: whether all prompts are built, so that one that
    cannot be is told before any is asked, and their digests known; an estimate builds the first of each case.

    Longer shared beginnings come last, so that each prompt extends what a server has kept of the one before. The
    repeats of a trial, which are the same from beginning to end, are neighbours.
    """
    ordered: list[tuple[tuple[object, ...], Question]] = []
    room = KEPT
    for place, case in enumerate(cases):
        alike = case.model.model, case.wording.prompt_set
        for number, question in enumerate(_lacking(tape, case, passed_over)):
            trial = question.build() if build or not number or question.built else None
            if trial is not None:
                room -= len(trial.user)
                sha256 = Wanted.of(question, trial).sha256
                question = dataclasses.replace(question, built=trial if room >= 0 else None, sha256=sha256)
            prefix = trial.prefix if trial else question.prefix or ""
            ordered.append(((*alike, prefix, place, question.index, question.repeat), question))
    return [question for _, question in sorted(ordered, key=lambda pair: pair[0])]


def _lacking(tape: Tape, case: Case, passed_over: PassedOver | None) -> Iterator[Question]:
    """A request is made, and its digest taken, only where these matter."""
    for question in case.questions():
        asked = tape.asks(question)
        if asked is None or (passed_over and not asked):
            trial = question.build()
            wanted = Wanted.of(question, trial)
            asked = tape.wants(wanted)
            if passed_over and not asked:
                passed_over(question, wanted)
            question = dataclasses.replace(question, built=trial, sha256=wanted.sha256)
        if asked:
            yield question
