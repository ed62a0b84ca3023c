"""Line retrieval: where wrong answers come from, by their distance from the line that was asked for."""

from __future__ import annotations

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

    by_number, by_place: how many lie in each band of distances in line number, and in place in the file; a band is
    the signed distance nearest to the target in it. echoed: a line's number; nowhere: nothing in the file.
    """

    subject: Subject
    by_number: dict[int, int]
    by_place: dict[int, int]
    echoed: int
    nowhere: int

    @property
    def other_line(self) -> int:
        """How many are the value of another line."""
        return sum(self.by_number.values())

    @property
    def wrong(self) -> int:
        return self.other_line + self.echoed + self.nowhere


def origins(rows: Sequence[Row]) -> Iterator[Origins]:
    """rows: of line retrieval."""
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
    """The distance nearest to the target in the same band, with its sign."""
    edge = max((one for one in EDGES if one <= abs(distance)), default=0)
    return edge if distance > 0 else -edge


def _bands(distances: list[int]) -> dict[int, int]:
    """How many lie in each band, all bands between the outermost included."""
    found = [band(distance) for distance in distances]
    farthest = max(map(abs, found), default=0)
    bands = [edge for edge in EDGES if edge <= farthest]
    return {one: found.count(one) for one in [*(-edge for edge in reversed(bands)), *bands]}
