"""`gate`: the verdict on the results of any evaluation tool, by the same statistics."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from longctx.cli.shared import emit
from longctx.config.arguments import add_gate_options, share
from longctx.gate.defaults import ALPHA, MARGIN, MAX_AGE_DAYS

NOT_CHECKED = "imported, not digest-checked: that both runs asked the same is for the tool that made them to say"


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "gate",
        help="a verdict on rows of any evaluation tool",
        description="Judges NEW against OLD, two files of JSON lines with id, correct and, if known, band, cluster and "
        "cost, by the statistics of pytest's --ctx-baseline: pairs of one id, clusters, Holm over the bands, a margin. "
        "An id of OLD that NEW lacks is not measured. "
        "Unlike the digests of recordings, nothing shows that both asked the same. The exit status is that of a "
        "gated run: 12 invalid, 10 regression, 11 inconclusive, 0 pass.",
    )
    parser.add_argument("old", type=Path, metavar="OLD", help="the earlier results")
    parser.add_argument("new", type=Path, metavar="NEW", help="the results to judge")
    parser.add_argument(
        "--guessing",
        type=share(zero=True),
        default=0.0,
        metavar="SHARE",
        help="the rate of guessing, such as 0.25 (default: 0)",
    )
    parser.add_argument(
        "--subset",
        action="store_true",
        help="NEW measures a part of OLD on purpose: leave out the items that it lacks, which otherwise count as not "
        "measured",
    )
    add_gate_options(parser.add_argument, "--", MARGIN, ALPHA, MAX_AGE_DAYS)
    emit.add(parser)
    parser.set_defaults(run=run, passes_on=False)


def run(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.gate.exit_status import exit_status
    from longctx.gate.verdict import Rules, give_verdict
    from longctx.report.verdict import verdict_document
    from longctx.results.imported import load_imported, with_lacking

    emit.check(options)
    rules = Rules(margin=MARGIN if options.margin is None else options.margin, alpha=options.alpha)
    before, after = load_imported(options.old), load_imported(options.new)
    if not options.subset:
        after = with_lacking(before, after)
    verdict = give_verdict(before, after, rules, {}, options.guessing)
    emit.show(options, verdict_document(verdict, options.old.name, (NOT_CHECKED,)))
    return exit_status(verdict.verdict, False, options.on_inconclusive)
