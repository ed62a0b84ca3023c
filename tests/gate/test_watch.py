"""The nights of a canary, from rows: what is paired, and what counts once."""

from __future__ import annotations

from dataclasses import replace

from longctx.gate.watch import watched
from longctx.results.row import Row
from tests.rows import row


def rows(outcomes: str, night: int = 0, **given: object) -> list[Row]:
    """Return a row for each letter: r is right, w wrong and n not measured."""
    kinds = {"r": "correct", "w": "wrong", "n": "infra_error"}
    own = [
        row(kinds[letter], trial=100 * night + at, band="all", test="test_it", item=f"{night}-{at}")
        for at, letter in enumerate(outcomes)
    ]
    return [replace(each, **given) for each in own]  # type: ignore[arg-type]


BASELINE = [*rows("rrrrww", 0), *rows("rrrrww", 1)]


def test_a_night_is_compared_with_its_part_of_the_baseline() -> None:
    first, second = watched(BASELINE, {"mon": rows("rrrwrn", 0), "tue": rows("rwwwww", 1)}, {})
    assert (first.night.lost, first.night.gained, len(first.night.items)) == (1, 1, 5)
    assert (second.night.lost, second.night.gained) == (3, 0)
    assert (second.before.correct, second.after.correct, second.after.n) == (4, 1, 6)
    assert second.evidence.since in (0, 1)
    assert first.name == "mon"


def test_a_cluster_counts_once_and_a_repeat_not_at_all() -> None:
    before, after = rows("rrrrrr", cluster="doc"), rows("wwwwww", cluster="doc")
    (night,) = watched(before, {"mon": [*after, *(replace(each, repeat=1) for each in after)]}, {})
    assert (night.night.lost, len(night.night.items)) == (1, 1)


def test_checks_and_what_is_not_gated_do_not_count() -> None:
    both = [*BASELINE, *(replace(each, test="test_it.polite") for each in BASELINE)]
    (night,) = watched(both, {"mon": [replace(each, outcome="wrong") for each in both]}, {})
    assert night.night.lost == 8
    (none,) = watched(both, {"mon": [replace(each, band=None) for each in both]}, {})
    assert (none.night.lost, len(none.night.items)) == (0, 0)
