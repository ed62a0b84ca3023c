"""Whether a run measured the whole of its grid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longctx.results.manifest import Manifest
from longctx.vocabulary.scenario import MEASURED

SHOWN = 3
"""Names and causes that a sentence lists."""


def scenario_name(row: Mapping[str, Any]) -> str:
    """Of the scenario that a row is of: `line_retrieval/lines-5 of some-model, prompts seed`, and its labels."""
    labels = "".join(f" {name}={value}" for name, value in sorted(row["labels"].items()))
    return f"{row['family']}/{row['scenario']} of {row['model']}, prompts {row['prompt_set']}{labels}"


def left_out_of_all(runs: Sequence[tuple[Manifest, Sequence[Mapping[str, Any]]]]) -> tuple[str, ...]:
    """What some of these runs, given with their rows, left out, and none of them ran whole."""
    whole = {name for manifest, rows in runs for name in {*map(scenario_name, rows)} - {*manifest.left_out}}
    return tuple(dict.fromkeys(name for manifest, _ in runs for name in manifest.left_out if name not in whole))


def lacks(manifest: Manifest, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What keeps a run from being whole, a sentence each, without its full stop."""
    if names := manifest.left_out:
        yield f"it left out {len(names):,} of its grid's scenarios: {'; '.join(names[:SHOWN])}{_more(names)}"
    if missing := [row["error"] or row["outcome"] for row in rows if row["outcome"] not in MEASURED]:
        causes = Counter(missing).most_common()
        listed = ", ".join(f"{number:,} {cause}" for cause, number in causes[:SHOWN])
        yield f"{len(missing):,} of its {len(rows):,} trials were not measured ({listed}{_more(causes)})"


def _more(found: Sequence[object]) -> str:
    return " …" if len(found) > SHOWN else ""
