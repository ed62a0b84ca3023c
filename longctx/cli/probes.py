"""`probes`: questions that a model writes about a session and a person reviews, as probes of a test function."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longctx.cli.shared_options import add_task, next_command
from longctx.config.arguments import number
from longctx.errors import UserError
from longctx.text import count

STRETCH = 400
"""About the tokens of one document: a stretch of turns."""
PREFIX = "turn-"
SETTINGS = """# The turns of a logged session, one file per stretch, for `longctx data questions`.
document = "part of a work session"
min_tokens = 20
max_tokens = 20000
"""


def add(commands: Any) -> None:
    parser = commands.add_parser("probes", help="probes of a logged session: written by a model, reviewed by a person")
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    first = add_task(
        tasks,
        "documents",
        "write a session as documents, for `longctx data questions write`",
        ": a file for each stretch of turns.",
    )
    first.add_argument("session", type=Path, metavar="SESSION", help="requests as logged, JSON lines")
    first.add_argument("--line", type=number(int, 1), metavar="N", help="the line (default: the one with most turns)")
    first.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    first.set_defaults(run=documents)
    second = add_task(
        tasks,
        "take",
        "turn the reviewed questions into probes",
        ": those whose line has `reviewed`.",
    )
    second.add_argument("questions", type=Path, metavar="FILE", help="questions about the documents, JSON lines")
    second.add_argument("--out", type=Path, required=True, metavar="FILE", help="a new file of probes, JSON lines")
    second.set_defaults(run=add_drafts)


def documents(options: argparse.Namespace) -> int:
    from longctx.functions.transcript import read_transcript, stretches

    session = read_transcript(options.session, options.line)
    _check_new(options.out)
    options.out.mkdir(parents=True)
    parts = stretches(session, STRETCH)
    for turn, text in parts:
        (options.out / f"{PREFIX}{turn:04d}.txt").write_text(text, encoding="utf-8", newline="\n")
    (options.out / "corpus.toml").write_text(SETTINGS, encoding="utf-8")
    print(f"{options.out}: {len(session.messages):,} turns in {len(parts):,} files.")
    print(
        next_command(
            [
                "longctx",
                "data",
                "questions",
                "write",
                "--corpus",
                str(options.out),
                "--model",
                "NAME",
                "--out",
                "questions.jsonl",
            ]
        )
    )
    return 0


def add_drafts(options: argparse.Namespace) -> int:
    from longctx.corpus.question_bank import load_questions

    questions = load_questions(options.questions).questions
    reviewed = [question for question in questions if question.reviewed]
    if not reviewed:
        raise UserError(
            "nothing-reviewed",
            f"None of the {len(questions):,} questions of {options.questions} is marked as reviewed: read "
            "them, delete the lines that are wrong, and add to each remaining line "
            '"reviewed": {"decision": "kept", "by": "NAME", "on": "YYYY-MM-DD"}.',
        )
    _check_new(options.out)
    lines = [
        {
            "id": question.id,
            "question": question.question,
            "accept": [question.right],
            "kind": "number" if question.numerical else "fact",
            **_turn(question.section),
        }
        for question in reviewed
    ]
    options.out.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")
    print(f"{options.out}: {_left_out(lines, len(questions))}")
    return 0


def _left_out(lines: Sequence[object], questions: int) -> str:
    left = questions - len(lines)
    return f"{count(len(lines), 'probe')}." + (f" {count(left, 'question')} without a review left out." if left else "")


def _turn(section: str) -> dict[str, int]:
    digits = section.removeprefix(PREFIX)
    return {"turn": int(digits)} if digits.isdecimal() else {}


def _check_new(path: Path) -> None:
    if path.exists():
        raise UserError("probes-exist", f"{path} already exists and may have been edited: choose another name.")
