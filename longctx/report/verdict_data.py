"""The verdict of a gate as data, for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longctx.gate.bands import Verdict
from longctx.gate.changed import changed
from longctx.gate.verdict import FamilyVerdict, Rules, RunVerdict, give_verdict
from longctx.report import document
from longctx.report.document import Document
from longctx.report.verdict import verdict_document
from longctx.results.answers import with_answers
from longctx.results.baseline import Baseline
from longctx.results.manifest import Manifest
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.vocabulary.family import Family

GATE = "gate.json"


def judge(
    folder: Path, baseline: Baseline, rows: Sequence[Row], manifest: Manifest, rules: Rules, known: Mapping[str, Family]
) -> tuple[Verdict, Document]:
    """The verdict on a run whose rows and manifest these are, also in words, which gate.md and gate.json in its folder
    get. known: the families, by name."""
    found = give_verdict(baseline.rows, with_answers(rows), rules, known)
    between = changed((baseline.manifest, baseline.rows), (manifest, rows), found)
    shown = verdict_document(found, baseline.name, between)
    write_data(folder, found, baseline.name, between, shown)
    (folder / "gate.md").write_text(document.as_markdown(shown), encoding="utf-8")
    return found.verdict, shown


def write_data(folder: Path, found: RunVerdict, baseline: str, changed: Sequence[str], shown: Document) -> None:
    """gate.json in a run's folder. shown: the verdict in words, which `load_shown` gives back."""
    data = as_data(found, baseline, changed) | {"document": document.as_data(shown)}
    (folder / GATE).write_text(f"{json.dumps(data, ensure_ascii=False, indent=1)}\n", encoding="utf-8")


def load_shown(folder: Path) -> Document | None:
    """A run's verdict in words; None where it was not gated, or by an earlier version that kept none."""
    try:
        data = json.loads((folder / GATE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return document.from_data(data["document"]) if "document" in data else None


def as_data(found: RunVerdict, baseline: str, changed: Sequence[str]) -> dict[str, Any]:
    """For programs."""
    return {
        "verdict": found.verdict,
        "baseline": baseline,
        "margin": found.rules.margin,
        "alpha": found.rules.alpha,
        "alpha_of_verdict": found.alpha,
        "trials": found.trials,
        "left_out": found.left_out,
        "reasons": list(found.reasons),
        "changed": list(changed),
        "families": [_family(family) for family in found.families],
    }


def _family(one: FamilyVerdict) -> dict[str, Any]:
    kinds = dict.fromkeys(judged.kind for judged in one.hypotheses)
    return {
        "family": one.family,
        "before": _named(one.before),
        "after": _named(one.after),
        "verdict": one.verdict,
        "reasons": list(one.reasons),
        "pairs": one.asked,
        "unmeasured": one.missing,
        "bands": [
            {
                "band": band.band.name,
                "verdict": band.verdict,
                **{name: getattr(band, name) for name in ("n", "clusters", "gained", "lost", "difference")},
                **{name: getattr(band, name) for name in ("bound", "p_value", "needed", "same_answers")},
            }
            for band in one.bands
        ],
        **{kind: [dict(judged.data) for judged in one.hypotheses if judged.kind == kind] for kind in kinds},
    }


def _named(subject: Subject) -> dict[str, Any]:
    return {"model": subject.model, "prompt_set": subject.prompt_set, "labels": dict(subject.labels)}
