"""What the terminal shows of a run at the usual verbosity: a line for each test, and what needs attention."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from longctx.report.blocks import bare_table
from longctx.report.judge_sentences import doubts
from longctx.report.text import (
    MANY,
    answered,
    answers,
    details_for_terminal,
    said,
    thinking,
    unusable_shares,
    without_prices,
    without_text,
)
from longctx.results.grouping import grouped
from longctx.results.row import EARLY_STOP, Subject
from longctx.summary.summary import Summary, Truncated
from longctx.text import count, usd, visible
from longctx.views.chart import ACCURACY, Table
from longctx.vocabulary.point import is_check
from longctx.vocabulary.shapes import STRATEGY, TEXT

MOST_LINES, MOST_NOTES, FEWEST_LINES = 40, 10, 10
"""The most lines of all, the most notes, and the fewest lines of the table, without `-v`."""
AROUND = 2
"""The lines of the run and of its report, above and below."""
WIDTH, LEAST_ROOM = 150, 40
"""The most letters of a line of the table, and the fewest for its text."""


def run_line(summary: Summary, profile: str, mode: str) -> str:
    """Return the line above the tests: the profile, what the run may send, its trials and when they were recorded."""
    trials = count(_total(summary), "trial")
    recorded = ""
    if summary.recorded:
        first, last = summary.recorded
        same_year = first[:5] == last[:5]
        recorded = f" ({first})" if first == last else f" ({first} to {last[5:] if same_year else last})"
    return f"longctx: {profile} · {mode} · {trials}{recorded}"


def table_of_tests(summary: Summary, most: int | None = None) -> str:
    """Return what each test and model reached, and the number of trials. most: the most lines, by default all."""
    named = _Names(summary)
    shown = [(line, parts) for line, parts in said(summary) if not is_check(line.test)]
    heads = [(named.test(line.test, line.subject), line.subject.model, f"{line.n:,}") for line, _ in shown]
    room = max(LEAST_ROOM, WIDTH - sum(max(map(len, column)) + 2 for column in zip(*heads, strict=True)))
    rows: list[tuple[str, ...]] = []
    for place, (head, (_, parts)) in enumerate(zip(heads, shown, strict=True)):
        first, *others = _broken(parts, room)
        own = [(*head, first), *(("", "", "", other) for other in others)]
        if most is not None and len(rows) + len(own) + 1 + (place + 1 < len(shown)) > most:
            more = count(len(shown) - place, "more line", "more lines")
            return f"{_table(rows)}\n… and {more}, which -v shows."
        rows += own
    return _table(rows) if rows else ""


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    return bare_table(Table("", ("test", "model", "n", ACCURACY), tuple(rows)), right=("n",))


def _broken(parts: Sequence[str], room: int) -> list[str]:
    """Return the parts on as many lines as they need, broken between them where that is possible."""
    broken = [""]
    for part in parts:
        start = f"{broken[-1]}; " if broken[-1] else ""
        if len(start + part) > room and start:
            broken[-1] += ";"
            broken.append("")
            start = ""
        broken[-1:] = textwrap.wrap(start + part, room, break_long_words=False, break_on_hyphens=False)
    return broken


def attention(summary: Summary) -> Iterator[str]:
    """Yield a line for each thing that a reader must know before the numbers count."""
    named = _Names(summary)
    for sentence in (
        *answered(summary),
        *thinking(summary),
        *without_text(summary),
        *without_prices(summary.costs),
        *doubts(summary.graded),
    ):
        yield f"! {visible(sentence)}"
    for test, subject, kind, share, total in unusable_shares(summary, ("unparseable", "refusal")):
        if share >= MANY:
            nature = "are refusals" if kind == "refusal" else f"are {kind}"
            yield f"! {named.test(test, subject)}: {share:.0%} of {total:,} replies {nature}."
    for cut in summary.truncated:
        yield f"! {named.test(cut.test, cut.subject)}: {_truncated(cut)}"


def accounting(summary: Summary, replays: bool) -> str:
    """Return how many trials were replayed, are live or are not measured, and what the run cost."""
    left_out = summary.errors.get(EARLY_STOP, 0)
    numbers = {
        "live": summary.live,
        "replayed": summary.replayed,
        "left out by early stopping": left_out,
        "not measured": summary.unmeasured - left_out,
    }
    parts = [f"{number:,} {what}" for what, number in numbers.items() if number]
    parts += ["0 requests"] if replays else []
    paid = [cost.live_usd for cost in summary.costs]
    parts.append("cost unknown" if None in paid else usd(sum(cost for cost in paid if cost is not None)))
    return f"{count(_total(summary), 'trial')}: {', '.join(parts)}"


def as_terminal(summary: Summary, replays: bool, verbosity: int, folder: str = "RUN", gated: bool = False) -> str:
    """Return the summary as text for a terminal.

    replays: whether the run could send no request. verbosity: pytest's; above 0 with all tables, below without the
    table of tests. folder: the run's folder, as commands in the text name it. gated: whether a table of bands follows,
    which then stands for the table of tests.
    """
    notes = list(attention(summary))
    if verbosity <= 0 and len(notes) > MOST_NOTES:
        notes[MOST_NOTES - 1 :] = [f"! … and {len(notes) - MOST_NOTES + 1:,} more notes, which -v shows."]
    below = [*notes, accounting(summary, replays), *map(visible, answers(summary) if verbosity >= 0 else ())]
    room = None if verbosity > 0 else max(FEWEST_LINES, MOST_LINES - AROUND - len(below))
    table = [table_of_tests(summary, room)] if verbosity > 0 or (verbosity == 0 and not gated) else []
    parts = [*filter(None, table), *below]
    return "\n".join([*parts, *([f"\n{details_for_terminal(summary, folder)}\n"] if verbosity > 0 else [])])


def _total(summary: Summary) -> int:
    return summary.live + summary.replayed + summary.unmeasured


def _truncated(cut: Truncated) -> str:
    fewest, most = cut.tokens
    where = f"at {most:,} tokens" if fewest == most else f"at {fewest:,} to {most:,} tokens"
    advice = "their window was full: choose smaller sizes" if cut.full else "raise max_tokens"
    return f"{cut.number:,} of {cut.of:,} replies truncated {where}; {advice}."


class _Names:
    """What tests are called in one line: with what tells apart two lines of the same test and model."""

    def __init__(self, summary: Summary) -> None:
        prompts = grouped(summary.cells, lambda cell: cell.test)
        self._several = {test: len({each.subject.prompt_set for each in cells}) > 1 for test, cells in prompts.items()}

    def test(self, test: str, subject: Subject) -> str:
        shape = [] if subject.shape == TEXT else [subject.shape.replace("_", " ")]
        prompts = [subject.prompt_set] if self._several.get(test) else []
        labels = [value if name == STRATEGY else f"{name}={value}" for name, value in subject.labels]
        server = [f"server {subject.server}"] if subject.server else []
        about = ", ".join([*prompts, *shape, *server, *labels])
        name = test if test.startswith("test_") else test.replace("_", " ")
        return f"{name} ({about})" if about else name
