"""The origins of wrong answers in line retrieval: their distance from the line that was asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longctx.results.grouping import by_subject
from longctx.results.row import Row
from longctx.results.subject import Subject

EDGES = (1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""Bands of distances, in lines: 1, 2, 3, 4 to 7, 8 to 15 and so on, before and after the target."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Where one subject's wrong answers come from.

    by_number, by_place: how many are in each band of distances, by line number and by place in the file; a band is
    named by its signed distance nearest to the target. echoed: answers that are a line's number. nowhere: answers that
    are not in the file.
    """

    subject: Subject
    by_number: dict[int, int]
    by_place: dict[int, int]
    echoed: int
    nowhere: int

    @property
    def other_line(self) -> int:
        """The wrong answers that are the value of another line."""
        return sum(self.by_number.values())

    @property
    def wrong(self) -> int:
        return self.other_line + self.echoed + self.nowhere


def origins(rows: Sequence[Row]) -> Iterator[Origins]:
    """Yield the origins for each subject. rows: those of line retrieval."""
    wrong = [row for row in rows if row.outcome == "wrong"]
    for subject, group in by_subject(wrong).items():
        traces = [row.trace for row in group]
        lines = [trace for trace in traces if "line_distance" in trace]
        echoed = sum("echoed_line" in trace for trace in traces)
        yield Origins(
            subject=subject,
            by_number=_bands([line["line_distance"] for line in lines]),
            by_place=_bands([line["place_distance"] for line in lines]),
            echoed=echoed,
            nowhere=len(traces) - len(lines) - echoed,
        )


def band(distance: int) -> int:
    """Return the signed distance nearest to the target in the same band."""
    edge = max((edge for edge in EDGES if edge <= abs(distance)), default=0)
    return edge if distance > 0 else -edge


def _bands(distances: list[int]) -> dict[int, int]:
    """Count the distances in each band, from the farthest band on one side to the same band on the other."""
    counts = Counter(map(band, distances))
    farthest = max(map(abs, counts), default=0)
    edges = [edge for edge in EDGES if edge <= farthest]
    return {edge: counts[edge] for edge in [*(-edge for edge in reversed(edges)), *edges]}
