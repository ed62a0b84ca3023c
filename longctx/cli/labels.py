"""`labels`: the answers of a gated run that tell most of its judge, for people to label."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.errors import UserError
from longctx.text import count
from longctx.vocabulary.point import name_of_test

if TYPE_CHECKING:
    from longctx.gate.labels import JudgedPair
    from longctx.report.gate_lines import Views
    from longctx.results.labels import ToLabel
    from longctx.results.row import Row
    from longctx.workspace import Workspace

HERE = "[the answer]"
"""Stands for the answer in what the judge is asked."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "labels",
        help="write the judged answers of a gated run that tell most, for people to label",
        description="Writes answers that a judge graded, as CSV: of the baseline and of RUN all whose grade changed or "
        "that are wrong twice, and 80 of those right twice in each band. People write right or wrong into the column "
        "`label`. With --ctx-judge-labels FILE the verdict then holds whatever the judge's errors are.",
    )
    parser.add_argument("folder", type=Path, nargs="?", metavar="RUN", help="a run's folder (default: reports/latest)")
    parser.add_argument("--baseline", metavar="NAME", help="(default: that which RUN was judged against)")
    parser.add_argument("--out", type=Path, default=Path("labels.csv"), metavar="FILE", help="default: labels.csv")
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.engine.finish import texts_of
    from longctx.files import check_file_can_be_written, write_file
    from longctx.gate.labels import judged_pairs, to_label
    from longctx.results.baseline_file import load_baseline
    from longctx.results.labels import as_csv
    from longctx.results.run_folders import find_run
    from longctx.results.store import load

    check_file_can_be_written(options.out, options.force)
    folder = find_run(options.folder or options.workspace.reports / "latest")
    workspace = options.workspace
    named = workspace.find_baseline(options.baseline) if options.baseline else _baseline_of(folder, workspace)
    baseline = load_baseline(named)
    record = load(folder)
    judged = judged_pairs(baseline.rows, record.rows)
    if not judged:
        raise UserError(
            "nothing-judged",
            f"No judge's word alone decides a trial or a check that {folder} and the baseline {baseline.name} have in "
            "common, so there is nothing to label.",
        )
    chosen = to_label(judged)
    rows = [[_of_trial(row) for pair in chosen for row in pair.rows[side]] for side in (0, 1)]
    answers = list(_answers(chosen, *texts_of(baseline, record, workspace.cassettes)(*rows)))
    write_file(options.out, lambda part: part.write_text(as_csv(answers), encoding="utf-8", newline=""))
    sampled = sum(pair.right_twice for pair in chosen)
    print(
        f"{options.out}: {count(len(answers), 'answer')} of {count(len(chosen), 'pair')}: "
        f"{len(chosen) - sampled:,} whose grade changed or that are wrong twice, and {sampled:,} of the "
        f"{sum(pair.right_twice for pair in judged):,} that are right twice. Write `right` or `wrong` into the column "
        f"`label` of each line, then replay the gate with --ctx-judge-labels {options.out}."
    )
    return 0


def _baseline_of(folder: Path, workspace: Workspace) -> Path:
    """Return the project's baseline that a run was judged against; its folder may be a stranger's. Raises UserError."""
    from longctx.engine.baselines import baseline_file
    from longctx.report.verdict_data import GATE

    try:
        name = json.loads((folder / GATE).read_text(encoding="utf-8"))["baseline"]
    except (OSError, ValueError, KeyError, TypeError):
        name = None
    if not isinstance(name, str):
        raise UserError("run-not-gated", f"{folder} was not judged against a baseline: name one with --baseline NAME.")
    if not (file := baseline_file(workspace, name)).is_file():
        raise UserError(
            "run-not-gated", f"{folder} was judged against {name}, which is not here: name it with --baseline."
        )
    return file


def _of_trial(row: Row) -> Row:
    """Return the row of a check's trial, as far as it identifies it."""
    return replace(row, test=name_of_test(row.test))


def _answers(chosen: Sequence[JudgedPair], before: Views, after: Views) -> Sequence[ToLabel]:
    """Return the answers of these pairs with their texts. Raises UserError if texts are not kept."""
    from longctx.results.labels import ToLabel

    found: dict[str, ToLabel] = {}
    no_text = 0
    for pair in chosen:
        for views, rows in zip((before, after), pair.rows, strict=True):
            for row in rows:
                reply = views.get(_of_trial(row).identity, {}).get("reply")
                no_text += reply is None
                view = after.get(_of_trial(pair.rows.after[0]).identity, {})
                trial = f"{row.test}/{row.cell}#{row.name}"
                request, criterion = _excerpt(view, "request 1"), _criterion(view)
                found[pair.id_of(row)] = ToLabel(pair.id_of(row), trial, request, criterion, str(reply or ""))
    if no_text:
        raise UserError(
            "texts-not-kept",
            f"The texts of {no_text:,} of {count(len(found), 'answer')} to label are not kept: those of the baseline "
            "are in cassettes/, or in it with `baseline save --with-replies`, those of the run in its folder unless "
            "LONGCTX_TEXT=0.",
        )
    return list(found.values())


def _excerpt(view: Mapping[str, Any], name: str) -> str:
    parts = (part for part in view.get("excerpts", ()) if name in part["names"])
    return "".join(text for part in parts for _, text in part["pieces"]).strip()


def _criterion(view: Mapping[str, Any]) -> str:
    """Return what the judge was asked, without the answer; empty if it is not found there, since it tells the run."""
    asked, reply = _excerpt(view, "to the judge, 1"), str(view.get("reply") or "").strip()
    return asked.replace(reply, HERE) if reply and reply in asked else ""
