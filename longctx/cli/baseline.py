"""`baseline`: keep a run to compare later runs with, and list and show what was kept."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared.output import check_new
from longctx.errors import UserError
from longctx.files import write_file
from longctx.gate.defaults import MARGIN
from longctx.plural import count
from longctx.results.folder import find_run
from longctx.visible import visible
from longctx.vocabulary.family import is_check, is_of_function
from longctx.vocabulary.looks import DEFAULT_LOOKS

if TYPE_CHECKING:
    from longctx.config.profiles import Profile
    from longctx.results.manifest import Manifest
    from longctx.results.row import Row
    from longctx.workspace import Workspace

NOISE = 0.1, 0.2
"""The shares of pairs that change by chance, where one run cannot tell: a cautious guess, and that of noisy models."""
FEW = 4
"""The most families or models that are named; of more, their number is given."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "baseline",
        help="save a run to gate later runs against",
        description="A baseline is a file of fixtures/baselines/: the outcomes of a run by trial, without texts. "
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
        "--with-replies", action="store_true", help="keep the text of the replies, to be shown beside those of a run"
    )
    save.set_defaults(run=_save, passes_on=False)
    anchor = actions.add_parser(
        "anchor",
        help="fix a baseline as it is now: gates then compare with both, and a drop since the anchor is a regression",
        description="Copies fixtures/baselines/NAME.jsonl to NAME.anchor, which `baseline save NAME --force` leaves as "
        "it is. So several small drops, each of which passes against the release before, cannot add up unseen. Delete "
        "the file to compare with the baseline alone.",
    )
    anchor.add_argument("name", metavar="NAME", help="the name of the baseline")
    anchor.add_argument("--force", action="store_true", help="replace the anchor that it has")
    anchor.set_defaults(run=_anchor, passes_on=False)
    listed = actions.add_parser("list", help="list the project's baselines")
    listed.set_defaults(run=_list, passes_on=False)
    show = actions.add_parser("show", help="show what a baseline holds: its run, and the rate of each scenario")
    show.add_argument("name", metavar="NAME", help="a baseline, by its name or path")
    show.set_defaults(run=_show, passes_on=False)


def _save(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.gate.validity import vacuous_bands
    from longctx.registry import families
    from longctx.results.adding import check_not_stopped, new_rows
    from longctx.results.baseline import add_to_baseline, load_baseline, write_baseline
    from longctx.results.completeness import lacks
    from longctx.results.manifest import require_manifest
    from longctx.results.store import load_rows

    if not re.fullmatch(r"[\w.+-]+", options.name) or options.name.startswith("."):
        raise UserError(
            "bad-baseline-name",
            f"{options.name!r} is not a valid name for a baseline: use letters, digits, and . _ + -.",
        )
    folder = find_run(options.folder or options.workspace.reports / "latest")
    file = options.workspace.own("baselines", f"{options.name}.jsonl")
    if not options.add:
        check_new(file, options.force)
    elif not file.is_file():
        raise UserError("no-baseline-to-add-to", f"There is no baseline {file} yet: save its first run without --add.")
    manifest, rows = require_manifest(folder), load_rows(folder)
    check_not_stopped(manifest, rows)
    added = new_rows(file, manifest, rows) if options.add else []
    if lacking := "; ".join(lacks(manifest, rows)):
        why = f"The run {folder.name} is incomplete: {lacking}. A gate against it judges the rest alone."
        if not options.force:
            raise UserError(
                "run-incomplete",
                f"{why} Run all of it, without -k, -x, --lf and --ctx-trial, until every trial is "
                "measured (what is recorded is not asked again); or save this run as it is, with --force.",
            )
        print(why)
    if options.add:
        write_file(file, lambda part: add_to_baseline(part, file, folder, added, options.with_replies))
        runs = load_baseline(file).runs
        print(f"{file}: the run {folder.name} is added, {_measured(added)}, {count(runs, 'run')} now. Commit it.")
        _print_noise(options.workspace, load_baseline(file).rows, manifest)
        return 0
    write_file(file, lambda part: write_baseline(part, options.name, folder, options.with_replies))
    for why in vacuous_bands(rows, families(options.workspace), _margin(_profile(options.workspace, manifest))):
        print(f"No run can pass against it: {why}.")
    print(f"{file}: the run {folder.name}, {_measured(rows)}, {file.stat().st_size:,} bytes. Commit it.")
    _print_noise(options.workspace, load_baseline(file).rows, manifest)
    return 0


def _print_noise(workspace: Workspace, rows: Sequence[Row], manifest: Manifest) -> None:
    """Print how often an unchanged model passes against a baseline, and against one of more runs."""
    from longctx.gate.observed import repeated
    from longctx.gate.plan import OFTEN, Target, unlucky, whole_passing

    runs = max((row.repeat + 1 for row in rows), default=1)
    profile = _profile(workspace, manifest)
    target = Target(_margin(profile), looks=profile.looks if profile else DEFAULT_LOOKS)
    if not (bands := repeated(rows)):
        return
    for share in [None] if runs > 1 else NOISE:
        assumed = [
            (trials, clusters, own if share is None else replace(own, discordance=share))
            for trials, clusters, own in bands
        ]
        outlooks = "; ".join(
            f"{count(number, 'run')}: in {whole_passing(assumed, target, number):.0%}, and "
            f"{unlucky(assumed, target, number):.0%} of such baselines let it pass in less than {OFTEN:.0%}"
            for number in range(runs, max(runs, 3) + 1)
        )
        noise = f"if {share:.0%} of pairs change by chance" if share else "as noisy as these runs are"
        print(f"At a margin of {target.margin * 100:g}%, {noise}, an unchanged model passes against {outlooks}.")


def _anchor(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.results.baseline import anchor_of, load_baseline

    file = options.workspace.own("baselines", f"{options.name}.jsonl")
    if not file.is_file():
        raise UserError("no-baseline-to-anchor", f"There is no baseline {file} yet: save it first.")
    baseline, kept = load_baseline(file), anchor_of(file)
    check_new(kept, options.force)
    write_file(kept, lambda part: part.write_bytes(file.read_bytes()))
    print(
        f"{kept}: the baseline of {baseline.saved_at[:10]}, {_measured(baseline.rows)}. Gates against {options.name} "
        "compare with it, too. Commit it."
    )
    return 0


def _measured(rows: Sequence[Row]) -> str:
    """Return what rows measure, such as `300 trials of line_retrieval on my-model`."""
    trials = [row for row in rows if row.measured and not is_check(row.family)]
    if not trials:
        return "no trial"
    names = dict.fromkeys(row.family for row in trials)
    functions = sum(map(is_of_function, names))
    numbers = [(len(names) - functions, "family", "families"), (functions, "test function", "")]
    what = " and ".join(count(*number) for number in numbers if number[0])
    models = dict.fromkeys(row.model for row in trials)
    named, on = (visible(", ".join(each)) if len(each) <= FEW else "" for each in (names, models))
    return f"{count(len(trials), 'trial')} of {named or what} on {on or count(len(models), 'model')}"


def _profile(workspace: Workspace, manifest: Manifest) -> Profile | None:
    """Return the profile of a run; None if it has none, or is no longer here."""
    from longctx.config.profiles import load_profile

    try:
        return load_profile(workspace, manifest.profile)
    except UserError:
        return None


def _margin(profile: Profile | None) -> float:
    return MARGIN if profile is None or profile.margin is None else profile.margin


def _list(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.results.baseline import anchor_of, load_baseline, load_head, runs_added

    files = options.workspace.baselines()
    for file in files:
        saved_at, run = load_head(file)
        several = f", {count(load_baseline(file).runs, 'run')}" if runs_added(file) else ""
        anchored = f", anchor of {load_head(kept)[0][:10]}" if (kept := anchor_of(file)).is_file() else ""
        print(f"{file.stem}: run {run.run}, {run.with_profile}, saved {saved_at[:10]}{several}{anchored}")
    if not files:
        print("There is no baseline yet: run pytest, then longctx baseline save NAME.")
    return 0


def _show(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.report.render import terminal_table
    from longctx.report.tables import baseline_rates
    from longctx.results.baseline import load_baseline

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
