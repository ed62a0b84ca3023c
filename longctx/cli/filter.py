"""`filter`: keep the questions that a model answers with the right section alone, from a run of the controls."""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.config.folders import REPORTS
from longctx.corpus.filters import make_filter
from longctx.errors import UserError
from longctx.measure.summary import MEASURED
from longctx.results.folder import find_run
from longctx.results.store import load

if TYPE_CHECKING:
    import pandas as pd


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "filter",
        help='freeze the "too hard" filter of a model',
        description="Writes fixtures/questions/filters/MODEL-BANK.json from a run in which the control `right` was "
        "asked: questions answered wrong with their section alone are not asked in a collage.",
    )
    parser.add_argument("folder", type=Path, nargs="?", metavar="RUN", help="a run's folder (default: reports/latest)")
    parser.add_argument("--prompts", default="seed", metavar="NAME", help="prompt set of that run (default: seed)")
    parser.set_defaults(run=run, passes_on=False)


def run(options: argparse.Namespace, _: list[str]) -> int:
    folder = find_run(options.folder or REPORTS / "latest")
    correct = answered(load(folder), options.prompts)
    if not correct:
        raise UserError(
            f"{folder} measured no question with its right section and the prompts {options.prompts!r}: run the "
            "controls first, pytest tests_longctx -k control."
        )
    for (model, bank), answers in correct.items():
        path = make_filter(model, bank, folder.resolve().name, answers)
        print(f"{path}: {len(answers)} asked, {sum(answers.values())} kept")
    return 0


def answered(rows: pd.DataFrame, prompts: str) -> dict[tuple[str, str], dict[str, bool]]:
    """Of each model and bank, the questions that were measured with their right section -> whether answered right."""
    found: dict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    columns = ("model", "prompt_set", "family", "params", "item", "outcome")
    for model, prompt_set, family, params, item, outcome in zip(*(rows[name] for name in columns), strict=True):
        wanted = family == "control" and params["record"] == "right" and prompt_set == prompts
        if wanted and outcome in MEASURED:
            question, _, bank = item.rpartition("@")
            found[model, bank][question] = outcome == "correct"
    return found
