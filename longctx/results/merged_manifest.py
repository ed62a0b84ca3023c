"""The manifest of a run that was merged from several."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.results.completeness import left_out_of_all
from longctx.results.manifest import Manifest, RecordedTerms, require_manifest
from longctx.results.sent_texts import SentTexts, sent_texts
from longctx.results.store import load_rows


def merge_manifests(folders: Sequence[Path], name: str) -> Manifest:
    """Return the manifest of the merged run, with the manifest of each run in `merged`. Raises UserError.

    Versions and profiles that differ are listed; digests and numbers that differ are left out. A run that was itself
    merged counts as the runs that it was merged from.
    """
    distinct: dict[str, Mapping[str, Any]] = {}
    manifests = [require_manifest(folder) for folder in folders]
    for manifest in manifests:
        for part in manifest.merged or (asdict(manifest),):
            own = {name: value for name, value in part.items() if name not in ("merged", "texts")}
            text = json.dumps(own, sort_keys=True)
            distinct[text] = json.loads(text)
    parts = [distinct[key] for key in sorted(distinct, key=lambda key: (distinct[key]["run"], key))]
    labels = set.intersection(*(set(part["labels"].items()) for part in parts))
    return Manifest(
        run=name,
        version=_all(parts, "version"),
        profile=_all(parts, "profile"),
        profile_digest=_shared(parts, "profile_digest") or "",
        about=_shared(parts, "about") or "",
        seed=_shared(parts, "seed"),
        labels=dict(sorted(labels)),
        options=tuple(_shared(parts, "options") or ()),
        prices=_agreed(parts, "prices"),
        sent_as=_agreed(parts, "sent_as"),
        headers=_agreed(parts, "headers"),
        hooks=tuple(sorted({hook for part in parts for hook in part.get("hooks", ())})),
        base=", ".join(sorted({part["base"] for part in parts if part.get("base")})),
        documents=_agreed(parts, "documents"),
        templates=_agreed(parts, "templates"),
        texts=SentTexts(sent for manifest in manifests for sent in sent_texts(manifest.texts)).kept,
        filters=tuple({json.dumps(kept): kept for part in parts for kept in part.get("filters", ())}.values()),
        finished_at=max(part["finished_at"] for part in parts),
        facts=_facts(parts),
        looks=_looks(parts, "looks"),
        functions_looks=_looks(parts, "functions_looks"),
        terms=_strictest([part.get("terms") for part in parts]),
        left_out=left_out_of_all(
            [(manifest, load_rows(folder)) for manifest, folder in zip(manifests, folders, strict=True)]
        ),
        empty=tuple(sorted({name for part in parts for name in part.get("empty", ())})),
        fresh="; ".join(dict.fromkeys(part["fresh"] for part in parts if part.get("fresh"))),
        reports=_reports(parts),
        commit=_shared(parts, "commit") or "",
        ci_run=_shared(parts, "ci_run") or "",
        tests=dict(sum((Counter(part.get("tests", {})) for part in parts), Counter())),
        servers=_agreed(parts, "servers"),
        merged=tuple(parts),
    )


def _reports(parts: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """Return the tests that declare a report in any of the parts, and whether one of these adds to the gate."""
    declared = [(name, gated) for part in parts for name, gated in part.get("reports", {}).items()]
    return {name: (name, True) in declared for name in sorted({name for name, _ in declared})}


def _strictest(terms: Sequence[Mapping[str, Any] | None]) -> RecordedTerms | None:
    """Return the smallest of each term; None unless all parts have recorded theirs."""
    known = [of for of in terms if of]
    if len(known) < len(terms):
        return None
    stated = [of["run_margin"] for of in known if of["run_margin"] is not None]
    margin, alpha = (min(of[name] for of in known) for name in ("margin", "alpha"))
    return RecordedTerms(margin=margin, alpha=alpha, run_margin=min(stated, default=None))


def _looks(parts: Sequence[Mapping[str, Any]], field: str) -> str:
    """Return the plan of the parts that were sent in looks. Raises UserError if these are several."""
    plans = sorted({part[field] for part in parts if part.get(field)})
    if len(plans) > 1:
        raise UserError(
            "looks-differ",
            f"The runs have different plans of looks ({' and '.join(plans)}), and a verdict needs one plan: record all "
            "shards again with the same `looks` in their profile, or merge with --no-looks.",
        )
    return "".join(plans)


def _all(parts: Sequence[Mapping[str, Any]], name: str) -> str:
    return ", ".join(sorted({part[name] for part in parts}))


def _agreed(parts: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Return a field's value for each model on which all runs agree that have one."""
    by_model: dict[str, list[Any]] = {}
    for part in parts:
        for model, value in part.get(name, {}).items():
            by_model.setdefault(model, []).append(value)
    return {
        model: values[0] for model, values in sorted(by_model.items()) if all(value == values[0] for value in values)
    }


def _facts(parts: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, int]]:
    """Return the facts of each cell. Raises UserError if two runs contradict each other."""
    merged: dict[str, tuple[str, Mapping[str, int]]] = {}
    for part in parts:
        for cell, facts in part.get("facts", {}).items():
            other, known = merged.setdefault(cell, (part["run"], facts))
            if differing := sorted(name for name in {*known, *facts} if known.get(name) != facts.get(name)):
                name = differing[0]
                raise UserError(
                    "drawn-differently",
                    f"{cell} has different facts in the two runs: {name} is {known.get(name)} in the run {other} "
                    f"and {facts.get(name)} in the run {part['run']}: leave one of them out, or run them with labels "
                    "that tell them apart (--ctx-label NAME=VALUE).",
                )
    return {cell: facts for cell, (_, facts) in sorted(merged.items())}


def _shared(parts: Sequence[Mapping[str, Any]], name: str) -> Any:
    """Return the field's value if all runs have the same; else None."""
    first = parts[0].get(name)
    return first if all(part.get(name) == first for part in parts) else None
