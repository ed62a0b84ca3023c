"""The analysis of named sets beside their rates: RULER's recall, what was missed and where, and what was added."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longctx import Rate, Row, Subject
from longctx.protocols.named_sets import ASKED, MATCHED, MISSED, NAMED
from longctx.results.grouping import grouped
from longctx.stats.rates import pooled

TENTHS = 10
ITEM = re.compile(f"({NAMED}|{MISSED})_([0-9]+)")


@dataclass(frozen=True, slots=True)
class Naming:
    """The analysis of one scenario of one subject.

    trials: the measured ones. recall: RULER's, the mean share of the asked strings that occur in the reply; 0 for a
    trial without an answer. more: the trials that name everything, and something else. besides: names that were not
    asked for, by origin. Among replies that name anything: by_number is how often the first, second … asked item is
    named, and by_depth how often an item in the first, second … tenth of the text is, counted from 0.
    """

    subject: Subject
    scenario: str
    params: Mapping[str, Any]
    trials: int
    recall: float
    more: int
    besides: Mapping[str, int]
    by_number: Mapping[int, Rate]
    by_depth: Mapping[int, Rate]

    @property
    def named(self) -> Rate:
        """The share of all items asked for, in replies that name anything."""
        return pooled(self.by_number.values())


def namings(rows: Sequence[Row]) -> Iterator[Naming]:
    """Analyse each scenario of each subject, in the order of the rows. rows: measured trials of one family."""
    for (subject, scenario), group in grouped(rows, lambda row: (row.subject, row.scenario)).items():
        traces = [row.trace for row in group]
        yield Naming(
            subject=subject,
            scenario=scenario,
            params=group[0].params,
            trials=len(traces),
            recall=sum(trace.get(MATCHED, 0) / trace.get(ASKED, 1) for trace in traces) / len(traces),
            more=sum(_whole(trace) and bool(_besides(trace)) for trace in traces),
            besides=sum((_besides(trace) for trace in traces), Counter()),
            by_number=_rates((number, kind) for trace in traces for kind, number, _ in _items(trace)),
            by_depth=_rates((min(where // TENTHS, 9), kind) for trace in traces for kind, _, where in _items(trace)),
        )


def _items(trace: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    """Yield, for each asked item, whether it is named or missed, its number, and its place."""
    for key, where in trace.items():
        if match := ITEM.fullmatch(key):
            yield match[1], int(match[2]), where


def _besides(trace: Mapping[str, int]) -> Counter[str]:
    return Counter({key: n for key, n in trace.items() if key not in (ASKED, MATCHED) and not ITEM.fullmatch(key)})


def _whole(trace: Mapping[str, int]) -> bool:
    kinds = [kind for kind, *_ in _items(trace)]
    return bool(kinds) and MISSED not in kinds


def _rates(items: Iterable[tuple[int, str]]) -> dict[int, Rate]:
    """Return the rate at each place. items: places, and whether the item there is named or missed."""
    counts: dict[int, list[int]] = {}
    for place, kind in items:
        count = counts.setdefault(place, [0, 0])
        count[0] += kind == NAMED
        count[1] += 1
    return {place: Rate(named, n) for place, (named, n) in sorted(counts.items())}
