"""Prints the rate of each band in kept baselines, oldest first: python history.py fixtures/baselines/*.jsonl"""

import sys
from itertools import groupby
from pathlib import Path

from longctx import Rate
from longctx.results.baseline_file import load_baseline

for kept in sorted((load_baseline(Path(path)) for path in sys.argv[1:]), key=lambda kept: kept.saved_at):
    measured = sorted(
        ((row.test, str(row.subject), row.band or "all"), row.correct) for row in kept.rows if row.measured
    )
    for band, rows in groupby(measured, key=lambda row: row[0]):
        correct = [right for _, right in rows]
        print(kept.saved_at[:10], kept.name, *band, Rate(sum(correct), len(correct)), sep="\t")
