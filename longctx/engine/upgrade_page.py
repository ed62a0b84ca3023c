"""The page of an upgrade: what was decided, and the trials of the candidates beside the old answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longctx.engine.upgrade import Upgrade
from longctx.files import write_file
from longctx.registry import families
from longctx.report.document import Document, as_markdown
from longctx.report.page.earlier import Earlier, earlier_rows
from longctx.report.page.page import ChangedTrials, changes_page
from longctx.report.upgrade import UpgradeDecision, accuracy_chart, shown_subject, upgrade_data, upgrade_document
from longctx.results.row import Row
from longctx.views.chart import Chart
from longctx.workspace import Workspace


def write(out: Path, upgrade: Upgrade, workspace: Workspace, volume: int | None) -> Document:
    """Write index.html, upgrade.md and upgrade.json into a folder, and return the upgrade in words."""
    judged = [(candidate.name, candidate.verdict) for candidate in upgrade.candidates]
    after = {candidate.name: candidate.measured.rows for candidate in upgrade.candidates}
    old = upgrade.old.treatment.name
    decision = UpgradeDecision(old, upgrade.old.rows, judged, after, upgrade.best.name, volume)
    document, chart = upgrade_document(decision), accuracy_chart(decision)
    texts = {
        "index.html": _page(document, upgrade, workspace, [chart] if chart else []),
        "upgrade.md": as_markdown(document),
        "upgrade.json": json.dumps(upgrade_data(decision), ensure_ascii=False, indent=1, allow_nan=False) + "\n",
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_file(out / name, _writer(text))
    return document


def _writer(text: str) -> Any:
    return lambda part: part.write_text(text, encoding="utf-8")


def _page(document: Document, upgrade: Upgrade, workspace: Workspace, figures: Sequence[Chart]) -> str:
    """Return the page: the decision with its charts, and the candidates' trials beside the old answers."""
    known = families(workspace)
    views = {row.identity: view for row, view in zip(upgrade.old.rows, _fields(upgrade.old.views), strict=True)}
    rows: list[Row] = []
    texts: list[str] = []
    earlier: dict[tuple[object, ...], Earlier] = {}
    for candidate in upgrade.candidates:
        new = candidate.measured
        was = earlier_rows(upgrade.old.rows, new.rows, None, known)
        earlier |= {identity: Earlier(row, views[row.identity]) for identity, row in was.items()}
        rows += new.rows
        texts += [json.dumps(view) for view in _fields(new.views)]
    subject = shown_subject([*upgrade.old.rows, *rows])
    return changes_page(document, ChangedTrials(rows, texts, earlier, subject), known, figures)


def _fields(views: Sequence[Any]) -> list[dict[str, Any]]:
    return [json.loads(view.to_json()) for view in views]
