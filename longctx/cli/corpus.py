"""`corpus`: fetch, freeze, count and compare the documents of long-context QA."""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared_options import add_task, declare, print_noticed, settings_of
from longctx.config.arguments import number
from longctx.text import some_of

if TYPE_CHECKING:
    from longctx.engine.run_plan import Plan

LISTED = 10
"""The most names that `diff` lists of a kind."""
BUDGETS = (3000, 70_000, 95_000)
"""The default sizes of collages in tokens: one for small models, and the two of the source's notebook."""


def add(commands: Any) -> None:
    parser = commands.add_parser("corpus", help="documents of long-context QA")
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    _add(tasks, fetch, "download a day's issue of the Federal Register")
    _add(tasks, freeze, "count the tokens of a folder's sections and save the counts next to them")
    _add(tasks, stats, "print the sizes of a folder's sections, and how many collages they make")
    _add(tasks, diff, "list the trials that a change of documents makes stale, and what recording them costs")


def _add(tasks: Any, task: Any, text: str) -> None:
    parser = add_task(tasks, task.__name__, text)
    match task.__name__:
        case "fetch":
            parser.add_argument("day", metavar="YYYY-MM-DD", help="the day of the issue")
            parser.add_argument("--out", type=Path, metavar="DIR", help="default: fixtures/fetched/FR-YYYY-MM-DD")
            parser.add_argument("--base-url", metavar="URL", help="default: https://www.govinfo.gov")
            parser.add_argument("--max-bytes", type=int, metavar="N", help="default: 100000000")
        case "freeze":
            parser.add_argument("documents", type=Path, metavar="DIR", help="a folder of documents")
        case "stats":
            parser.add_argument("documents", type=Path, metavar="DIR", help="a folder of documents")
            parser.add_argument(
                "--budget",
                type=number(int, 1),
                action="append",
                metavar="N",
                help="tokens of a collage (repeatable; default: 3000, 70000, and 95000)",
            )
            parser.add_argument(
                "--questions",
                type=Path,
                metavar="FILE",
                help="questions about them, for the lexical baseline (default: those of the folder's bank)",
            )
        case "diff":
            parser.add_argument("old", metavar="OLD", help="the folder before, or a git revision of NEW, such as main")
            parser.add_argument("documents", type=Path, metavar="NEW", help="the folder of documents as it is now")
            parser.add_argument("--questions", type=Path, required=True, metavar="FILE", help="questions about them")
            declare(parser, "profile", "model")
    parser.set_defaults(run=task)


def fetch(options: argparse.Namespace) -> int:
    from longctx.corpus.documents import freeze as freeze_folder
    from longctx.corpus.documents import load_corpus
    from longctx.corpus.fetch import GOVINFO, LIMIT
    from longctx.corpus.fetch import fetch as fetch_issue

    def show(have: int, of: int | None) -> None:
        if sys.stderr.isatty():
            print(f"\r{have:,}{f' of {of:,}' if of else ''} bytes", end="", file=sys.stderr, flush=True)

    folder = options.out or options.workspace.own("fetched", f"FR-{options.day}")
    limit = LIMIT if options.max_bytes is None else options.max_bytes
    fetched = fetch_issue(options.day, folder, options.base_url or GOVINFO, limit, show)
    freeze_folder(folder)
    corpus = load_corpus(folder)
    print(f"{fetched.path}: {fetched.bytes:,} bytes, sha256 {fetched.sha256}")
    print(f"{len(corpus.sections)} sections, {corpus.tokens:,} tokens; {len(corpus.left_out)} left out by size")
    return 0


def freeze(options: argparse.Namespace) -> int:
    from longctx.corpus.documents import freeze as freeze_folder

    print(freeze_folder(options.documents))
    print_noticed(options.documents)
    return 0


def stats(options: argparse.Namespace) -> int:
    from longctx.corpus.documents import load_corpus, read_settings
    from longctx.corpus.question_bank import load_bank
    from longctx.protocols.reports.corpus_report import stats_text

    documents, budgets = options.documents, options.budget or BUDGETS
    print_noticed(documents)
    own = options.workspace.find("questions", f"{documents.resolve().name}.jsonl")
    asked = options.questions or (own if own.is_file() else None)
    bank = load_bank(options.workspace, documents, asked, "") if asked else None
    print(stats_text(load_corpus(documents), read_settings(documents), budgets, bank))
    return 0


def diff(options: argparse.Namespace) -> int:
    from longctx.corpus.revision import of_revision
    from longctx.engine.document_changes import document_changes, questions_by_item
    from longctx.gate.changed import changed_names

    with tempfile.TemporaryDirectory() as temporary:
        old, new = Path(options.old), options.documents
        before = old if old.exists() else of_revision(options.old, new, Path(temporary) / new.resolve().name)
        digests = []
        plans = []
        for side, folder in (("old", before), ("new", new)):
            kept = Path(temporary) / f"{side}.jsonl"
            digests.append(_written(options.questions, folder, kept))
            plans.append(_plan(options, folder, kept))
        changes = document_changes(*plans)
        for how, names in changed_names(*digests).items():
            print(f"sections {how}: {len(names):,}{f' ({some_of(names, LISTED)})' if names else ''}")
        print(f"trials unchanged: {changes.unchanged:,}")
        for how, questions in (("stale", changes.stale), ("new", changes.added), ("gone", changes.gone)):
            items = questions_by_item(questions)
            about = f", about {some_of(list(items), LISTED)}" if items else ""
            print(f"trials {how}: {len(questions):,}{about}")
        for each in changes.estimates:
            print(each)
    return 0


def _written(questions: Path, folder: Path, file: Path) -> dict[str, str]:
    """Write the questions about sections of a folder to `file`; return the digest of each of its sections."""
    from longctx.corpus.documents import load_corpus
    from longctx.corpus.question_bank import dump, load_questions
    from longctx.errors import UserError

    sections = {section.id: section.text for section in load_corpus(folder).sections}
    kept = [question for question in load_questions(questions).questions if question.section in sections]
    if not kept:
        raise UserError(
            "no-question-about-documents", f"None of the questions in {questions} is about a section of {folder}."
        )
    file.write_text(dump(kept), encoding="utf-8")
    return {name: hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for name, text in sections.items()}


def _plan(options: argparse.Namespace, folder: Path, questions: Path) -> Plan:
    from longctx.engine.run_plan import Plan

    settings = replace(settings_of(options), corpus=folder, questions=questions)
    return Plan(settings, options.workspace)
