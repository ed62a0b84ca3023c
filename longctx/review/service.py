"""The operations behind the review page: reading questions and recording decisions, one request at a time."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from longctx.authoring.check import check
from longctx.corpus.documents import Corpus
from longctx.errors import UserError
from longctx.review.file import QuestionFile
from longctx.review.marks import marked, places
from longctx.review.session import Entry, Session, Who
from longctx.visible import visible
from longctx.vocabulary.occurrence import occurs, plain

Json = dict[str, Any]


class ReviewService:
    """The review of one file. who: returns the reviewer and the day. All methods raise UserError.

    The checker takes a second for some hundred questions, so it runs only when the page is loaded, and when a question
    is edited or restored. After a drop, the findings about the other questions stay as they are until then.
    """

    def __init__(self, file: QuestionFile, corpus: Corpus, who: Callable[[], Who]) -> None:
        self.file = file
        self.session = file.read()
        self._corpus = corpus
        self._sections = {section.id: section for section in corpus.sections}
        self._who = who
        self._findings: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def overview(self) -> Json:
        """Return a summary of every question, from the present content of the file."""
        with self._lock:
            self.session = self.file.read()
            self._check()
            return {
                "file": visible(str(self.file.path)),
                "by": visible(self._who().by),
                "of_set": self._findings.get("all", []),
                "questions": [self._line(entry) for entry in self.session.entries],
            }

    def question(self, name: str) -> Json:
        """Return one question, with its section split into marked and unmarked parts."""
        with self._lock:
            entry = self.session.entry(name)
        question, section = entry.question, self._sections[entry.question.section]
        text = plain(section.text)
        return {
            **self._line(entry),
            "section": visible(section.id),
            "title": visible(section.title),
            "tokens": section.tokens,
            "question": _words(question.question),
            "answers": [
                {**_words(answer), "right": place == 0, "place": _place(answer, section.text, text)}
                for place, answer in enumerate(question.answers)
            ],
            "parts": [asdict(part) for part in marked(section.text, question)],
        }

    def decide(self, asked: Mapping[str, Any]) -> Json:
        """Record a decision and return the question's new summary.

        asked: the `id` of a question, a `decision` (keep, drop, edit, undo), and the new texts of an edit.
        """
        name = str(asked.get("id"))
        with self._lock:
            after = self._decided(name, asked)
            self.file.write(after)
            before, self.session = self.session.entry(name), after
            if before.dropped or asked["decision"] == "edit":
                self._check()
            return self._line(after.entry(name))

    def _decided(self, name: str, asked: Mapping[str, Any]) -> Session:
        match asked.get("decision"):
            case "keep":
                return self.session.keep(name, self._who())
            case "drop":
                return self.session.drop(name, self._who())
            case "edit":
                return self.session.edit(name, asked, self._who())
            case "undo":
                return self.session.undo(name)
        raise UserError(
            "unknown-decision", f"There is no decision {asked.get('decision')!r}: choose keep, drop, edit or undo."
        )

    def _line(self, entry: Entry) -> Json:
        decided = entry.decided
        return {
            "id": entry.question.id,
            "state": entry.state,
            "by": visible(decided.by) if decided else "",
            "on": decided.on.isoformat() if decided else "",
            "findings": [] if entry.dropped else self._findings.get(entry.question.id, []),
        }

    def _check(self) -> None:
        findings: dict[str, list[str]] = defaultdict(list)
        for finding in check(self._corpus, self.session.questions):
            findings[finding.question].append(visible(f"{finding.kind}: {finding.what}"))
        self._findings = dict(findings)


def _words(text: str) -> Json:
    """Return a text raw, for an input field, and with hidden characters made visible, for reading."""
    return {"raw": text, "shown": visible(text)}


def _place(answer: str, text: str, plain_text: str) -> str:
    """Say whether an answer occurs in its section."""
    if places(answer, text):
        return "in the section"
    return "most of its words are there" if occurs(answer, plain_text) else "not in the section"
