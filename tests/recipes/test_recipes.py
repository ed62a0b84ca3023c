"""The recipes of docs/recipes: rows for `longctx gate` from files of other tools, and the rates of kept baselines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from longctx.results.imported import load_imported
from tests.here import HERE

EXAMPLES = Path(__file__).parent
"""Small files in the formats of tools."""
RECIPES = HERE.root / "docs/recipes"


def test_an_experiment_of_braintrust_gives_rows(tmp_path: Path) -> None:
    recipe = RECIPES / "from_braintrust.py"
    command = [sys.executable, str(recipe), str(EXAMPLES / "braintrust.json"), "Exact"]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    file = tmp_path / "rows.jsonl"
    file.write_text(made.stdout)
    rows = load_imported(file).rows
    assert [(row.item, row.band, row.correct if row.measured else None) for row in rows] == [
        *[("q1", "short", True), ("r2", "all", False), ('"Where?"', "all", None)],
    ]
    assert rows[0].cost_usd


def test_the_rates_of_kept_baselines_over_time() -> None:
    kept = [str(HERE.root / "fixtures/baselines" / f"{name}.jsonl") for name in ("main", "lines")]
    made = subprocess.run(
        [sys.executable, str(RECIPES / "history.py"), *kept],
        env={**os.environ, "PYTHONPATH": str(HERE.root)},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split("\t") for line in made.stdout.splitlines()]
    assert lines == sorted(lines, key=lambda line: line[0])
    [short] = [line for line in lines if line[1:3] == ["lines", "line_retrieval"] and line[4] == "short"]
    assert short[5] == "0.61 [0.54, 0.67] n=200"
