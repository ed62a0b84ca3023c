"""The verdict on a change: pass, regression or inconclusive, from paired trials in bands of length.

Every band is a hypothesis of its own, so that a collapse at the long end is not averaged away. A band passes where
the drop is shown to be smaller than the margin; it is a regression where a drop above zero is shown, Holm over all
bands, and the band does not pass; else it is inconclusive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal

from longctx.gate.defaults import ALPHA, MARGIN
from longctx.stats import bound, sequential, signflip
from longctx.stats.bound import design_effect, trials_to_settle
from longctx.stats.rates import holm

if TYPE_CHECKING:
    from longctx.results.subject import Subject

Verdict = Literal["pass", "regression", "inconclusive", "invalid"]

EARLY_STOP = "early stop"
"""The error of a row that was not asked because the verdict was settled."""
EARLY_SHARE = 0.5
"""The share of alpha that the looks of a run with early stop have; the test at its end has the rest."""
LEAST_CLUSTERS = 15
"""With fewer clusters of several trials nothing is shown, neither a drop nor its absence.

In simulations (benchmarks/gate/RESULTS.md) 10 clusters or fewer passed a drop of the margin in more than 5% where a
change overturns whole sections, 15 did not. False alarms do not ask for more: as one of nine bands they stay at 5%
with any number. Alone, and at low rates, such a change alarms in 9 to 14% with 15 to 60: signs flip as a fair coin's
only where losses spread over the sections as gains do.
"""


@dataclass(frozen=True, slots=True)
class Band:
    """A family's trials of one range of lengths. subject: of whom, where a run has several."""

    family: str
    name: str
    subject: Subject | None = None

    def __str__(self) -> str:
        return f"{self.family}, {self.name}"


@dataclass(frozen=True, slots=True)
class BandVerdict:
    """difference: of the rates, second minus first. bound: the upper one of the drop. p_value: of the drop.

    needed: about how many trials would settle an inconclusive band, nine times in ten, if nothing had changed; None for
    the others.
    """

    band: Band
    verdict: Verdict
    n: int
    clusters: int
    gained: int
    lost: int
    bound: float
    p_value: float
    shown: bool
    needed: int | None
    same_answers: bool = False
    """The run replayed the baseline's own answers, and judged them the same."""

    @property
    def difference(self) -> float:
        return (self.gained - self.lost) / self.n if self.n else 0.0

    @property
    def within_margin(self) -> bool:
        """A drop is shown, and shown to be smaller than the margin: it passes, and is named."""
        return self.verdict == "pass" and self.shown


Clusters = Sequence[Sequence[int]]
"""The changes of each cluster's trials: 1 gained, -1 lost, 0 neither."""


def judge(
    bands: Mapping[Band, Clusters],
    margin: float = MARGIN,
    alpha: float = ALPHA,
    beside: Sequence[float] = (),
    at_any_time: bool = False,
) -> list[BandVerdict]:
    """A verdict for each band, in their order. beside: p-values of further hypotheses, which Holm counts too.

    at_any_time: by evidence that holds whenever a run is stopped, rather than at an end that was set beforehand.
    """
    p_values = [_p_value(clusters, at_any_time) for clusters in bands.values()]
    shown = holm([*p_values, *beside], alpha)[: len(p_values)]
    return [
        _band(band, clusters, p_value, is_shown, margin, alpha, at_any_time)
        for (band, clusters), p_value, is_shown in zip(bands.items(), p_values, shown, strict=True)
    ]


def overall(verdicts: Sequence[BandVerdict]) -> Verdict:
    """The verdict on several bands: a regression if there is one, a pass if all pass, else inconclusive; so is none."""
    given = {verdict.verdict for verdict in verdicts}
    if "regression" in given:
        return "regression"
    return "pass" if given == {"pass"} else "inconclusive"


def enough(clusters: Clusters) -> bool:
    """Whether clusters are so many, or each so small, that they can show anything."""
    return len(clusters) >= LEAST_CLUSTERS or max(map(len, clusters), default=1) == 1


def _p_value(clusters: Clusters, at_any_time: bool) -> float:
    test = sequential.drop_p_value if at_any_time else signflip.drop_p_value
    return test(list(map(sum, clusters))) if enough(clusters) else 1.0


def _bound(clusters: Clusters, alpha: float, at_any_time: bool) -> float:
    upper = sequential.drop_bound if at_any_time else bound.drop_bound
    return upper(clusters, alpha) if enough(clusters) else 1.0


def _band(
    band: Band, clusters: Clusters, p_value: float, shown: bool, margin: float, alpha: float, at_any_time: bool
) -> BandVerdict:
    changes = list(chain.from_iterable(clusters))
    n, gained, lost = len(changes), changes.count(1), changes.count(-1)
    upper = _bound(clusters, alpha, at_any_time)
    verdict: Verdict = "pass" if upper < margin else "regression" if shown else "inconclusive"
    discordance = (gained + lost + 1) / (n + 2)
    needed = None
    if verdict == "inconclusive":
        needed = trials_to_settle(discordance, margin, alpha, design_effect(clusters), n / len(clusters) if n else 1.0)
    return BandVerdict(
        band=band,
        verdict=verdict,
        n=n,
        clusters=len(clusters),
        gained=gained,
        lost=lost,
        bound=upper,
        p_value=p_value,
        shown=shown,
        needed=needed,
    )
