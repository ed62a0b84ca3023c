"""What a verdict says of the answers that are not recorded on the base branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from longctx.results.row import Row

MOST = 20
"""The most trials that are named."""


def answer_notes(rows: Sequence[Row], base: str) -> Iterator[str]:
    """Yield sentences on where the answers of a run come from. base: its name; empty if the run had none."""
    used = [row for row in rows if row.origin]
    if not base or not used:
        return
    number = Counter(row.origin for row in used)
    changed = [row for row in used if row.origin == "changed"]
    new = number["new"] + number["changed"]
    asked = f", and {number['asked']:,} were asked by this run" if number["asked"] else ""
    yield f"Of {len(used):,} answers, {new:,} are new on this branch: they are not recorded on {base}{asked}."
    if changed:
        named = [f"{row.family} {row.scenario}#{row.name} of {row.subject}" for row in changed[:MOST]]
        more = f" and {len(changed) - MOST:,} more" if len(changed) > MOST else ""
        yield (
            f"Of these, {len(changed):,} changed although their request did not: {'; '.join(named)}{more}. Look at "
            "them in the diff of cassettes/; --ctx-trust base accepts none of them."
        )
