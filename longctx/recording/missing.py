"""The questions that the tape has no answer to, in the order in which they are asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

from longctx.cases.case import Case, Trial
from longctx.recording.tape import Tape, Wanted
from longctx.vocabulary.shapes import SHAPES

KEPT = 64_000_000
"""The most characters of prompts that are kept until they are asked, rather than built a second time."""
EARLY = 400_000
"""The characters of prompts that a direct run builds before it asks; it builds the others when it sends them."""

PassedOver = Callable[[Trial, Wanted], object]


def missing(
    tape: Tape, cases: Sequence[Case], passed_over: PassedOver | None = None, build: bool = True, early: int = 0
) -> list[Trial]:
    """Return the questions that the tape's record mode asks, ordered so that neighbours share a prefix.

    Longer shared prefixes come last, so that each prompt extends what the server has cached of the one before. Repeats
    of a trial, whose prompts are equal, are neighbours.

    passed_over: called with each question that is not asked. build: whether to build all prompts, so that an error is
    raised before anything is asked and all digests are known; an estimate builds only the first prompt of each case.
    early: the characters of prompts that are built all the same.
    """
    ordered: list[tuple[tuple[object, ...], Trial]] = []
    room = KEPT
    for place, case in enumerate(cases):
        group = case.model.model, case.wording.prompt_set, SHAPES.index(case.shape)
        for number, trial in enumerate(_lacking(tape, case, passed_over)):
            built = trial.build() if build or not number or trial.built or KEPT - room < early else None
            if built is not None:
                room -= len(built.user)
                sha256 = Wanted.of(trial, built).sha256
                trial = dataclasses.replace(trial, built=built if room >= 0 else None, sha256=sha256)
            prefix = built.prefix if built else trial.prefix or ""
            ordered.append(((*group, prefix, place, trial.index, trial.repeat), trial))
    return [trial for _, trial in sorted(ordered, key=lambda pair: pair[0])]


def _lacking(tape: Tape, case: Case, passed_over: PassedOver | None) -> Iterator[Trial]:
    """Yield the questions of a case that are asked. Prompts are built only if the digest matters."""
    for trial in case.each_trial():
        is_asked = tape.asks(trial)
        if is_asked is None or (passed_over and not is_asked):
            built = trial.build()
            wanted = Wanted.of(trial, built)
            is_asked = tape.wants(wanted)
            if passed_over and not is_asked:
                passed_over(trial, wanted)
            trial = dataclasses.replace(trial, built=built, sha256=wanted.sha256)
        if is_asked:
            yield trial
