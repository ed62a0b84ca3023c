"""The answers that a run lost, which people look at before they decide: each trial with its old and its new answer."""

from __future__ import annotations

from dataclasses import dataclass

from longctx.plural import count
from longctx.views.chart import Table

MOST_LOST = 20
"""The most lost answers that a verdict names."""
LONGEST = 60
"""The most characters that are shown of an answer."""


@dataclass(frozen=True, slots=True)
class LostAnswer:
    """A trial that the baseline answered rightly and the run did not. None: the text is not kept."""

    trial: str
    """Its name, such as `passkey/window-256-k-128#3`."""
    subject: str
    expected: str | None
    before: str | None
    after: str | None
    """Its answer, or how it failed where there is none."""


@dataclass(frozen=True, slots=True)
class LostAnswers:
    """The lost answers of a run."""

    shown: tuple[LostAnswer, ...] = ()
    """The first of them, at most MOST_LOST."""
    number: int = 0
    """How many there are."""
    command: str = ""
    """The command that shows all."""

    @property
    def sentence(self) -> str:
        """How many there are and how to see them all."""
        listed = "all are" if len(self.shown) == self.number else f"the first {len(self.shown):,} are"
        were = count(self.number, "answer was", "answers were")
        return (
            f"{were} lost: right in the baseline and not in this run; {listed} listed below. To see all: {self.command}"
        )

    @property
    def table(self) -> Table:
        several = len({lost.subject for lost in self.shown}) > 1
        rows = [
            {
                "trial": lost.trial,
                **({"of": lost.subject} if several else {}),
                "expected": one_line(lost.expected),
                "baseline": one_line(lost.before),
                "this run": one_line(lost.after),
            }
            for lost in self.shown
        ]
        return Table.from_rows("Lost answers", rows, said=("trial", "expected", "baseline", "this run"))


def one_line(text: str | None) -> str:
    """Return a text in one line, cut to LONGEST characters; a dash if it is not kept."""
    words = " ".join((text or "")[: 8 * LONGEST].split())
    return (words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…") or "-"


NONE_LOST = LostAnswers()
