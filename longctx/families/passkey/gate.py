"""The gate on passkey retrieval: k_max of each window, against the baseline and against a stated minimum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longctx.compare.pairs import TrialPairs
from longctx.families.passkey.grid import PasskeyGrid
from longctx.families.passkey.window_gate import PairOutcome, Reach, WindowDrop, judge_window, window_drop
from longctx.gate.evidence import same_answer
from longctx.results.row import Row
from longctx.vocabulary.grid import Grid
from longctx.vocabulary.hypothesis import Hypothesis, Judged, Tested

SAME = "same answers"


@dataclass(frozen=True, slots=True)
class KMax(Hypothesis):
    """The hypothesis about k_max of a model in one window (tokens). by_k: the pairs of each k, as right or wrong.

    same_answers: whether the run replayed the baseline's own answers and judged them the same. minimum: tokens.
    """

    model: str
    window: int
    by_k: Mapping[int, Sequence[PairOutcome]]
    same_answers: bool
    minimum: int | None

    def test(self, alpha: float) -> Tested:
        return TestedKMax(self, window_drop(self.window, self.by_k, alpha, self.same_answers))


@dataclass(frozen=True, slots=True)
class TestedKMax(Tested):
    """The hypothesis with the drop of k_max."""

    of: KMax
    drop: WindowDrop

    @property
    def p_value(self) -> float:
        return self.drop.p_value

    def judge(self, shown: bool, margin: float) -> Judged:
        drop, judged = self.drop, judge_window(self.drop, shown, margin, self.of.minimum)
        minimum = {} if judged.minimum is None else {"minimum": f"{judged.minimum:,}: {judged.against_minimum}"}
        return Judged(
            verdict=judged.verdict,
            against_minimum=judged.against_minimum,
            says=f"k_max of {self.of.model} {drop.before.k_max:,} → {drop.after.k_max:,}",
            kind="windows",
            table="k_max (tokens)",
            cells={
                "window": f"{drop.window:,}",
                "verdict": judged.verdict,
                "before [95%]": _reach(drop.before),
                "now [95%]": _reach(drop.after),
                "bound of drop": SAME if drop.same_answers else f"{drop.bound:,}",
                **minimum,
            },
            data={
                "window": drop.window,
                "verdict": judged.verdict,
                "k_max": [drop.before.k_max, drop.after.k_max],
                "bound": drop.bound,
                "p_value": drop.p_value,
                "same_answers": drop.same_answers,
                "minimum": judged.minimum,
                "against_minimum": judged.against_minimum,
            },
        )


def k_max_hypotheses(pairs: TrialPairs, model: str, grids: Sequence[Grid]) -> list[KMax]:
    """Return a hypothesis for each window that both runs measured. grids: the profile's tables for the model."""
    same = windows_of_same_answers(pairs)
    return [
        KMax(model, window, by_k, window in same, _minimum(window, grids)) for window, by_k in by_window(pairs).items()
    ]


def by_window(pairs: TrialPairs) -> dict[int, dict[int, list[PairOutcome]]]:
    """Group pairs, as right or wrong before and after, by window and k (tokens)."""
    windows: dict[int, dict[int, list[PairOutcome]]] = defaultdict(lambda: defaultdict(list))
    for window, k, before, after in _in_windows(pairs):
        if after.measured:
            windows[window][k].append((before.correct, after.correct))
    return windows


def windows_of_same_answers(pairs: TrialPairs) -> set[int]:
    """Return the windows for which the run replayed the baseline's own answers and judged them the same."""
    same: dict[int, bool] = {}
    for window, _, before, after in _in_windows(pairs):
        same[window] = same.get(window, True) and after.measured and same_answer(before, after)
    return {window for window, all_same in same.items() if all_same}


def _in_windows(pairs: TrialPairs) -> Iterator[tuple[int, int, Row, Row]]:
    """Yield window, k, and both trials of the pairs that the baseline measured."""
    for before, after in pairs.common.values():
        if before.measured:
            yield int(after.params["window"] or 0), int(after.params["k"] or 0), before, after


def _minimum(window: int, grids: Sequence[Grid]) -> int | None:
    """Return the stated minimum of k_max, if the window is at least as large."""
    stated = [
        grid.min_k_max
        for grid in grids
        if isinstance(grid, PasskeyGrid) and grid.min_k_max is not None and window in grid.windows
    ]
    return next((minimum for minimum in reversed(stated) if window >= minimum), None)


def _reach(reach: Reach) -> str:
    return f"{reach.k_max:,} [{reach.interval[0]:,}, {reach.interval[1]:,}]"
