"""The page of a verdict on two runs or files, which have no report in common: as that of a gated run begins."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from longctx.report.document import Document
from longctx.report.gate_lines import ViewsOfRows
from longctx.report.page.earlier_answers import CHANGES, Earlier, change_of, earlier_rows
from longctx.report.page.page import ChangedTrials, changes_page
from longctx.report.page.trials import shown_subject
from longctx.results.row import Row
from longctx.vocabulary.both import Both
from longctx.vocabulary.declaration import Protocol

MOST_TRIALS = 5000
"""The most trials on a page: results of other tools may have hundreds of thousands."""


def verdict_page(
    document: Document, rows: Both[Sequence[Row]], texts: ViewsOfRows, tests: Mapping[str, Protocol]
) -> str:
    """Return the page: the verdict, and the later trials next to their earlier answers, the lost ones first.

    texts: returns what else is known of rows.
    """
    was = earlier_rows(*rows, None, tests)
    answers = {identity: Earlier(row) for identity, row in was.items()}
    ranked = sorted(rows.after, key=lambda row: CHANGES.index(change_of(answers.get(row.identity), row)))
    shown = rows.after if len(ranked) <= MOST_TRIALS else ranked[:MOST_TRIALS]
    if len(shown) < len(rows.after):
        left = f"The page has {len(shown):,} of {len(rows.after):,} trials: those whose answer changed come first."
        document = replace(document, notes=(*document.notes, left))
    before, after = texts([was[row.identity] for row in shown if row.identity in was], shown)
    earlier = {
        row.identity: replace(answers[row.identity], view=before.get(was[row.identity].identity, {}))
        for row in shown
        if row.identity in was
    }
    views = [json.dumps(after.get(row.identity, {})) for row in shown]
    return changes_page(document, ChangedTrials(shown, views, earlier, shown_subject([*rows.before, *shown])), tests)
