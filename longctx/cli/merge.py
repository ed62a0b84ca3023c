"""`merge`: several runs as one."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from longctx.cli.output import check_free_folder
from longctx.files import whole_folder
from longctx.results.folder import find_run


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "merge",
        help="several runs as one, such as CI shards or checkpoints",
        description="Writes one run's folder from several. Runs with different labels (--ctx-label) stay apart in its "
        "tables; a trial that two runs hold must have the same answer in both, and counts once.",
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN", help="folders of runs")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the merged run")
    parser.set_defaults(run=run, passes_on=False)


def run(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.registry import families
    from longctx.report.files import write_report
    from longctx.report.text import as_terminal
    from longctx.results import store
    from longctx.results.union import unite, unite_manifests
    from longctx.summary.summary import summarize

    out: Path = options.out
    check_free_folder("--out", out)
    folders = list(dict.fromkeys(find_run(path) for path in options.folders))
    pairs, manifest = unite(folders), unite_manifests(folders, out.absolute().name)
    with whole_folder(out, store.RESULTS) as folder:
        record, known = store.write(folder, pairs), families(options.workspace)
        summary = summarize(record.rows, manifest.prices_of, manifest.sent_as, known)
        write_report(folder, record, summary, manifest)
    print(as_terminal(summary, shlex.quote(str(out))))
    print(f"\nMerged {len(manifest.merged)} runs, {len(pairs):,} trials: {out / 'index.html'}")
    return 0
