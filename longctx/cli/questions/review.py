"""`questions review`: keep, drop or edit the questions of a file, on a page in the browser."""

from __future__ import annotations

import argparse
import getpass
import shutil
import subprocess
from typing import Any

from longctx import clocks
from longctx.cli.shared.task import add_question_file, add_task
from longctx.extras import require


def add(tasks: Any) -> None:
    text = "read questions beside their sections in the browser, and keep, drop or edit them"
    parser = add_task(
        tasks,
        "review",
        text,
        ". Every decision is written to FILE at once, with who decided; what is dropped moves to the .dropped.jsonl "
        "beside it. The page is served on this machine alone.",
    )
    add_question_file(parser)
    parser.add_argument("--by", metavar="NAME", help="the reviewer (default: the name configured in git, or the login)")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="default: any that is free")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    require("A review", "jinja2")
    import webbrowser

    from longctx.corpus.documents import load_corpus
    from longctx.review.file import QuestionFile
    from longctx.review.http import ReviewServer
    from longctx.review.service import ReviewService
    from longctx.review.session import Who
    from longctx.visible import visible

    by = (options.by or "").strip() or _name()
    corpus = load_corpus(options.corpus or options.workspace.find("register"))
    file = QuestionFile(options.questions, corpus)
    service = ReviewService(file, corpus, lambda: Who(by, clocks.local().date()))
    with ReviewServer(service, options.port) as server:
        try:
            print(f"Review of {options.questions} by {visible(by)}: {server.url}")
            print("End it with q on the page, or with Ctrl-C here. Every decision is written at once.", flush=True)
            if not options.no_browser:
                webbrowser.open(server.url)
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            print()
    counts = service.session.counts
    undecided = counts.pop("undecided")
    decided = ", ".join(f"{number:,} {state}" for state, number in counts.items())
    print(f"The review has ended. {options.questions}: {decided}; {undecided:,} undecided.")
    if counts["dropped"]:
        print(f"Dropped questions are in {file.dropped}, and can be taken back in another review.")
    return 0


def _name() -> str:
    """Return the user's name as git knows it, or else the system."""
    git = shutil.which("git")
    if git:
        known = subprocess.run([git, "config", "user.name"], capture_output=True, text=True, check=False)  # noqa: S603
        if known.stdout.strip():
            return known.stdout.strip()
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "a reviewer"
