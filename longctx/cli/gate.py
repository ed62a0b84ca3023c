"""`gate`: the verdict on the results of any evaluation tool, by the same statistics."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared import emit
from longctx.config.arguments import add_gate_options, share
from longctx.config.project import TERMS
from longctx.errors import UserError
from longctx.gate.defaults import ALPHA, MARGIN, MAX_AGE_DAYS

if TYPE_CHECKING:
    from longctx.vocabulary.family import Family

NOT_CHECKED = "imported, not digest-checked: that both runs asked the same is for the tool that made them to say"


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "gate",
        help="a verdict on rows of any evaluation tool",
        description="Judges NEW against OLD, two files of JSON lines with id, correct and, if known, band, cluster, "
        "cost and guessing, or two run folders of longctx, by the statistics of pytest's --ctx-baseline: pairs of one "
        "id, clusters, Holm over the bands, a margin. "
        "An id of OLD that NEW lacks is not measured. "
        "Of other tools' rows, unlike the digests of recordings, nothing shows that both asked the same. The exit "
        "status is that of a gated run: 12 invalid, 10 regression, 11 inconclusive, 0 pass.",
    )
    parser.add_argument("old", type=Path, metavar="OLD", help="the earlier results: a file, or the folder of a run")
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
    parser.add_argument(
        "--run-margin",
        type=share(),
        metavar="SHARE",
        help="the largest acceptable drop of all bands together, at most --margin: a larger one must be ruled out, too "
        "(default: a drop in all of them can only be a regression)",
    )
    add_gate_options(parser.add_argument, "--", MARGIN, ALPHA, MAX_AGE_DAYS)
    emit.add(parser)
    parser.set_defaults(run=run, passes_on=False, of_project=TERMS)


def run(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.engine.settings import GateTerms
    from longctx.engine.terms import merged_rules
    from longctx.gate.changed import changed
    from longctx.gate.exit_status import exit_status
    from longctx.gate.verdict import Rules, give_verdict
    from longctx.registry import families
    from longctx.report.verdict import verdict_document
    from longctx.results.imported import load_results, with_lacking

    emit.check(options)
    margin = MARGIN if options.margin is None else options.margin
    if options.run_margin is not None and options.run_margin > margin:
        raise UserError(
            "run-margin-above-margin",
            f"--run-margin {options.run_margin:g} is more than the margin of a band, {margin:g}: give a smaller one, "
            "or a larger --margin.",
        )
    (before, earlier), (after, manifest) = load_results(options.old), load_results(options.new)
    rules = Rules(margin=margin, alpha=options.alpha, run_margin=options.run_margin)
    known: Mapping[str, Family] = {}
    if manifest:
        known = families(options.workspace)
        terms = GateTerms(
            margin=options.margin, alpha=options.alpha, max_age=options.max_age, run_margin=options.run_margin
        )
        rules = merged_rules(terms, (), known, manifest)
    if options.subset:
        rules = replace(rules, left_out=0)
    else:
        after = with_lacking(before, after)
    verdict = give_verdict(before, after, rules, known, options.guessing)
    differs = [NOT_CHECKED]
    if earlier and manifest:
        differs = changed((earlier, before), (manifest, after), verdict)
    emit.show(options, verdict_document(verdict, options.old.name, differs))
    return exit_status(verdict.verdict, False, options.on_inconclusive)
