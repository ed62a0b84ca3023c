"""The decisions on the questions of a file. None loses anything: a dropped question can be restored."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import ValidationError

from longctx.config.text_files import first_fault
from longctx.corpus.questions import BankQuestion, Reviewed
from longctx.errors import UserError

Decision = Literal["undecided", "kept", "edited", "dropped"]
STATES: tuple[Decision, ...] = ("undecided", "kept", "edited", "dropped")


@dataclass(frozen=True, slots=True)
class Who:
    """The person who decides, and the day."""

    by: str
    on: datetime.date


@dataclass(frozen=True, slots=True)
class Entry:
    """A question and the decision on it."""

    question: BankQuestion
    dropped: Who | None = None
    """Who dropped it, for a question that is no longer in the file."""

    @property
    def state(self) -> Decision:
        if self.dropped:
            return "dropped"
        return self.question.reviewed.decision if self.question.reviewed else "undecided"

    @property
    def decided(self) -> Who | None:
        """Who decided; None if nobody has."""
        mark = self.question.reviewed
        return self.dropped or (Who(mark.by, mark.on) if mark else None)


@dataclass(frozen=True, slots=True)
class Session:
    """All questions in the order of the file, with dropped ones in their old places. Decisions return a new session."""

    entries: tuple[Entry, ...]

    @property
    def questions(self) -> tuple[BankQuestion, ...]:
        """The questions that stay in the file."""
        return tuple(entry.question for entry in self.entries if not entry.dropped)

    @property
    def counts(self) -> dict[Decision, int]:
        counts = Counter(entry.state for entry in self.entries)
        return {state: counts[state] for state in STATES}

    def entry(self, name: str) -> Entry:
        """Return the entry of a question, by its id. Raises UserError."""
        for entry in self.entries:
            if entry.question.id == name:
                return entry
        raise UserError("question-gone", f"There is no question {name!r} in the file any more: reload the page.")

    def keep(self, name: str, who: Who) -> Session:
        """Keep a question. An edited question stays edited; a dropped one is restored."""
        question = self.entry(name).question
        decision = question.reviewed.decision if question.reviewed else "kept"
        return self._with(name, Entry(_marked(question, decision, who)))

    def drop(self, name: str, who: Who) -> Session:
        """Drop a question. Raises UserError for the last question of the file."""
        entry = self.entry(name)
        if self.questions == (entry.question,) and not entry.dropped:
            raise UserError(
                "last-question",
                "This is the last question of the file, which must hold at least one: edit it instead.",
            )
        return self._with(name, replace(entry, dropped=who))

    def edit(self, name: str, words: Mapping[str, Any], who: Who) -> Session:
        """Edit a question; without a change it is kept. words: `question`, `right` and `wrong`. Raises UserError."""
        before = self.entry(name).question
        fields = before.model_dump() | {key: words.get(key) for key in ("question", "right", "wrong")}
        try:
            after = BankQuestion.model_validate(fields)
        except ValidationError as error:
            raise UserError(
                "bad-question", f"This cannot be saved: {first_fault(BankQuestion, error, 'the question')}"
            ) from None
        if not after.distinct:
            raise UserError("duplicate-answers", "This cannot be saved: two of the four answers are the same.")
        if after == before:
            return self.keep(name, who)
        return self._with(name, Entry(_marked(after, "edited", who)))

    def undo(self, name: str) -> Session:
        """Restore a dropped question as it was; make any other undecided. An edit is not taken back."""
        entry = self.entry(name)
        if entry.dropped:
            return self._with(name, Entry(entry.question))
        return self._with(name, Entry(entry.question.model_copy(update={"reviewed": None})))

    def _with(self, name: str, entry: Entry) -> Session:
        return Session(tuple(entry if old.question.id == name else old for old in self.entries))


def _marked(question: BankQuestion, decision: Literal["kept", "edited"], who: Who) -> BankQuestion:
    return question.model_copy(update={"reviewed": Reviewed(decision=decision, by=who.by, on=who.on)})
