"""What the terminal shows of a run at the usual verbosity: a line for each test, and what needs attention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from longctx.live.cost.money import usd
from longctx.report.document import bare_table
from longctx.report.judges import doubts
from longctx.report.text import (
    MANY,
    answered,
    answers,
    thinking,
    unusable_shares,
    verbose,
    without_prices,
    without_text,
)
from longctx.results.row import EARLY_STOP, Subject, grouped
from longctx.stats.rates import pooled
from longctx.summary.summary import Summary, Truncated
from longctx.text import count, visible
from longctx.views.answers import CellSummary
from longctx.views.chart import Table
from longctx.vocabulary.cell import is_check
from longctx.vocabulary.shapes import STRATEGY, TEXT

MOST_TESTS = 24
"""The most lines of tests."""


def run_line(summary: Summary, profile: str, mode: str) -> str:
    """Return the line above the tests: the profile, what the run may send, its trials and when they were recorded."""
    trials = count(_total(summary), "trial")
    recorded = ""
    if summary.recorded:
        first, last = summary.recorded
        same_year = first[:5] == last[:5]
        recorded = f" ({first})" if first == last else f" ({first} to {last[5:] if same_year else last})"
    return f"longctx: {profile} · {mode} · {trials}{recorded}"


def table_of_tests(summary: Summary) -> str:
    """Return a line for each test and model: accuracy, its 95% interval, the number of trials, and a remark."""
    named = _Names(summary)
    lines = grouped(
        (cell for cell in summary.cells if not is_check(cell.test)),
        lambda cell: (cell.test, _without_strategy(cell.subject)),
    )
    remarks = _remarks(summary)
    rows = [
        {
            "test": named.test(test, subject, len({cell.subject for cell in group})),
            "model": subject.model,
            **_numbers(group),
            "": "; ".join(_line_remarks(remarks, test, group)),
        }
        for (test, subject), group in lines.items()
    ]
    shown = bare_table(Table.from_rows("", rows[:MOST_TESTS]), right=("accuracy", "n")) if rows else ""
    more = len(rows) - MOST_TESTS
    return f"{shown}\n… and {count(more, 'more line', 'more lines')}, which -v shows." if more > 0 else shown


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
    table = [table_of_tests(summary)] if verbosity > 0 or (verbosity == 0 and not gated) else []
    parts = [*filter(None, table), *attention(summary), accounting(summary, replays)]
    parts += map(visible, answers(summary) if verbosity >= 0 else ())
    return "\n".join([*parts, *([f"\n{verbose(summary, folder)}\n"] if verbosity > 0 else [])])


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

    def test(self, test: str, subject: Subject, strategies: int = 1) -> str:
        shape = [] if subject.shape == TEXT else [subject.shape.replace("_", " ")]
        prompts = [subject.prompt_set] if self._several.get(test) else []
        labels = [value if name == STRATEGY else f"{name}={value}" for name, value in subject.labels]
        strategy = [f"{strategies} strategies"] if strategies > 1 else []
        about = ", ".join([*prompts, *shape, *labels, *strategy])
        name = test if test.startswith("test_") else test.replace("_", " ")
        return f"{name} ({about})" if about else name


def _without_strategy(subject: Subject) -> Subject:
    return replace(subject, labels=tuple(label for label in subject.labels if label[0] != STRATEGY))


def _numbers(group: Sequence[CellSummary]) -> dict[str, str]:
    measured = [cell.rate for cell in group if cell.rate.n]
    if not measured:
        return {"accuracy": "-", "95% interval": "-", "n": "0"}
    rate = pooled(measured)
    return {"accuracy": f"{rate.rate:.2f}", "95% interval": f"[{rate.lo:.2f}, {rate.hi:.2f}]", "n": f"{rate.n:,}"}


def _remarks(summary: Summary) -> Mapping[tuple[str, Subject], list[str]]:
    """Return by test and subject what to know of its accuracy."""
    remarks: dict[tuple[str, Subject], list[str]] = {}
    for cut in summary.truncated:
        share = "" if cut.number == cut.of else f"{cut.number / cut.of:.0%} "
        remarks.setdefault((cut.test, cut.subject), []).append(f"{share}truncated")
    for test, subject, kind, unusable, _ in unusable_shares(summary, ("unparseable", "refusal")):
        remarks.setdefault((test, subject), []).append(f"{unusable:.0%} {'refused' if kind == 'refusal' else kind}")
    return remarks


def _line_remarks(
    remarks: Mapping[tuple[str, Subject], list[str]], test: str, group: Sequence[CellSummary]
) -> Iterator[str]:
    subjects = grouped(group, lambda cell: cell.subject)
    missing = sum(number for each in group for kind, number in each.outcomes.items() if kind in NOT_MEASURED)
    if missing:
        yield f"{missing:,} not measured"
    yield from dict.fromkeys(remark for subject in subjects for remark in remarks.get((test, subject), []))
    if len(subjects) > 1:
        rates = [
            pooled(each.rate for each in cells) for cells in subjects.values() if any(each.rate.n for each in cells)
        ]
        if rates:
            yield f"{min(rate.rate for rate in rates):.2f} to {max(rate.rate for rate in rates):.2f} by strategy"


NOT_MEASURED = ("infra_error", "not_asked")
"""The outcomes that no rate counts."""
