"""`corpus`: fetch, freeze, count and check the documents and questions of long-context QA."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from longctx.cli.questions.check import show
from longctx.cli.shared.output import tell_unread
from longctx.cli.shared.task import add_bank_name, add_task
from longctx.config.arguments import number

BUDGETS = (3000, 70_000, 95_000)
"""The default sizes of collages in tokens: one for small models, and the two of the source's notebook."""


def add(commands: Any) -> None:
    parser = commands.add_parser("corpus", help="documents and questions of long-context QA")
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    _add(tasks, fetch, "download a day's issue of the Federal Register")
    _add(tasks, freeze, "count the sections of a folder and keep the counts beside them")
    _add(tasks, stats, "say how large a folder's sections are, and how many collages can be made of them")
    _add(tasks, check, "look for faults in a file of questions; exit status 1 if there are errors")


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
        case "check":
            parser.add_argument(
                "--corpus", type=Path, metavar="DIR", help="a folder of documents (default: fixtures/register)"
            )
            parser.add_argument(
                "--questions", type=Path, metavar="FILE", help="default: fixtures/questions/register.jsonl"
            )
            add_bank_name(parser)
    parser.set_defaults(run=task, passes_on=False)


def fetch(options: argparse.Namespace, _: list[str]) -> int:
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


def freeze(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.corpus.documents import freeze as freeze_folder

    print(freeze_folder(options.documents))
    tell_unread(options.documents)
    return 0


def stats(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.corpus.documents import load_corpus
    from longctx.corpus.settings import read_settings
    from longctx.families.long_context_qa.collage_counts_report import stats_text

    tell_unread(options.documents)
    print(stats_text(load_corpus(options.documents), read_settings(options.documents), options.budget or BUDGETS))
    return 0


def check(options: argparse.Namespace, _: list[str]) -> int:
    """Do what `questions check` does; this is its earlier name."""
    return show(options.workspace, options.corpus, options.questions, options.bank)
