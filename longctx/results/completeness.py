"""What a run lacks of its grid: shards, cells, and trials that were not measured."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from longctx.results.cell_names import cell_names
from longctx.results.manifest import Manifest
from longctx.results.row import Row
from longctx.vocabulary.point import is_check

SHOWN_NAMES = 3
"""The most names and causes that a sentence lists."""


def left_out_of_all(runs: Sequence[tuple[Manifest, Sequence[Row]]]) -> tuple[str, ...]:
    """Return the names of the cells that some runs left out and none ran completely. runs: with their rows."""
    whole = {name for manifest, rows in runs for name in cell_names(rows) - {*manifest.left_out}}
    return tuple(dict.fromkeys(name for manifest, _ in runs for name in manifest.left_out if name not in whole))


def missing_shards(manifest: Manifest) -> list[str]:
    """Return a sentence, without its full stop, on the missing shards of each grid that a run has some shards of."""
    present: dict[str, set[str]] = {}
    for part in manifest.parts:
        if part.get("shard"):
            common = [part[name] for name in ("profile_digest", "seed", "options", "labels")]
            grid = json.dumps([*common, part["shard"].partition("/")[2]], sort_keys=True)
            present.setdefault(grid, set()).add(part["shard"])
    sentences = []
    for grid, shards in present.items():
        *_, labels, of = json.loads(grid)
        missing = [f"{number}/{of}" for number in range(1, int(of) + 1) if f"{number}/{of}" not in shards]
        label = "".join(f", {name}={value}" for name, value in sorted(labels.items())) if len(present) > 1 else ""
        if missing:
            which = f"{', '.join(missing[:SHOWN_NAMES])}{_more(missing)}"
            noun, verb = ("shard", "is") if len(missing) == 1 else ("shards", "are")
            sentences.append(f"{noun} {which} of its grid{label} {verb} missing")
    return sentences


def incomplete_sentences(manifest: Manifest, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence, without its full stop, on each way in which a run is incomplete."""
    yield from missing_shards(manifest)
    if names := manifest.left_out:
        yield f"it left out {len(names):,} of its grid's cells: {'; '.join(names[:SHOWN_NAMES])}{_more(names)}"
    trials = [row for row in rows if not is_check(row.test)]
    if missing := [row.error or row.outcome for row in trials if not row.measured]:
        causes = Counter(missing).most_common()
        listed = ", ".join(f"{number:,} {cause}" for cause, number in causes[:SHOWN_NAMES])
        yield f"{len(missing):,} of its {len(trials):,} trials were not measured ({listed}{_more(causes)})"


def _more(names: Sequence[object]) -> str:
    return " …" if len(names) > SHOWN_NAMES else ""
