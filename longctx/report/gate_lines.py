"""What the terminal shows of a gate at the usual verbosity: its bands, what was lost, and what became dearer or slower.

gate.md has the evidence, and so has the terminal with -v.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longctx.gate.usage import Growth, UsageChange
from longctx.report.document import bare_table
from longctx.report.tables import before_after, seconds, thousand
from longctx.text import count, visible
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


LOST_LINES = 3
"""The most lost answers that are shown."""


def gate_lines(
    head: Sequence[str], bands: Sequence[Mapping[str, Any]], usage: UsageChange | None, lost: LostAnswers
) -> str:
    """Return a gate as text. head: its title and the sentences below it. bands: the rows of the table of bands."""
    shown = [visible(line) for line in head]
    if bands:
        table = Table.from_rows("", [_band(band) for band in bands])
        shown += ["", bare_table(table, right=("before", "after", "change", "lost/gained", "n"))]
    shown += map(visible, _growths(usage))
    return "\n".join([*shown, *map(visible, lost_lines(lost))])


def lost_lines(lost: LostAnswers, most: int = LOST_LINES) -> Iterator[str]:
    """Yield a line for each of the first lost answers, and one on how to see the others."""
    for answer in lost.shown[:most]:
        yield f'{answer.trial}: "{one_line(answer.before)}" → "{one_line(answer.after)}"'
    if (more := lost.number - most) > 0:
        yield f"… {more:,} more lost: {lost.command}"


def _band(band: Mapping[str, Any]) -> dict[str, Any]:
    get = band.get
    changes = f"{get('lost')}/{get('gained')}" if get("lost") else ""
    return {
        "test": str(band["family"]).replace("_", " ") if not str(band["family"]).startswith("test_") else get("family"),
        **({"of": band["of"]} if "of" in band else {}),
        "band": get("band"),
        "before": get("before"),
        "after": get("after"),
        "change": get("difference"),
        "95% interval": get("95% interval"),
        "lost/gained": changes,
        "n": get("n"),
        "verdict": get("verdict"),
    }


def _growths(usage: UsageChange | None) -> Iterator[str]:
    """Yield a line for price and for latency if the change is significant."""
    if usage is None:
        return
    if _significant(usage.cost):
        yield f"Price of 1,000 trials: {before_after(thousand(usage.before), thousand(usage.after))}"
    if _significant(usage.latency):
        yield f"Median latency: {before_after(*(seconds(side.latency_p50) for side in (usage.before, usage.after)))}"


def _significant(growth: Growth | None) -> bool:
    return growth is not None and growth.value != 0 and (growth.lo > 0 or growth.hi < 0)
