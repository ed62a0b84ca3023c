"""A question file under review, with its service and its server."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from longctx.corpus.documents import Corpus
from longctx.corpus.questions import BankQuestion, dump
from longctx.review.file import QuestionFile
from longctx.review.http import ReviewServer
from longctx.review.service import ReviewService
from longctx.review.session import Who
from tests.corpus.examples import corpus, question

DAY = datetime.date(2026, 11, 22)
ANN, BEN = Who("Ann", DAY), Who("Ben", DAY)


def questions() -> tuple[BankQuestion, ...]:
    """Return three questions; a wrong answer of the second stands in its section."""
    return (
        question("q1"),
        question("q2", question="Who dredges for the Harbor Commission of Tavmouth?", right="Ellery Dredging",
                 wrong=("The northern quay", "Osgood Ironworks", "Harmon and Sons")),
        question("q3", section="bridge", question="What must carts use while the Bridge Office of Kestwick works?",
                 right="The ferry", wrong=("The quay", "The ford", "The tunnel")),
    )  # fmt: skip


def write(folder: Path, *asked: BankQuestion) -> Path:
    path = folder / "questions.jsonl"
    path.write_text(dump(asked or questions()), encoding="utf-8")
    return path


def service(path: Path, who: Who = ANN, documents: Corpus | None = None) -> ReviewService:
    known = documents or corpus()
    return ReviewService(QuestionFile(path, known), known, lambda: who)


@contextmanager
def serving(service: ReviewService) -> Iterator[ReviewServer]:
    """Serve the review until the context is left or the page ends it."""
    with ReviewServer(service) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
