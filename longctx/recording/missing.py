"""What the tape lacks, in the order in which it is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from longctx.recording.case import Case, Question
from longctx.recording.tape import Tape, Wanted

KEPT = 64_000_000
"""Characters of prompts that are kept until they are asked, so as not to be built twice."""

PassedOver = Callable[[Question, Wanted], object]


def missing(tape: Tape, cases: Sequence[Case], passed_over: PassedOver | None = None) -> list[Question]:
    """The questions this tape's record mode asks, those with a common beginning next to each other.

    passed_over: told of each question that it does not ask.

    Longer shared beginnings come last, so that each prompt extends what a server has kept of the one before. The
    repeats of a trial, which are the same from beginning to end, are neighbours.
    """
    found: list[tuple[tuple[object, ...], Question]] = []
    room = KEPT
    for place, case in enumerate(cases):
        for question in case.questions():
            trial = question.build()
            wanted = Wanted.of(question, trial)
            if tape.wants(wanted):
                room -= len(trial.user)
                known = dataclasses.replace(question, built=trial if room >= 0 else None, sha256=wanted.sha256)
                alike = (case.model.model, case.wording.prompt_set, trial.prefix)
                found.append(((*alike, place, question.index, question.repeat), known))
            elif passed_over:
                passed_over(question, wanted)
    return [question for _, question in sorted(found, key=lambda pair: pair[0])]
