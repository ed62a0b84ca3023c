"""Files of other tools, and what is read of them."""

from __future__ import annotations

from pathlib import Path

from longctx.results.foreign.choice import Choice
from longctx.results.imported import load_imported

DATA = Path(__file__).parent / "data"


def read(
    file: Path | str, cluster: str | None = None, band: str | None = None, **select: str
) -> list[tuple[object, ...]]:
    """Return the item, band, cluster, repeat and credit of each result; None for one that was not measured."""
    named = {name: field for name, field in (("cluster", cluster), ("band", band)) if field}
    rows = load_imported(DATA / file, Choice(select, named)).rows
    return [(row.item, row.band, row.cluster, row.repeat, row.credit if row.measured else None) for row in rows]


def credits(file: Path | str, **select: str) -> list[object]:
    return [credit for *_, credit in read(file, **select)]
