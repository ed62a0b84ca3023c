"""The report of line retrieval: accuracy by length and order, and how far from the target wrong answers are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from longctx import Answers, Causes, Chart, Plot, PlotMark, Report, Row, Shares, Table
from longctx.protocols.reports.claims import Claim, claims_table, helps
from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Subject
from longctx.stats.unpaired import Unpaired
from longctx.text import count

EDGES = (1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""Bands of distances, in lines: 1, 2, 3, 4 to 7, 8 to 15 and so on, before and after the target."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Where one subject's wrong answers come from."""

    subject: Subject
    by_number: dict[int, int]
    """How many are in each band of distances by line number; a band is named by its distance nearest to the target."""
    by_place: dict[int, int]
    """How many are in each band of distances by place in the file."""
    echoed: int
    """Answers that are a line's number."""
    nowhere: int
    """Answers that are not in the file."""

    @property
    def other_line(self) -> int:
        """The wrong answers that are the value of another line."""
        return sum(self.by_number.values())

    @property
    def wrong(self) -> int:
        return self.other_line + self.echoed + self.nowhere

    @property
    def distances(self) -> dict[str, dict[int, int]]:
        return {"in line number": self.by_number, "in place": self.by_place}

    @property
    def bands(self) -> list[int]:
        return sorted({*self.by_number, *self.by_place})


def more(analysis: Sequence[Answers]) -> Iterator[Chart | Table]:
    """Yield how far the returned lines are from the target, and whether the source's claim holds."""
    yield from distances(analysis)
    measured = [row for answers in analysis for row in answers.rows]
    if table := claims_table(
        "Line retrieval", (claim for rows in by_subject(measured).values() for claim in claims(rows))
    ):
        yield table


def claims(rows: Sequence[Row]) -> Iterator[Claim]:
    """Yield whether larger blocks help (Papailiopoulos et al.): the larger half of the sizes against the smaller half.

    Files of one length are compared. rows: measured ones of one subject; each file is drawn anew, so none are paired.
    """
    smaller, larger = list[Row](), list[Row]()
    for of_length in grouped(rows, lambda row: row.params["lines"]).values():
        in_blocks = [row for row in of_length if row.params["block_size"]]
        by_size = grouped(in_blocks, lambda row: int(row.params["block_size"] or 0))
        sizes = sorted(by_size)
        for size in sizes if len(sizes) > 1 else ():
            (smaller if size in sizes[: len(sizes) // 2] else larger).extend(by_size[size])
    if smaller and larger:
        effect = Unpaired.of([[row.credit] for row in smaller], [[row.credit] for row in larger])
        yield helps(rows[0].subject, "larger blocks help", effect, [*smaller, *larger])


def distances(analysis: Sequence[Answers]) -> Iterator[Chart]:
    """Yield a chart for each subject of how far the returned lines are from the target."""
    for number, found in enumerate(origins([row for answers in analysis for row in answers.rows]), start=1):
        if found.other_line:
            yield _origins_chart(found, number)


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


def _origins_table(origins: Origins) -> Table:
    """Return the numbers of the chart, and the wrong answers that are not in it."""
    rows = (
        *((_named(band), *(str(of.get(band, 0)) for of in origins.distances.values())) for band in origins.bands),
        ("the number of a line", str(origins.echoed), ""),
        ("nowhere in the file", str(origins.nowhere), ""),
    )
    answers = count(origins.wrong, "wrong answer comes", "wrong answers come")
    title = f"Where {answers} from: {origins.subject}"
    return Table(title, ("distance of the returned line", *origins.distances), rows)


def _origins_chart(origins: Origins, number: int) -> Chart:
    marks = [
        PlotMark(_named(band), of[band], series=name, say=f"{_named(band)} {name}: {of[band]:,}")
        for band in origins.bands
        for name, of in origins.distances.items()
        if band in of
    ]
    table = _origins_table(origins)
    plot = Plot(marks=marks, kind="bars", value="wrong answers", ends=None, legend="distance, lines")
    return Chart(f"line-retrieval-origins-{number}", "", table.title, plot, table)


def _named(distance: int) -> str:
    """Return the name of the band that begins at a distance, such as `+4 to +7`."""
    low = abs(distance)
    sign = "+" if distance > 0 else "-"
    return f"{sign}{low}" if low < 4 else f"{sign}{low} to {sign}{2 * low - 1}"


def order(block_size: int | None) -> str:
    """Name the order of a file's lines: ordered, shuffled, or blocks of so many lines."""
    if block_size is None:
        return "ordered"
    return "shuffled" if block_size == 1 else f"blocks of {block_size}"


def _by_order(answers: Answers) -> Iterator[tuple[int, str, Any]]:
    yield answers.params["block_size"] or 0, f"{answers.params['lines']:,} lines", answers.rate()


def _nowhere(row: Row) -> bool:
    return row.outcome == "wrong" and not {"line", "echoed_line"} & row.trace.keys()


def _next_to_it(answers: Answers) -> str:
    near = answers.count(lambda row: abs(row.trace.get("place_distance", 2)) <= 1)
    return f"{near:,} of them of the line next to the target in place"


REPORT = Report(
    x="lines",
    axis="number of lines",
    title="By length",
    series=lambda params: order(params["block_size"]),
    legend="order of lines",
    table="accuracy [95% interval] by number of lines",
    charts=(
        Shares(
            name="by-order",
            title="By order",
            x="order of lines",
            label=lambda block_size: order(block_size or None),
            legend="length",
            points=_by_order,
            value="accuracy",
            fewest=2,
        ),
    ),
    causes=Causes(
        {
            "another line's value": lambda row: "line" in row.trace,
            "the number of a line": lambda row: "echoed_line" in row.trace,
            "nowhere in the file": _nowhere,
        },
        title="where wrong answers are from",
        details={"another line's value": _next_to_it},
    ),
    more=more,
)
