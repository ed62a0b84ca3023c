"""How large index.html is and how soon it is usable in Chromium, for a run's rows repeated under other trial numbers.

    python -m benchmarks.page_load reports/latest

Aims: 1 MB and 0.8 s at about 4,000 trials, 4 MB and 1.5 s at 20,000. Each time is the best of several loads, from the
navigation until the list of trials can be filtered: other work on the machine makes the others slower.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from longctx.report.charts import charts, drawing
from longctx.report.page.page import write_page
from longctx.report.run_report import RunReport
from longctx.results import store
from longctx.results.manifest import load_manifest
from longctx.summary.summary import summarize
from tests.browser import Tab, launched

SIZES = 4_000, 20_000
LOADS = 7


def repeated(run: Path, trials: int, folder: Path) -> tuple[Path, int]:
    """Write the page of a run whose rows are repeated until it has this many; return its path and their number."""
    record, manifest = store.load(run), load_manifest(run)
    times = max(1, round(trials / len(record.rows)))
    above = 1 + max(row.trial for row in record.rows)
    copies = [replace(row, trial=row.trial + copy * above) for copy in range(times) for row in record.rows]
    views = list(record.views()) * times
    store.append(folder, [f"{row.to_json()}\t{view}" for row, view in zip(copies, views, strict=True)])
    record = store.finish(folder)
    summary = summarize(record.rows, manifest.prices_of, manifest.sent_as, None, manifest.facts)
    with drawing(charts(summary)) as drawn:
        write_page(folder, RunReport(record, summary, manifest), drawn)
    return folder / "index.html", len(copies)


def loads(tab: Tab, page: Path, number: int) -> list[float]:
    """Return how many seconds each of some loads took."""
    times = []
    for _ in range(number + 1):
        tab.page.goto("about:blank")
        begun = time.perf_counter()
        tab.page.goto(page.as_uri())
        tab.page.wait_for_selector("html[data-ready]")
        times.append(time.perf_counter() - begun)
    return times[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder of a run, such as reports/latest")
    parser.add_argument("--loads", type=int, default=LOADS)
    parser.add_argument("--trials", type=int, nargs="*", default=SIZES)
    options = parser.parse_args()
    with launched(offline=True) as tab, tempfile.TemporaryDirectory() as folder:
        for trials in options.trials:
            page, number = repeated(options.run.resolve(), trials, Path(folder) / str(trials))
            times = loads(tab, page, options.loads)
            print(
                f"{number:>6,} rows: index.html {page.stat().st_size / 1e6:.2f} MB, usable after "
                f"{min(times):.2f} s (median {statistics.median(times):.2f})"
            )


if __name__ == "__main__":
    main()
