"""The gate on passkey retrieval: k_max of each window, against the baseline and against a stated minimum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longctx.compare.pairs import Pairs
from longctx.families.passkey.grid import PasskeyGrid
from longctx.families.passkey.window_gate import Change, Reach, WindowDrop, judge_window, window_drop
from longctx.gate.evidence import same_answer
from longctx.results.row import Row
from longctx.vocabulary.grid import Grid
from longctx.vocabulary.hypothesis import Hypothesis, Judged, Tested

SAME = "same answers"


@dataclass(frozen=True, slots=True)
class KMax(Hypothesis):
    """k_max of a model in one window (tokens). by_k: each pair's answers, right or not, before and after.

    same_answers: whether the run replayed the baseline's own answers, and judged them the same. minimum: tokens.
    """

    model: str
    window: int
    by_k: Mapping[int, Sequence[Change]]
    same_answers: bool
    minimum: int | None

    def test(self, alpha: float) -> Tested:
        return TestedKMax(self, window_drop(self.window, self.by_k, alpha, self.same_answers))


@dataclass(frozen=True, slots=True)
class TestedKMax(Tested):
    """k_max with its drop."""

    of: KMax
    drop: WindowDrop

    @property
    def p_value(self) -> float:
        return self.drop.p_value

    def judge(self, shown: bool, margin: float) -> Judged:
        drop, found = self.drop, judge_window(self.drop, shown, margin, self.of.minimum)
        minimum = {} if found.minimum is None else {"minimum": f"{found.minimum:,}: {found.against_minimum}"}
        return Judged(
            verdict=found.verdict,
            against_minimum=found.against_minimum,
            says=f"k_max of {self.of.model} {drop.before.k_max:,} → {drop.after.k_max:,}",
            kind="windows",
            table="k_max (tokens)",
            cells={
                "window": f"{drop.window:,}",
                "verdict": found.verdict,
                "before [95%]": _reach(drop.before),
                "now [95%]": _reach(drop.after),
                "bound of drop": SAME if drop.same_answers else f"{drop.bound:,}",
                **minimum,
            },
            data={
                "window": drop.window,
                "verdict": found.verdict,
                "k_max": [drop.before.k_max, drop.after.k_max],
                "bound": drop.bound,
                "p_value": drop.p_value,
                "same_answers": drop.same_answers,
                "minimum": found.minimum,
                "against_minimum": found.against_minimum,
            },
        )


def k_max_hypotheses(pairs: Pairs, model: str, grids: Sequence[Grid]) -> list[KMax]:
    """One a window of which both runs measured something. grids: the profile's tables for the model."""
    same = windows_of_same_answers(pairs)
    return [
        KMax(model, window, by_k, window in same, _minimum(window, grids)) for window, by_k in by_window(pairs).items()
    ]


def by_window(pairs: Pairs) -> dict[int, dict[int, list[Change]]]:
    """Whether each pair was right before and after, by window and k (tokens)."""
    found: dict[int, dict[int, list[Change]]] = defaultdict(lambda: defaultdict(list))
    for window, k, before, after in _in_windows(pairs):
        if after.measured:
            found[window][k].append((before.correct, after.correct))
    return found


def windows_of_same_answers(pairs: Pairs) -> set[int]:
    """Windows for which the run replayed the baseline's own answers, and judged them the same: none has moved."""
    same: dict[int, bool] = {}
    for window, _, before, after in _in_windows(pairs):
        same[window] = same.get(window, True) and after.measured and same_answer(before, after)
    return {window for window, all_same in same.items() if all_same}


def _in_windows(pairs: Pairs) -> Iterator[tuple[int, int, Row, Row]]:
    """Window, k, and both trials of the pairs that the baseline measured."""
    for before, after in pairs.common.values():
        if before.measured:
            yield int(after.params["window"] or 0), int(after.params["k"] or 0), before, after


def _minimum(window: int, grids: Sequence[Grid]) -> int | None:
    """The stated minimum of k_max, where the window is as large."""
    stated = [
        grid.min_k_max
        for grid in grids
        if isinstance(grid, PasskeyGrid) and grid.min_k_max is not None and window in grid.windows
    ]
    return next((one for one in reversed(stated) if window >= one), None)


def _reach(one: Reach) -> str:
    return f"{one.k_max:,} [{one.interval[0]:,}, {one.interval[1]:,}]"
