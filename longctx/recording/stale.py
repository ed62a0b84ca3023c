"""The stale trials: those that are recorded for another request only, so that a replay has no answer to them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from longctx.cases.case import Case
from longctx.recording.tape import Tape, Wanted


def stale(tape: Tape, cases: Sequence[Case]) -> int:
    """Return how many trials of these fitted cases are stale. The prompts of all that have a recording are built.

    Raises UserError if a prompt cannot be built.
    """
    return sum(
        tape.status(Wanted.of(trial, trial.build())) == "stale"
        for case in cases
        for trial in case.each_trial()
        if tape.has_trial(trial)
    )


def sentence(number: int, trials: int, arguments: Sequence[str]) -> str:
    """Return what to do about stale trials. arguments: those that chose the trials."""
    command = shlex.join(["pytest", "--ctx-record=new_episodes", *arguments])
    return (
        f"{number:,} of {trials:,} trials are stale: what is recorded of them answers another request, so a replay "
        f"cannot use it. To record them: {command}"
    )
