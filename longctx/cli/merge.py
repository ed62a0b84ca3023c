"""`merge`: merge several runs into one, and give the verdict on it."""

from __future__ import annotations

import argparse
import contextlib
import shlex
from pathlib import Path
from typing import Any

from longctx.cli.shared import verdict
from longctx.cli.shared.output import check_free_folder
from longctx.config.arguments import add_no_lock
from longctx.files import whole_folder
from longctx.results.folder import find_run, only_reporter


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "merge",
        help="several runs as one, such as CI shards or checkpoints",
        description="Writes one run's folder from several. Runs with different labels (--ctx-label) stay apart in its "
        "tables; a trial that two runs hold must have the same answer in both, and counts once. For shards, and with "
        "--baseline, the exit status is the one that pytest gives a whole run: 12 invalid, 10 regression, 1 failed, 11 "
        "inconclusive, 0.",
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN", help="folders of runs")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the merged run")
    parser.add_argument("--no-page", action="store_false", dest="page", help="write no index.html and no charts")
    add_no_lock(parser.add_argument, "--no-lock")
    verdict.add(parser)
    parser.set_defaults(run=run, passes_on=False)


def run(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.gate.exit_status import exit_status
    from longctx.registry import families
    from longctx.report.document import as_terminal as document_as_terminal
    from longctx.report.files import write_report
    from longctx.report.step_summary import add_step_summary
    from longctx.report.text import as_markdown, as_terminal
    from longctx.report.verdict_data import judge
    from longctx.results import store
    from longctx.results.baseline import load_baseline
    from longctx.results.completeness import missing_shards
    from longctx.results.merging import unite, unite_manifests
    from longctx.summary.summary import summarize

    out: Path = options.out
    check_free_folder("--out", out)
    folders = list(dict.fromkeys(find_run(path) for path in options.folders))
    pairs, manifest = unite(folders), unite_manifests(folders, out.absolute().name)
    baseline = options.baseline and load_baseline(options.workspace.find_baseline(options.baseline))
    rules = verdict.rules(options, manifest) if baseline else None
    lacking = missing_shards(manifest)
    given, shown = "invalid" if lacking else "pass", None
    with (
        contextlib.nullcontext() if options.no_lock else only_reporter(out),
        whole_folder(out, store.RESULTS) as folder,
    ):
        record, known = store.write(folder, pairs), families(options.workspace)
        summary = summarize(record.rows, manifest.prices_of, manifest.sent_as, known, manifest.facts)
        if rules:
            given, shown = judge(folder, baseline, record.rows, manifest, rules, known)
        write_report(folder, record, summary, manifest, options.page, shown)
        failures = verdict.failures(manifest, record.rows)
        warning = add_step_summary(as_markdown(summary, manifest.run, shown))
    print(as_terminal(summary, shlex.quote(str(out))))
    if shown:
        print(f"\n{document_as_terminal(shown)}")
    gated = shown or any(part.get("shard") for part in manifest.parts)
    for sentence in [*(f"Invalid: {reason}." for reason in lacking), *failures] if gated else []:
        print(sentence)
    for sentence in [*summary.faults, *([warning] if warning else [])]:
        print(sentence)
    page = "index.html" if options.page else "summary.md"
    print(f"\nMerged {len(manifest.merged)} runs, {len(record.rows):,} trials: {out / page}")
    return exit_status(given, bool(failures), options.on_inconclusive) if gated else 0
