"""The charts that every test has: heatmaps of rates by depth and length, and the outcomes of all tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from longctx.results.grouping import grouped
from longctx.stats.rates import Rate
from longctx.summary.summary import Summary
from longctx.views.chart import UNITLESS, WIDTH, Chart, Table, field, heat, legend_columns

SPLIT = ": "
"""The separator after which the name of a row continues in a second line."""
COMMON = "Only variants asked at every length are included, so lengths are comparable."
NOT_COMMON = "No variant was asked at every length: each cell counts those that were asked at its length."
FEW = 10
"""If a cell has fewer trials, all cells of its heatmap show numbers of trials, such as 1/2, instead of accuracies."""
OUTCOMES = ("correct", "wrong", "unparseable", "refusal", "truncated", "infra_error", "not_asked")


def heatmaps(summary: Summary) -> Iterator[Chart]:
    """Yield a heatmap for each test and subject whose needles have a depth."""
    groups = grouped(summary.heatmap_cells, lambda cell: (cell.test, cell.subject))
    for number, ((test, subject), group) in enumerate(groups.items(), start=1):
        text = _counted if any(cell.rate.n < FEW for cell in group) else _rate
        unit = summary.tests[test].unit
        values = [
            {
                "depth": _tenth(cell.depth),
                "size": cell.size,
                "rate": cell.rate.rate,
                "text": text(cell.rate),
                "say": f"{cell.size:,} {unit}, needle at {_tenth(cell.depth)}: {cell.rate}",
            }
            for cell in group
        ]
        base = {
            "x": field(
                "depth",
                "ordinal",
                "depth of the needle, % (0 = start)",
                scale={"domain": [_tenth(tenth) for tenth in range(10)]},
                axis=UNITLESS,
            ),
            "y": field(
                "size", "ordinal", None, sort="descending", axis={"labelExpr": f"format(datum.value, ',d') + ' {unit}'"}
            ),
        }
        spec = heat(values, **base)
        by_depth = sorted(group, key=lambda cell: cell.depth)
        rates = [(cell.size, _tenth(cell.depth), str(cell.rate)) for cell in by_depth]
        title = f"{summary.title(test)} by depth and length: {subject}"
        several = summary.tests[test].variant and len({cell.size for cell in group}) > 1
        note = "" if not several else COMMON if group[0].common else NOT_COMMON
        yield Chart(f"heatmap-{number}", test, title, spec, Table.pivot(title, rates, f"length, {unit}"), note)


def outcomes(summary: Summary) -> Iterator[Chart]:
    """Yield a chart with the shares of outcomes in each test; none without cells."""
    groups: dict[str, Counter[str]] = {}
    several = len({cell.subject for cell in summary.cells}) > 1
    for cell in summary.cells:
        subject = f"{SPLIT}{cell.subject}" if several else ""
        groups.setdefault(f"{summary.title(cell.test)}{subject}", Counter()).update(cell.outcomes)
    if not groups:
        return
    kinds = [kind for kind in OUTCOMES if any(counts[kind] for counts in groups.values())]
    values = [
        {
            "row": row,
            "kind": kind,
            "count": counts[kind],
            "say": f"{row}: {counts[kind]:,} of {counts.total():,} {kind}",
        }
        for row, counts in groups.items()
        for kind in kinds
        if counts[kind]
    ]
    palette = [f"var(--outcome-{kind.replace('_', '-')})" for kind in kinds]
    spec = {
        "data": {"values": values},
        "width": WIDTH,
        "height": {"step": 36},
        "mark": "bar",
        "encoding": {
            "y": field("row", "ordinal", None, sort=list(groups), axis={"labelExpr": f"split(datum.value, '{SPLIT}')"}),
            "x": field("count", "quantitative", "share of trials", stack="normalize", axis={"format": "%"}),
            "color": field(
                "kind",
                "nominal",
                "outcome",
                scale={"domain": kinds, "range": palette},
                legend={"columns": legend_columns(kinds, WIDTH // 2)},  # the tests' names take the other half
            ),
            "order": {"field": "place", "type": "quantitative"},
            "description": {"field": "say"},
        },
    }
    for value in values:
        value["place"] = kinds.index(str(value["kind"]))
    columns = {kind: [f"{counts[kind]:,}" for counts in groups.values()] for kind in kinds}
    table = Table.from_columns("Outcomes by kind", {"test": list(groups), **columns})
    yield Chart("outcomes", "", table.title, spec, table)


def _counted(rate: Rate) -> str:
    return f"{rate.correct:g}/{rate.n}"


def _rate(rate: Rate) -> str:
    return f"{rate.rate:.2f}"


def _tenth(depth: int) -> str:
    return f"{depth * 10}-{depth * 10 + 10}%"
