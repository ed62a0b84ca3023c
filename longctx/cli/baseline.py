"""`baseline`: keep a run to compare later runs with, and list and show what was kept."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.files import check_new, write_file
from longctx.text import count


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "baseline",
        help="save a run to gate later runs against",
        description="A baseline is a file of fixtures/baselines/: the outcomes of a run by trial, without answers. "
        "pytest --ctx-baseline NAME gives a verdict on a run against it.",
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    save = actions.add_parser("save", help="write fixtures/baselines/NAME.jsonl from a finished run")
    save.add_argument("name", metavar="NAME", help="the name of the baseline")
    save.add_argument("folder", type=Path, nargs="?", metavar="RUN", help="its folder (default: reports/latest)")
    save.add_argument(
        "--force", action="store_true", help="overwrite a baseline of that name; save a run that is incomplete"
    )
    save.add_argument(
        "--add",
        action="store_true",
        help="add the run to the baseline of that name: a gate then compares with the mean of all its runs",
    )
    save.add_argument(
        "--with-replies", action="store_true", help="keep the text of the replies, to show them next to those of a run"
    )
    save.set_defaults(run=_save)
    anchor = actions.add_parser(
        "anchor",
        help="fix a baseline as it is now: gates then compare with both, and a drop since the anchor is a regression",
        description="Copies fixtures/baselines/NAME.jsonl to NAME.anchor, which `baseline save NAME --force` leaves as "
        "it is. So small drops that each pass against the previous release cannot add up unnoticed. Delete "
        "the file to compare with the baseline alone.",
    )
    anchor.add_argument("name", metavar="NAME", help="the name of the baseline")
    anchor.add_argument("--force", action="store_true", help="replace its anchor")
    anchor.set_defaults(run=_anchor)
    listed = actions.add_parser("list", help="list the project's baselines")
    listed.set_defaults(run=_list)
    show = actions.add_parser("show", help="print the run of a baseline, and the accuracy of each cell")
    show.add_argument("name", metavar="NAME", help="a baseline, by its name or path")
    show.set_defaults(run=_show)


def _save(options: argparse.Namespace) -> int:
    from longctx.engine.baselines import save

    kept = {"force": options.force, "add": options.add, "with_replies": options.with_replies}
    for sentence in save(options.workspace, options.name, options.folder, **kept):
        print(sentence)
    return 0


def _anchor(options: argparse.Namespace) -> int:
    from longctx.engine.baselines import measured
    from longctx.results.baseline_file import anchor_of, load_baseline

    file = options.workspace.own("baselines", f"{options.name}.jsonl")
    if not file.is_file():
        raise UserError("no-baseline-to-anchor", f"There is no baseline {file} yet: save it first.")
    baseline, kept = load_baseline(file), anchor_of(file)
    check_new(kept, options.force)
    write_file(kept, lambda part: part.write_bytes(file.read_bytes()))
    print(
        f"{kept}: the baseline of {baseline.saved_at[:10]}, {measured(baseline.rows)}. Gates against {options.name} "
        "compare with it, too. Commit it."
    )
    return 0


def _list(options: argparse.Namespace) -> int:
    from longctx.results.baseline_file import anchor_of, load_baseline, load_head, runs_added

    files = options.workspace.baselines()
    for file in files:
        saved_at, run = load_head(file)
        several = f", {count(load_baseline(file).runs, 'run')}" if runs_added(file) else ""
        anchored = f", anchor of {load_head(kept)[0][:10]}" if (kept := anchor_of(file)).is_file() else ""
        print(f"{file.stem}: run {run.run}, {run.with_profile}, saved {saved_at[:10]}{several}{anchored}")
    if not files:
        print("There is no baseline yet: run pytest, then longctx baseline save NAME.")
    return 0


def _show(options: argparse.Namespace) -> int:
    from longctx.report.document import terminal_table
    from longctx.report.tables import baseline_rates
    from longctx.results.baseline_file import load_baseline

    baseline = load_baseline(options.workspace.find_baseline(options.name))
    run = baseline.manifest
    print(f"# {baseline.name}, saved {baseline.saved_at}")
    print(f"# run {run.run}, finished {run.finished_at}, longctx {run.version}")
    if baseline.runs > 1:
        print(f"# {count(baseline.runs, 'run')}: a gate compares with the mean of their answers")
    digest = f" ({run.profile_digest[:12]})" if run.profile else ""
    print(f"# {run.with_profile}{digest}, seed {run.seed}\n")
    print(terminal_table(baseline_rates(baseline.rows)))
    return 0
