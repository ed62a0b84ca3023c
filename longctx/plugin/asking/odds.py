"""The probability that a gate passes if nothing has changed, told before it is paid for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from longctx.gate.bands import Band
from longctx.gate.plan import Assumed, Target, passing
from longctx.recording.case import Case
from longctx.results.subject import Subject

NAMED = 3
"""The most bands that the sentence names."""


def unpowered(cases: Sequence[Case], margin: float, alpha: float) -> str | None:
    """Return a warning if a gate with these cases passes less often than a plan aims for; else None.

    The rates and their correlations are cautious guesses. margin, alpha: shares between 0 and 1.
    """
    target, guess = Target(margin, alpha), Assumed()
    odds = {band: passing(trials, clusters, guess, target) for band, (trials, clusters) in _sizes(cases).items()}
    whole = math.prod(odds.values())
    if whole >= target.power:
        return None
    low = sorted((chance, place, band) for place, (band, chance) in enumerate(odds.items()) if chance < target.power)
    names = [f"{band} {chance:.0%}" for chance, _, band in low[:NAMED]]
    if len(low) > NAMED:
        names.append(f"{len(low) - NAMED} more")
    which = f" ({'; '.join(names)})" if names else ""
    return (
        f"Underpowered: if nothing has changed but {guess.discordance:.0%} of pairs by chance, this gate passes with a "
        f"probability of {whole:.0%}{which}. `longctx plan` says how many trials it takes."
    )


def _sizes(cases: Sequence[Case]) -> dict[Band, tuple[int, int]]:
    """Return the numbers of trials and clusters of each band that is judged and has any."""
    trials: Counter[Band] = Counter()
    clusters: dict[Band, set[object]] = {}
    for case in cases:
        if case.gated:
            of_trials = case.clusters()
            band = Band(case.scenario.family, case.band, Subject(case.model.model, case.wording.prompt_set))
            trials[band] += len(of_trials)
            clusters.setdefault(band, set()).update(of_trials)
    return {band: (number, len(clusters[band])) for band, number in trials.items() if number}
