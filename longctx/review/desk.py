"""The desk of a review: what the page asks for, and what it asks to be done, one request at a time."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from longctx.authoring.check import check
from longctx.corpus.documents import Corpus
from longctx.corpus.standing import plain, stands
from longctx.errors import UserError
from longctx.review.file import QuestionFile
from longctx.review.marks import marked, places
from longctx.review.session import Entry, Session, Who
from longctx.visible import visible

Json = dict[str, Any]


class Desk:
    """One file's review. who: says who decides, and which day it is. Everything raises UserError.

    The checker takes a second for some hundred questions: it looks when the page is loaded, and when a question has
    other words or comes back. After a drop, what it found of the others stands until then.
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
        """Every question in a line, from what the file holds now."""
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
        """One question, with its section in parts."""
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
                {**_words(one), "right": place == 0, "stands": _standing(one, section.text, text)}
                for place, one in enumerate(question.answers)
            ],
            "parts": [asdict(part) for part in marked(section.text, question)],
        }

    def decide(self, asked: Mapping[str, Any]) -> Json:
        """asked: the `id` of a question, a `decision` (keep, drop, edit, undo), and the new words of an edit."""
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
        found: dict[str, list[str]] = defaultdict(list)
        for one in check(self._corpus, self.session.questions):
            found[one.question].append(visible(f"{one.kind}: {one.what}"))
        self._findings = dict(found)


def _words(text: str) -> Json:
    """As it stands in the file, for a field to edit; and as it is safe to be read."""
    return {"raw": text, "shown": visible(text)}


def _standing(answer: str, text: str, plain_text: str) -> str:
    """How an answer stands in its section."""
    if places(answer, text):
        return "stands in the section"
    return "most of its words stand there" if stands(answer, plain_text) else "does not stand in the section"
