"""`filter`: keep the questions that a model answers with the right section alone, from a run of the controls."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longctx.authoring.items import READ
from longctx.authoring.unreadable import sentences
from longctx.corpus.filters import make_filter, question_of
from longctx.errors import UserError
from longctx.results.row import Row
from longctx.results.run_folders import find_run
from longctx.results.store import load, load_rows
from longctx.vocabulary.point import PROTOCOL


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "filter",
        help='make the "too hard" filter of a model',
        description="Writes fixtures/questions/filters/MODEL-BANK.json from a run of the control `right`: it leaves "
        "questions answered wrong with their section alone out of collages.",
    )
    parser.add_argument("folder", type=Path, nargs="?", metavar="RUN", help="a run's folder (default: reports/latest)")
    parser.add_argument("--prompts", default=PROTOCOL, metavar="NAME", help="the run's prompt set (default: protocol)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    folder = find_run(options.folder or options.workspace.reports / "latest")
    measured = answered(load_rows(folder), options.prompts)
    if not measured:
        raise UserError(
            "controls-not-run",
            f"In {folder}, no control with the right section was measured for the prompt set {options.prompts!r}: run "
            "the controls first, with pytest -k control.",
        )
    for (model, bank), answers in measured.items():
        correct = readable(answers)
        if not correct:
            raise UserError(
                "no-readable-answer",
                f"{folder}: none of the {len(answers):,} questions has a readable answer with its right section, so no "
                f"filter is made. {' '.join(sentences(options.workspace, load(folder).seen()))}",
            )
        path = make_filter(options.workspace, model, bank, folder.resolve().name, correct)
        unread = len(answers) - len(correct)
        more = f"; {unread:,} without a readable answer, left out of collages" if unread else ""
        print(f"{path}: {len(correct)} answered, {sum(correct.values())} kept{more}")
    return 0


def answered(rows: Sequence[Row], prompts: str) -> dict[tuple[str, str], dict[str, bool | None]]:
    """Return for each (model, bank) whether each question with its right section was answered right.

    None: no reply had a readable answer. Questions that were not measured are left out.
    """
    measured: dict[tuple[str, str], dict[str, bool | None]] = defaultdict(dict)
    for row in rows:
        alone = row.test == "control" and row.params["record"] == "right"
        if alone and row.prompt_set == prompts and row.measured:
            question, bank = question_of(row.item, row.version)
            before = measured[row.model, bank].get(question)
            measured[row.model, bank][question] = row.correct if row.outcome in READ else before
    return measured


def readable(answers: Mapping[str, bool | None]) -> dict[str, bool]:
    """Return the questions with a readable answer; the others are neither kept nor dropped."""
    return {question: right for question, right in answers.items() if right is not None}
