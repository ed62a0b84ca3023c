"""What the terminal shows of a run at the usual verbosity: a line for each test, and what needs attention."""

from __future__ import annotations

from collections.abc import Iterator

from longctx.report.first_table import Names, first_table_text
from longctx.report.judge_sentences import doubts
from longctx.report.text import (
    answered,
    answers,
    details_for_terminal,
    thinking,
    without_prices,
    without_text,
)
from longctx.results.row import EARLY_STOP
from longctx.summary.summary import Summary, Truncated
from longctx.summary.unusable import MANY, unusable_shares
from longctx.text import count, usd, visible

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


def attention(summary: Summary) -> Iterator[str]:
    """Yield a line for each thing that a reader must know before the numbers count."""
    named = Names(summary)
    for sentence in (
        *answered(summary),
        *thinking(summary),
        *without_text(summary),
        *without_prices(summary.costs),
        *doubts(summary.graded),
    ):
        yield f"! {visible(sentence)}"
    for test, subject, kind, share, total in unusable_shares(summary.cells, ("unparseable", "refusal")):
        if share >= MANY:
            nature = "are refusals" if kind == "refusal" else f"are {kind}"
            yield f"! {named.of(test, subject)}: {share:.0%} of {total:,} replies {nature}."
    for cut in summary.truncated:
        yield f"! {named.of(cut.test, cut.subject)}: {_truncated(cut)}"


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
    table = [first_table_text(summary, room)] if verbosity > 0 or (verbosity == 0 and not gated) else []
    parts = [*filter(None, table), *below]
    return "\n".join([*parts, *([f"\n{details_for_terminal(summary, folder)}\n"] if verbosity > 0 else [])])


def _total(summary: Summary) -> int:
    return summary.live + summary.replayed + summary.unmeasured


def _truncated(cut: Truncated) -> str:
    fewest, most = cut.tokens
    where = f"at {most:,} tokens" if fewest == most else f"at {fewest:,} to {most:,} tokens"
    advice = "their window was full: choose smaller sizes" if cut.full else "raise max_tokens"
    return f"{cut.number:,} of {cut.of:,} replies truncated {where}; {advice}."
