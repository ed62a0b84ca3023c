"""Two servers of one model as a document: the gate's, with what the servers say of themselves above its bands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from longctx.gate.served import Served
from longctx.report.blocks import Name, TextLine
from longctx.report.document import Document
from longctx.report.gate_lines import LostAnswers, Views, ViewsOfRows, lost_answers
from longctx.report.serving import about_servers, reasons_of, summary, verdict_of
from longctx.report.verdict_blocks import MARKS
from longctx.report.verdict_document import verdict_document
from longctx.results.trial_view import View
from longctx.vocabulary.both import Both
from longctx.vocabulary.declaration import Protocol


def serving_document(served: Served) -> Document:
    """Return the comparison in words, the verdict first."""
    verdict, (old, new) = verdict_of(served), served.sides
    gate = verdict_document(served.verdict, old.name, [f"server {old.name} → {new.name}"], lost=_lost(served))
    reasons = reasons_of(served)
    lead = summary(served) or " ".join(reasons) or gate.lead
    told = [*reasons, *about_servers(served), *served.unfinished]
    models = dict.fromkeys(row.model for of in served.measured for row in of.rows)
    about = [" · ".join([*models, "server "]), Name(old.name), " → ", Name(new.name)]
    return replace(
        gate,
        title=f"Serving: {verdict} - {lead}",
        heading=f"{MARKS[verdict]} longctx serving: {verdict}. {lead}",
        badge=verdict,
        lead=lead,
        about=TextLine.of(*about),
        blocks=(*map(TextLine.of, told), *gate.blocks),
        notes=(*told, *gate.notes),
    )


def serving_page(served: Served, document: Document, tests: Mapping[str, Protocol]) -> str:
    """Return the page, which is as that of `longctx gate OLD NEW`. tests: the known ones."""
    from longctx.report.page.verdict_page import verdict_page

    rows = Both(*(of.rows for of in served.measured))
    return verdict_page(document, rows, _texts(served), tests)


def _lost(served: Served) -> LostAnswers:
    old, new = served.measured
    return lost_answers(served.verdict, old.rows, new.rows, _texts(served))


def _texts(served: Served) -> ViewsOfRows:
    known = [
        {
            row.identity: json.loads(view.to_json())
            for row, view in zip(of.rows, of.views, strict=True)
            if view != View("")
        }
        for of in served.measured
    ]
    both: tuple[Views, Views] = known[0], known[1]
    return lambda *_: both
