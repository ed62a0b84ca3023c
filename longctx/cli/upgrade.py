"""`upgrade`: may a candidate replace what is used now? Plans, asks what has no answer, and writes one page."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared_options import declare, print_at_once, settings_of
from longctx.config.arguments import number
from longctx.errors import UserError
from longctx.extras import PAGE, require
from longctx.files import check_free_folder

if TYPE_CHECKING:
    from longctx.engine.run import Run
    from longctx.engine.settings import Settings
    from longctx.engine.upgrade import Treatment, TreatmentTrials
    from longctx.workspace import Workspace


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "upgrade",
        help="compare an old and a new model and write a one-page verdict",
        description="Runs a profile, or your own tests, with OLD and with each NEW on the same trials, replays what is "
        "recorded, and writes one page: the verdict, accuracy, price, tokens, latency and thinking before and after, "
        "and which answers were lost and gained. A treatment is a model, or the name of its profile, and after "
        "commas what differs: MODEL,effort=high,prompts=NAME,shape=chat,strategy=NAME,server=NAME,base_url=URL. The "
        "exit status is that of the best candidate: 0 pass, 10 regression, 11 inconclusive, 12 invalid.",
    )
    option = parser.add_argument
    option("old", metavar="OLD", help="what is used now")
    option("new", nargs="+", metavar="NEW", help="the candidates")
    option(
        "--tests",
        nargs="+",
        metavar="PATH",
        help="run what pytest selects by these files, folders or ids of tests: test functions, and protocols of the "
        "profile (default: all protocols of the profile; if it has none, what pytest runs without arguments)",
    )
    option("-k", dest="expression", metavar="EXPRESSION", help="of these tests, those that pytest's -k selects")
    declare(parser, "profile")
    declare(parser, "prompts", action="store", default=None, help="prompt set of all treatments that name none")
    option("--effort", default="", metavar="A,B", help="run each NEW at each of these efforts, such as low,high")
    declare(parser, "trials", "seed")
    declare(parser, "max-cost", help="send the requests of trials without a recording; spending cap in USD")
    option("--volume", type=number(int, 1), metavar="N", help="requests per month, to compute monthly prices")
    declare(parser, "base-url", "concurrency", "no-canary")
    declare(parser, "batch", help="send requests through the Message Batches API, at its price; these have no latency")
    declare(parser, "estimate", "no-text")
    option("--out", type=Path, metavar="DIR", help="folder of the page (default: reports/upgrade-…)")
    declare(parser, "no-lock", "margin", "alpha", "on-inconclusive")
    option("-v", "--verbose", action="store_true", help="print all tables, and how the verdict is reached")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.engine.run_data import free_folder
    from longctx.engine.upgrade import Treatment, Upgrading
    from longctx.gate.rules import exit_status
    from longctx.report.document import as_terminal

    workspace: Workspace = options.workspace
    require("The page of an upgrade", *PAGE)
    from longctx.engine.upgrade import write

    if options.out:
        check_free_folder("--out", options.out)
    settings = replace(settings_of(options), record="new_episodes", estimate=False, max_cost=None)
    default = free_folder(settings, workspace)
    out = (options.out or default.with_name(f"upgrade-{default.name}")).absolute()
    treatments = [Treatment.of(options.old), *_candidates(options)]
    upgrading = Upgrading(treatments, settings, workspace.root, out, print_at_once, _trials(options, settings))
    if options.estimate:
        upgrading.estimate(options.verbose)
        return 0
    upgrade = upgrading.measure(options.max_cost)
    document = write(out, upgrade, workspace, options.volume)
    print(as_terminal(document) if options.verbose else document.brief)
    print(f"Report: {out / 'index.html'}")
    return exit_status(upgrade.best.verdict.verdict, failed=False, on_inconclusive=options.on_inconclusive)


def _trials(options: argparse.Namespace, settings: Settings) -> Callable[[Run], TreatmentTrials]:
    """Return what gives the trials of a run: those of its profile, or of tests. Raises UserError."""
    from longctx.engine.run import Run
    from longctx.engine.upgrade import ProfileTrials, Treatment

    given = [options.old, *options.new]
    if path := next((name for name in given if re.search(r"\.py$|::", name.partition(",")[0])), None):
        raise UserError("test-as-treatment", f"{path} is a test, not a model: write --tests {path}.")
    plan = Run.with_settings(settings, options.workspace.root).plan
    if options.tests is None and plan.own and any(map(plan.own.grids, plan.tests)):
        if options.expression is not None:
            raise UserError("expression-without-tests", "The option -k selects among tests: add --tests PATH.")
        if any("strategy" in Treatment.of(name).entries for name in given):
            raise UserError(
                "strategy-without-tests",
                "A strategy of context management applies to test functions with a transcript: add --tests PATH.",
            )
        return ProfileTrials
    from longctx.plugin.selected_tests import SelectedTests

    selection = [*(options.tests or []), *([] if options.expression is None else [f"-k{options.expression}"])]
    return lambda run: SelectedTests(run, selection)


def _candidates(options: argparse.Namespace) -> Iterator[Treatment]:
    from longctx.engine.upgrade import Treatment

    efforts = [effort for effort in options.effort.split(",") if effort]
    for new, effort in itertools.product(options.new, efforts or [""]):
        yield Treatment.of(f"{new},effort={effort}" if effort else new)
