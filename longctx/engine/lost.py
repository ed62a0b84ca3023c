"""The answers that a gated run lost, with their texts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longctx.engine.earlier import views_of
from longctx.gate.verdict import RunVerdict
from longctx.report.lost import MOST_LOST, LostAnswer, LostAnswers
from longctx.results.baseline import Baseline
from longctx.results.row import Row
from longctx.results.store import FinishedRun


def lost_answers(
    verdict: RunVerdict, baseline: Baseline, record: FinishedRun, cassettes: Path, named: str, folder: str
) -> LostAnswers:
    """Return the lost answers behind a verdict.

    cassettes: the recordings in which replies are looked up that the baseline does not hold. named, folder: the
    baseline and the run's folder, as the command names them that shows all.
    """
    pairs = [pair for family in verdict.families for pair in family.lost]
    if not pairs:
        return LostAnswers()
    shown = pairs[:MOST_LOST]
    views = {row.identity: view for row, view in record.seen()}
    has_text = any(views.values())
    earlier = views_of(baseline, [before for before, _ in shown], cassettes) if has_text else {}
    return LostAnswers(
        tuple(
            LostAnswer(
                trial=f"{after.family}/{after.scenario}#{after.name}",
                subject=str(after.subject),
                expected=after.expected,
                before=_answer(before, earlier.get(before.identity, {})),
                after=_answer(after, views.get(after.identity, {})) or after.outcome,
            )
            for before, after in shown
        ),
        len(pairs),
        shlex.join(["python", "-m", "longctx", "compare", named, folder, "--flips", str(len(pairs))]),
    )


def _answer(row: Row, view: Mapping[str, Any]) -> str | None:
    """Return what was read from a reply, else the reply; None if neither is kept."""
    return row.returned or view.get("reply")
