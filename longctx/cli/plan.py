"""`plan`: what a gate can show with the trials of a profile, how many trials it needs, and what they cost."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from longctx.cli.shared_options import declare, settings_of
from longctx.config.arguments import number, share
from longctx.errors import UserError
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.engine.loads import SubjectBand
    from longctx.engine.run import Run
    from longctx.engine.run_plan import Plan
    from longctx.gate.evidence import Seen, Where
    from longctx.gate.power import Assumed, BandPlan, Load, Target
    from longctx.results.row import Row, Subject


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "plan",
        help="how many trials a gate needs, and what they cost",
        description="For each band of a profile: the smallest drop that its trials can detect, the trials needed to "
        "detect a drop and to pass if nothing changed, tokens and prices. Sends no requests.",
    )
    option = parser.add_argument
    declare(parser, "profile", "model", "margin", "alpha", "corpus", "questions")
    option(
        "--tests",
        nargs="+",
        metavar="PATH",
        help="plan what pytest selects by these files, folders or ids of tests: test functions, and protocols of the "
        "profile (default: all protocols of the profile)",
    )
    option(
        "--power",
        type=share(),
        default=0.9,
        metavar="P",
        help="probability of detecting a drop, and of passing if nothing changed (default: 0.9)",
    )
    option("--drop", type=share(), default=0.1, metavar="SHARE", help="the drop to detect (default: 0.1)")
    option(
        "--from",
        nargs="+",
        dest="runs",
        metavar="RUN",
        help="two earlier runs of the same trials, or baselines, best with no real change between them: they provide "
        "the share of pairs that change, band by band. The test functions of the last one are planned, too, and one "
        "run is "
        "enough for these",
    )
    option(
        "--discordance",
        type=share(zero=True),
        default=0.1,
        metavar="SHARE",
        help="assumed without --from: share of pairs that change by chance (default: 0.1)",
    )
    option(
        "--rate",
        type=share(),
        default=0.9,
        metavar="SHARE",
        help="assumed without --from: share of right answers (default: 0.9)",
    )
    option(
        "--correlation",
        type=share(zero=True, one=True),
        metavar="SHARE",
        help="assumed without --from: the intra-cluster correlation, how much trials about one section change "
        "together, from 0 (independent) to 1 (like one trial) (default: 0.05 for "
        "several questions about one context, else 1, the most cautious)",
    )
    option(
        "--reply-tokens",
        type=number(int, 1),
        metavar="N",
        help="assumed if no answer is recorded, without --from: the tokens of a reply, thinking included "
        "(default: the longest reply allowed)",
    )
    option("-v", "--verbose", action="store_true", help="print how the gate decides, unpaired designs, and tokens")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.engine.loads import loads_of_functions, planned
    from longctx.engine.minimums import minimums_of, minimums_of_tests
    from longctx.engine.run import Run
    from longctx.gate.power import Target, against_baselines
    from longctx.plugin.selected_tests import reports_of_tests
    from longctx.report.document import as_terminal
    from longctx.report.plan_page import conclusion, plan_document, plan_lines, prices, questions_worth
    from longctx.results.baseline_file import load_baseline
    from longctx.vocabulary.looks import DEFAULT_LOOKS

    if options.drop > options.rate:
        raise UserError(
            "drop-above-rate",
            f"--drop {options.drop:g} is more than --rate {options.rate:g}: accuracy cannot fall below 0. Use a "
            "smaller drop, or a higher rate.",
        )
    runs = options.runs or []
    if len(runs) > 2:
        raise UserError("too-many-runs-to-plan", f"--from takes one run or two, not {len(runs)}: use fewer.")
    earlier, replayed = _earlier(options.workspace, runs) if len(runs) == 2 else ({}, [])
    run = Run.with_settings(settings_of(options), options.workspace.root)
    plan = run.plan
    baseline = load_baseline(options.workspace.find_baseline(runs[-1])) if runs else None
    measured = baseline.rows if baseline else []
    function_loads, selected = loads_of_functions(plan, measured, options.model), None
    if options.tests:
        function_loads, selected = _of_tests(run, options.tests)
    name = plan.profile_name if plan.own or not function_loads else ""
    cells = _with_replies(plan, measured, options, selected)
    looks = plan.own.looks if plan.own else DEFAULT_LOOKS
    reports = reports_of_tests(options.workspace, baseline.manifest.reports) if baseline else {}
    minimums = (minimums_of(plan) if cells else 0) + minimums_of_tests(measured, reports)
    target = Target(plan.margin, options.alpha, options.power, options.drop, minimums=minimums, looks=looks)
    target = replace(target, run_margin=plan.run_margin)
    loads = planned(plan, function_loads, cells)
    target = replace(target, bands=len(loads))
    plans = [_plan(where, load, earlier, options, target) for where, load in loads.items()]
    print(*plan_lines(plans, target, name, runs), sep="\n")
    if not options.verbose:
        return 0
    print(f"\n{as_terminal(plan_document(plans, target, name, runs, replayed))}")
    print(conclusion(plans, target))
    bands = [plan.sized for plan in plans]
    print(f"If nothing has changed, the gate passes in {against_baselines(bands, target)} (baseline save --add).")
    correlations = {where: each.assumed.correlation for where, each in zip(loads, plans, strict=True)}
    for sentence in [*questions_worth(cells, correlations), *prices(plans, target)]:
        print(sentence)
    return 0


def _earlier(workspace: Workspace, runs: list[str]) -> tuple[dict[tuple[Subject, Where], Seen], list[str]]:
    """Return what two runs or baselines reveal about each band, and the tests that replay the same recordings.

    Raises UserError if they have no usable information.
    """
    from longctx.gate.evidence import same_recordings, seen_by_band
    from longctx.results.baseline_file import load_baseline

    before, after = (load_baseline(workspace.find_baseline(name)).rows for name in runs)
    same = same_recordings(before, after)
    if all(same):
        raise UserError(
            "same-recordings",
            f"{runs[0]} and {runs[1]} replay the same recordings, whose answers cannot differ: use two live runs, or "
            "estimate with --discordance.",
        )
    by_band = seen_by_band([row for row, again in zip(before, same, strict=True) if not again], after)
    if not by_band:
        raise UserError(
            "no-trial-in-common",
            f"{runs[0]} and {runs[1]} have no trial in common: use two runs of the same profile and seed, or estimate "
            "with --discordance.",
        )
    return by_band, list(dict.fromkeys(row.test for row, again in zip(before, same, strict=True) if again))


def _plan(
    where: SubjectBand,
    load: Load,
    earlier: Mapping[tuple[Subject, Where], Seen],
    options: argparse.Namespace,
    target: Target,
) -> BandPlan:
    from longctx.gate.power import BandPlan, outlook

    subject, band = where
    known, own = _known(where, earlier)
    assumed = _assumed(known, load.in_contexts, options)
    shows = outlook(load.trials, load.clusters, assumed, target)
    return BandPlan(subject, band, load, assumed, known.n if known else 0, own, shows)


def _known(where: SubjectBand, earlier: Mapping[tuple[Subject, Where], Seen]) -> tuple[Seen | None, bool]:
    from longctx.gate.evidence import seen_of

    subject, band = where
    return seen_of(earlier, subject, (band.test, band.name))


def _of_tests(run: Run, tests: Sequence[str]) -> tuple[dict[SubjectBand, Load], list[Cell]]:
    """Return the loads of the test functions that pytest selects, and the cells of protocols. Raises UserError."""
    from longctx.engine.function_runs import PlanningRun
    from longctx.plugin.selected_tests import SelectedTests

    planning = PlanningRun(run)
    cells = SelectedTests(run, tests).run_functions(planning)
    return planning.loads(), cells


def _with_replies(
    plan: Plan, rows: Sequence[Row], options: argparse.Namespace, selected: Sequence[Cell] | None
) -> list[Cell]:
    """Return the plan's cells with how long replies are: by these rows, by what is recorded, or by the user's guess.

    selected: those that pytest selects; None for all.
    """
    from longctx.cells.cell import ReplyTokens
    from longctx.live.estimating import with_recorded_replies
    from longctx.recording.tape import Tape
    from longctx.results.grouping import grouped

    if not plan.own:
        return []
    known = {
        group: replies
        for group, members in grouped(rows, lambda row: (row.test, row.model)).items()
        if (replies := ReplyTokens.of([row.output_tokens for row in members if row.output_tokens is not None]))
    }
    chosen = plan.cells if selected is None else selected
    cells = with_recorded_replies(Tape(options.workspace.cassettes), chosen, known)
    guess = options.reply_tokens and ReplyTokens(options.reply_tokens, answers=0)
    return [cell if cell.replies or not guess else replace(cell, replies=guess) for cell in cells]


def _assumed(known: Seen | None, in_contexts: bool, options: argparse.Namespace) -> Assumed:
    """Return what earlier runs reveal about a band; the user's guesses without any."""
    from longctx.gate.power import Assumed

    guess = Assumed.guess(in_contexts).correlation if options.correlation is None else options.correlation
    if known is None:
        return Assumed(options.discordance, options.rate, guess)
    correlation = guess if known.correlation is None else known.correlation
    return Assumed(known.discordance, known.rate, correlation)
