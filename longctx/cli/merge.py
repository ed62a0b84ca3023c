"""`merge`: merge several runs into one, and give the verdict on it."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from longctx.cli.shared_options import declare, settings_of
from longctx.engine.settings import GATE
from longctx.extras import writes_page
from longctx.files import check_free_folder
from longctx.gate.rules import ignored_options
from longctx.results.run_folders import find_run, only_reporter


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "merge",
        help="merge several runs into one, such as CI shards or checkpoints",
        description="Writes one run's folder from several. Runs with different labels (--ctx-label) are separate in "
        "its tables; a trial in two runs must have the same answer in both, and counts once. For shards, and with "
        "--baseline, the exit status is the one that pytest gives a whole run: 12 invalid, 10 regression, 1 failed, 11 "
        "inconclusive, 0.",
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN", help="folders of runs")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the merged run")
    parser.add_argument("--no-page", action="store_false", dest="page", help="write no index.html and no charts")
    parser.add_argument("-v", "--verbose", action="store_true", help="print all tables")
    declare(parser, "no-lock")
    declare(parser, "baseline", help="judge the merged run against this baseline, as pytest does")
    declare(parser, *GATE, "no-looks")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.engine import by_base_file
    from longctx.engine.base_terms import retired_cases
    from longctx.engine.finish import ReportInputs, merge
    from longctx.engine.memory import Past
    from longctx.engine.terms import failures_of, merged_rules, profiles_of
    from longctx.gate.rules import exit_status
    from longctx.plugin.selected_tests import reports_of_tests
    from longctx.recording.tape import Tape
    from longctx.registry import known_protocols
    from longctx.report.document import as_terminal as document_as_terminal
    from longctx.report.headline import last_line
    from longctx.report.terminal import as_terminal
    from longctx.results.baseline_file import load_baseline
    from longctx.results.completeness import missing_shards
    from longctx.results.export import PARQUET
    from longctx.results.merged_manifest import merge_manifests
    from longctx.results.merging import merge_rows
    from longctx.vocabulary.point import is_check

    out: Path = options.out
    check_free_folder("--out", out)
    if ignored := ignored_options(options):
        print(ignored)
    folders = list(dict.fromkeys(find_run(path) for path in options.folders))
    pairs, manifest = merge_rows(folders), merge_manifests(folders, out.absolute().name)
    baseline = options.baseline and load_baseline(options.workspace.find_baseline(options.baseline))
    rules = None
    known, reports = known_protocols(options.workspace), reports_of_tests(options.workspace, manifest.reports)
    if baseline:
        profiles = profiles_of(options.workspace, manifest)
        rules = replace(
            merged_rules(settings_of(options).gate, profiles, known, manifest, baseline.manifest),
            reports=reports,
            retired=retired_cases(options.workspace, manifest.base),
        )
    names = str(options.baseline), os.path.relpath(out)
    parquet = any((folder / PARQUET).is_file() for folder in folders)
    writes = options.page, parquet
    cassettes = options.workspace.cassettes
    past = Past(Tape(cassettes), cassettes, manifest.fresh) if baseline else None
    ending = ReportInputs(manifest, known, baseline, rules, *writes, options.workspace, reports, names, past=past)
    ending = replace(ending, by_base=by_base_file.load(folders))
    with contextlib.nullcontext() if options.no_lock else only_reporter(out):
        merged = merge(out, pairs, ending)
    missing, failures = missing_shards(manifest), failures_of(manifest, merged.record.rows)
    verbosity = int(options.verbose)
    print(as_terminal(merged.summary, False, verbosity, shlex.quote(str(out)), merged.document is not None))
    gated = merged.document or any(part.get("shard") for part in manifest.parts)
    for sentence in [*(f"Invalid: {reason}." for reason in missing), *failures] if gated else []:
        print(sentence)
    for sentence in [*merged.summary.faults, *merged.warnings]:
        print(sentence)
    page = "index.html" if writes_page(options.page) else "summary.md"
    trials = sum(not is_check(row.test) for row in merged.record.rows)
    print(f"\nMerged {len(manifest.merged)} runs, {trials:,} trials: {out / page}")
    if merged.document:
        print(f"\n{document_as_terminal(merged.document) if verbosity else merged.document.brief}")
    given = merged.verdict or ("invalid" if missing else "pass")
    status = exit_status(given, bool(failures), options.on_inconclusive) if gated else 0
    if merged.headline:
        print(last_line(merged.headline, status))
    return status
