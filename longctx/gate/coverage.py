"""The cells that a run does not judge, although its baseline judges them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from longctx.compare.pairs import Treatments, pairs
from longctx.vocabulary.point import is_check, name_of_test

if TYPE_CHECKING:
    from longctx.compare.pairs import Matched, Unmatched
    from longctx.results.row import Row, Subject
    from longctx.vocabulary.declaration import Protocol


NAMED = 3
"""The most cells that a reason names."""


def cells_not_judged(
    matched: Sequence[Matched], only_before: Unmatched, after: Sequence[Row], known: Mapping[str, Protocol]
) -> Iterator[str]:
    """Yield a sentence, without its full stop, if the run does not judge cells that its baseline judges.

    It is the same however they were lost: a test, a table or a model was removed, or the profile leaves them out of the
    gate. A cell that is compared with one at another parameter is judged. A check is lost where its trial was right,
    which it can only be after all of its checks. only_before: the baseline's rows without a counterpart.
    """
    not_judged: set[tuple[str, str, str]] = set()
    number = 0
    for test, subject, was, now in _gated_cells(matched, only_before, known):
        number += len(was)
        lost = was - now
        if lost and is_check(test):
            lost &= {row.cell for row in after if row.test == name_of_test(test) and row.correct}
        not_judged |= {(test, cell, str(subject)) for cell in lost}
    if not_judged:
        several = len({subject for *_, subject in not_judged}) > 1
        cells = [f"{test}/{cell}{f' of {subject}' if several else ''}" for test, cell, subject in sorted(not_judged)]
        yield (
            f"the run does not judge {len(not_judged):,} of the {number:,} cells that its baseline judges "
            f"({', '.join(cells[:NAMED])}{' …' if len(cells) > NAMED else ''}): run them all, without -k, -x and --lf, "
            "and do not leave them out of the gate, or save a baseline without them"
        )


def _gated_cells(
    matched: Sequence[Matched], only_before: Unmatched, known: Mapping[str, Protocol]
) -> Iterator[tuple[str, Subject, set[str], set[str]]]:
    """Yield the cells that the baseline judges of each test and subject, and those that the run judges."""
    for match in matched:
        was, now = ({row.cell for row in rows if row.band is not None} for rows in match.rows)
        if was - now:
            across = pairs(*match.rows, Treatments.of(known.get(match.test))).across
            now = now | {cells.before for cells in across if cells.after in now}
        yield match.test, match.before, was, now
    for (test, subject), rows in only_before.items():
        yield test, subject, {row.cell for row in rows if row.band is not None}, set()
