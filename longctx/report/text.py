"""The summary of a run in full: as text for a terminal, and as Markdown: summary.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from longctx.report.default_views import default_findings, default_views
from longctx.report.document import Document, terminal_table
from longctx.report.first_table import first_table_text
from longctx.report.function_reports import function_reports_of
from longctx.report.judge_sentences import judge_sentences
from longctx.report.markdown import fenced, plain
from longctx.report.markdown_document import as_markdown as document_as_markdown
from longctx.report.markdown_document import markdown_table
from longctx.report.tables import tables
from longctx.results.row import EARLY_STOP
from longctx.summary.costs import Cost, UsageSummary
from longctx.summary.summary import OfTest, Summary, Truncated
from longctx.summary.unusable import MANY, UNUSABLE, unusable_shares
from longctx.text import count, usd, visible
from longctx.vocabulary.report import Rank

UNREADABLE = "unparseable", "refusal"
"""The outcomes that the notes name as soon as they are many; on truncated replies they are more detailed."""
MOST_ROWS = 34
"""The most lines of the first table in summary.md."""
MOST_BYTES = 11_900
"""The bytes of summary.md from which on it leaves tables out, so that it has at most 12 kB: CI shows it whole."""
MOST_NAME = 80
"""The most characters that are shown of a model name from a server."""

PRICES = "([prices] in the model's profile)"
"""Where a user gives prices."""


def details_for_terminal(summary: Summary, folder: str = "RUN") -> str:
    """Return all notes and tables of a summary as text for a terminal.

    folder: the run's folder, as commands in the text name it.
    """
    head = "\n".join(visible(line) for line in _notes(summary, folder))
    return "\n\n".join([head, *map(terminal_table, tables(summary))])


def as_markdown(summary: Summary, run: str, verdict: Document | None = None) -> str:
    """Return summary.md: the verdict of a gate, if any, the tests, what needs attention, and the tables that fit.

    run: the name of the run.
    """
    title = f"# {plain(f'longctx run {run}')}"
    table = ["## Tests", fenced(first_table_text(summary, MOST_ROWS), "text")] if summary.cells else []
    first = [document_as_markdown(verdict)] if verdict else []
    parts = [*first, title, *table, *map(plain, (*answers(summary), *_said_of_run(summary, "RUN")))]
    left_out, room = 0, MOST_BYTES - len("\n\n".join(parts).encode())
    for each in map(markdown_table, tables(summary)):
        if (size := len(each.encode()) + 2) <= room:
            room -= size
            parts.append(each)
        else:
            left_out += 1
    if left_out:
        parts.append(f"{count(left_out, 'more table is', 'more tables are')} on the run's page, index.html.")
    return "\n\n".join(parts) + "\n"


def trials_sentence(summary: Summary) -> str:
    """Return a sentence on how many trials are live, replayed and not measured."""
    total = summary.live + summary.replayed + summary.unmeasured
    parts = [f"{summary.live:,} live ({_share(summary.live, total)})"]
    replayed = f"{summary.replayed:,} replayed ({_share(summary.replayed, total)})"
    if summary.recorded:
        first, last = summary.recorded
        replayed += f", recorded {first}" + (f" to {last}" if last != first else "")
    parts.append(replayed)
    left_out = summary.errors.get(EARLY_STOP, 0)
    if left_out:
        parts.append(f"{left_out:,} left out by looks")
    if summary.unmeasured > left_out:
        parts.append(f"{summary.unmeasured - left_out:,} not measured")
    return f"{count(total, 'trial')}: {'; '.join(parts)}."


def _notes(summary: Summary, folder: str) -> list[str]:
    return [*_said_of_run(summary, folder), *map(_usage, summary.usage)]


def _said_of_run(summary: Summary, folder: str) -> list[str]:
    return [
        trials_sentence(summary),
        *answered(summary),
        *thinking(summary),
        *without_text(summary),
        *judge_sentences(summary.graded),
        *(sentence for _, sentence in unusable(summary, UNREADABLE)),
        *(_truncated(truncated, folder) for truncated in summary.truncated),
        *cost_sentences(summary.costs),
    ]


def answered(summary: Summary) -> Iterator[str]:
    """Yield a sentence for each model that answered instead of the one that was asked for."""
    for other in summary.answered:
        name = other.by if len(other.by) <= MOST_NAME else f"{other.by[:MOST_NAME]}…"
        all_of_them = other.number == other.of > 1
        trials = f"all {other.of:,} trials" if all_of_them else f"{other.number:,} of {count(other.of, 'trial')}"
        yield f"{other.model} was asked for, but the server says that {name} answered {trials}."


def thinking(summary: Summary) -> Iterator[str]:
    """Yield a sentence for each model whose replies contain thinking in their text."""
    for model, (number, of) in summary.thinking.items():
        yield (
            f"{model}: {number:,} of {count(of, 'reply', 'replies')} contain thinking in their text "
            "(<think>…</think>), which is not read as the answer. Let the server return thinking apart, as "
            "llama-server does with --reasoning-format."
        )


def without_text(summary: Summary) -> Iterator[str]:
    """Yield a sentence for each test of which trials passed on an answer without text."""
    for (test, subject), (number, of) in summary.without_text.items():
        yield (
            f"{summary.title(test)}, {subject}: {number:,} of {count(of, 'passing trial')} passed on an answer without "
            "text. Let the test assert what an answer contains, not only what it leaves out."
        )


def cost_sentences(costs: Sequence[Cost]) -> Iterator[str]:
    """Yield a sentence for each model whose answers cost something, or may have: none for a server of your own."""
    for cost in costs:
        parts = []
        if cost.live and cost.live_usd is None:
            parts.append(_unpriced(cost))
        elif cost.live and cost.live_usd:
            parts.append(f"{count(cost.live, 'live answer')} cost {usd(cost.live_usd)}")
        if cost.replayed and cost.replayed_usd:
            parts.append(f"{count(cost.replayed, 'answer')} replayed cost {usd(cost.replayed_usd)} when recorded")
        if parts:
            dated = f", at prices of {cost.dated}" if cost.dated else ""
            yield f"{cost.model}: {'; '.join(parts)}{dated}."


def without_prices(costs: Sequence[Cost]) -> Iterator[str]:
    """Yield a sentence for each model of which the cost of live answers is not known."""
    for cost in costs:
        if cost.live and cost.live_usd is None:
            yield f"{cost.model}: {_unpriced(cost)}."


def _unpriced(cost: Cost) -> str:
    return f"the cost of {count(cost.live, 'live answer')} is not known, since prices are missing {PRICES}"


def _truncated(truncated: Truncated, folder: str) -> str:
    """Return what happened, what to do, and where to see these trials."""
    test, full = truncated.test, truncated.full
    fewest, most = truncated.tokens
    after = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    how = f"after {after} tokens{', with the window full,' if full else ''}"
    room = (
        f"Raise max_tokens in [{test}] of the profile, or thinking_tokens in the model's if it thinks first; "
        "--ctx-record new_episodes then asks that table again."
    )
    advice = "Choose smaller sizes in the profile." if full else room
    return (
        f"{test} on {truncated.subject}: {truncated.number:,} of {truncated.of:,} replies were cut off {how} and "
        f"count as truncated. {advice} See the first with python -m longctx show "
        f"{test}/{truncated.cell}#{truncated.trial} --run {folder}; in results.jsonl all have the outcome "
        "truncated."
    )


def _usage(usage: UsageSummary) -> str:
    cache = ""
    if usage.cached is not None or usage.written:
        written = f", {_share(usage.written, usage.input)} written to the cache" if usage.written else ""
        cache = f" ({_share(usage.cached or 0, usage.input)} cached{written})"
    return f"{usage.test} on {usage.model}: {usage.input:,} input tokens{cache}; {usage.output:,} output tokens."


def _share(part: int, total: int) -> str:
    return f"{part / total:.0%}" if total else "0%"


def findings(summary: Summary) -> list[str]:
    """Return the findings by rank. Within a rank come the first finding of each test, then the second of each, …

    What `attention` tells, and the answers to what a test was run for, are shown apart.
    """
    cut = {(each.test, each.subject) for each in summary.truncated}
    ranked = [
        (rank, 0, sentence)
        for kind in UNUSABLE
        for (rank, sentence), (name, subject, *_) in zip(
            unusable(summary, (kind,)), unusable_shares(summary.cells, (kind,)), strict=True
        )
        if ((name, subject) not in cut if kind == "truncated" else rank == Rank.UNUSABLE)
    ]
    for name, test in summary.tests.items():
        numbers: Counter[Rank] = Counter()
        cells = summary.of(name)
        found = list(test.reporting.findings(cells, test.analysis))
        if not list(test.reporting.views(cells, test.analysis)):
            found += default_findings(default_views(name, test, cells))
            found += [finding for part, of in function_reports_of(test) for finding in part.findings(test.title, of)]
        for rank, sentence in found:
            ranked.append((rank, numbers[rank], sentence))
            numbers[rank] += 1
    return [sentence for *_, sentence in sorted(ranked, key=lambda finding: finding[:2])]


def answer_sentences(test: OfTest) -> list[str]:
    """Return the sentences that answer what a test function was run for."""
    return [sentence for part, found in function_reports_of(test) for sentence in part.answers(found)]


def answers(summary: Summary) -> Iterator[str]:
    """Yield the sentences that answer what test functions were run for."""
    for test in summary.tests.values():
        yield from (f"{test.title}: {sentence}" for sentence in answer_sentences(test))


def unusable(summary: Summary, kinds: Sequence[str] = UNUSABLE) -> Iterator[tuple[Rank, str]]:
    """Yield a sentence, with its rank, on each test and subject of which many replies have one of these outcomes."""
    for name, subject, kind, share, total in unusable_shares(summary.cells, kinds):
        yield (
            Rank.UNUSABLE if share < MANY else Rank.MANY_UNUSABLE,
            f"{summary.title(name)}, {subject}: {share:.0%} of {total:,} replies are {kind}.",
        )
