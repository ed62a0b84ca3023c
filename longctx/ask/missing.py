"""What the tape lacks, in the order in which it is asked."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.ask.case import Case, Question
from longctx.ask.tape import Tape, Wanted


def missing(tape: Tape, cases: Sequence[Case]) -> list[Question]:
    """The questions this tape's record mode asks, those with a common beginning next to each other.

    Longer shared beginnings come last, so that each prompt extends what a server has kept of the one before.
    """
    found: list[tuple[str, Question]] = []
    for case in cases:
        for question in case.questions():
            trial = question.build()
            if tape.wants(Wanted.of(question, trial)):
                found.append((trial.prefix, question))
    found.sort(key=lambda pair: (pair[1].case.model.model, pair[1].case.wording.prompt_set, pair[0]))
    return [question for _, question in found]
