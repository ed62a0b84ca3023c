"""The recipes of docs/recipes: rows for `longctx gate` from files of other tools, and the rates of kept baselines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from longctx.results.imported import load_imported
from tests.here import HERE

EXAMPLES = Path(__file__).parent
"""Small files in the tools' own formats."""
RECIPES = HERE.root / "docs/recipes"


@pytest.mark.parametrize(
    ("tool", "score", "expected"),
    [
        (
            "inspect_ai",
            ["match"],
            [
                *[("q1", "short", True), ("q1", "short", False), ("2", "all", True), ("q3", "all", None)],
                *[("2", "all", False), ("q3", "all", True)],
            ],
        ),
        ("promptfoo", [], [("q1", "all", True), ("1", "all", False), ("2", "all", None)]),
        ("braintrust", ["Exact"], [("q1", "short", True), ("r2", "all", False), ('"Where?"', "all", None)]),
    ],
)
def test_a_recipe_gives_rows(
    tool: str, score: list[str], expected: list[tuple[str, str, bool | None]], tmp_path: Path
) -> None:
    recipe = RECIPES / f"from_{tool}.py"
    command = [sys.executable, str(recipe), str(EXAMPLES / f"{tool}.json"), *score]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    file = tmp_path / "rows.jsonl"
    file.write_text(made.stdout)
    rows = load_imported(file)
    assert [(row.item, row.band, row.correct if row.measured else None) for row in rows] == expected
    assert rows[0].cost_usd
    assert len(recipe.read_text().splitlines()) <= 26


def test_promptfoo_s_providers_and_prompts_are_not_repeats(tmp_path: Path) -> None:
    one = json.loads((EXAMPLES / "promptfoo.json").read_text())["results"]["results"][0]
    of = [("openai:a", 0), ("openai:b", 0), ("openai:a", 1)]
    results = [{**one, "provider": {"id": provider}, "promptIdx": prompt} for provider, prompt in of]
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"results": {"results": results}}))
    command = [sys.executable, str(RECIPES / "from_promptfoo.py"), str(file)]
    refused = subprocess.run(command, capture_output=True, text=True)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "openai:a 0; openai:a 1; openai:b 0" in refused.stderr
    selected = subprocess.run([*command, "openai:b", "0"], capture_output=True, text=True, check=True)
    assert [json.loads(line)["id"] for line in selected.stdout.splitlines()] == ["q1"]


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
