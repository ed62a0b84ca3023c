"""Replay, estimate and page beside those of an earlier revision: `python -m benchmarks.before REV`.

Both versions of longctx run the tests, profiles and cassettes of REV, in turns. Printed are processor seconds, user and
system, imports included, and the ratio of each round.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.ratios import ROOT, Spent, spent

PAGE = """
import sys
from pathlib import Path
from longctx.report.page.page import page_of
from longctx.results.manifest import load_manifest
from longctx.results.store import load
from longctx.summary.summary import summarize

folder = Path(sys.argv[1])
record = load(folder)
summary, manifest = summarize(record.rows), load_manifest(folder)
try:
    from longctx.report.run_report import RunReport
except ImportError:  # of an earlier version
    page_of(summary, record, manifest)
else:
    page_of(RunReport(record, summary, manifest))
"""


def compare(revision: str, rounds: int, tests: str, profile: str, model: str) -> None:
    """Print the seconds and the ratios of each task."""
    with tempfile.TemporaryDirectory(prefix="before-") as folder:
        before, run = Path(folder, "tree"), Path(folder, "run")
        before.mkdir()
        archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", str(before)], input=archive, check=True)

        def python(tree: Path, *arguments: str) -> Spent:
            return spent("-P", *arguments, cwd=before, path=tree, page=False)

        def pytest(tree: Path, *arguments: str) -> Spent:
            return python(tree, "-m", "pytest", "-q", "-p", "longctx.plugin", "-p", "no:cacheprovider", *arguments)

        def replay(tree: Path) -> Spent:
            shutil.rmtree(run, ignore_errors=True)
            return pytest(tree, tests, "--ctx-report", str(run))

        chosen = "--ctx-profile", profile, "--ctx-model", model
        tasks: Mapping[str, Callable[[Path], Spent]] = {
            "replay": replay,
            "estimate": lambda tree: pytest(tree, "tests_longctx", *chosen, "--ctx-estimate"),
            "page": lambda tree: python(tree, "-c", PAGE, str(run)),
        }
        for name, task in tasks.items():
            pairs = []
            for _ in range(rounds + 1):  # the first writes bytecode, and is not counted
                pairs.append((task(ROOT).cpu_s, task(before).cpu_s))
            ratios = [new / old for new, old in pairs[1:]]
            new, old = (statistics.median(side) for side in zip(*pairs[1:], strict=True))
            listed = ", ".join(f"{ratio:.2f}" for ratio in ratios)
            print(f"{name}: {new:.2f} s, before {old:.2f} s; {statistics.median(ratios):.2f} times ({listed})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", metavar="REV")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tests", default="tests_longctx", help="what is replayed (default: %(default)s)")
    parser.add_argument("--profile", default="gate-pr", help="what is estimated (default: %(default)s)")
    parser.add_argument("--model", default="claude-opus-5-5", help="for which model (default: %(default)s)")
    options = parser.parse_args()
    compare(options.revision, options.rounds, options.tests, options.profile, options.model)
