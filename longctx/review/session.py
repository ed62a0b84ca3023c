"""The decisions on the questions of a file. Nothing is lost by one: a dropped question can be taken back."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import ValidationError

from longctx.config.folders import first_fault
from longctx.corpus.questions import BankQuestion, Reviewed
from longctx.errors import UserError

State = Literal["undecided", "kept", "edited", "dropped"]
STATES: tuple[State, ...] = ("undecided", "kept", "edited", "dropped")


@dataclass(frozen=True, slots=True)
class Who:
    """Who decides, and on which day."""

    by: str
    on: datetime.date


@dataclass(frozen=True, slots=True)
class Entry:
    """A question and what was decided. dropped: by whom, of a question that is out of the file."""

    question: BankQuestion
    dropped: Who | None = None

    @property
    def state(self) -> State:
        if self.dropped:
            return "dropped"
        return self.question.reviewed.decision if self.question.reviewed else "undecided"

    @property
    def decided(self) -> Who | None:
        """Who decided; None as long as nobody did."""
        mark = self.question.reviewed
        return self.dropped or (Who(mark.by, mark.on) if mark else None)


@dataclass(frozen=True, slots=True)
class Session:
    """All questions in the order of the file, dropped ones where they stood. Each decision gives a new session."""

    entries: tuple[Entry, ...]

    @property
    def questions(self) -> tuple[BankQuestion, ...]:
        """Those that stay in the file."""
        return tuple(entry.question for entry in self.entries if not entry.dropped)

    @property
    def counts(self) -> dict[State, int]:
        found = Counter(entry.state for entry in self.entries)
        return {state: found[state] for state in STATES}

    def entry(self, name: str) -> Entry:
        """The entry of a question's id. Raises UserError."""
        for entry in self.entries:
            if entry.question.id == name:
                return entry
        raise UserError("question-gone", f"There is no question {name!r} in the file any more: reload the page.")

    def keep(self, name: str, who: Who) -> Session:
        """An edited question stays edited; a dropped one comes back."""
        question = self.entry(name).question
        decision = question.reviewed.decision if question.reviewed else "kept"
        return self._with(name, Entry(_marked(question, decision, who)))

    def drop(self, name: str, who: Who) -> Session:
        """Raises UserError for the last question of the file."""
        entry = self.entry(name)
        if self.questions == (entry.question,) and not entry.dropped:
            raise UserError(
                "last-question",
                "This is the last question of the file, and a file holds one at least: edit it instead.",
            )
        return self._with(name, replace(entry, dropped=who))

    def edit(self, name: str, words: Mapping[str, Any], who: Who) -> Session:
        """words: `question`, `right` and `wrong` anew. Without a change the question is kept. Raises UserError."""
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
        """A dropped question comes back as it was; of another, nobody has decided. Its words stay as they are."""
        entry = self.entry(name)
        if entry.dropped:
            return self._with(name, Entry(entry.question))
        return self._with(name, Entry(entry.question.model_copy(update={"reviewed": None})))

    def _with(self, name: str, entry: Entry) -> Session:
        return Session(tuple(entry if one.question.id == name else one for one in self.entries))


def _marked(question: BankQuestion, decision: Literal["kept", "edited"], who: Who) -> BankQuestion:
    return question.model_copy(update={"reviewed": Reviewed(decision=decision, by=who.by, on=who.on)})
