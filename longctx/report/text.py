"""A run's summary as text: for the terminal, and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from longctx.report.cost import sentences
from longctx.report.document import Document
from longctx.report.document import as_markdown as document_as_markdown
from longctx.report.render import markdown_table, plain, terminal_table
from longctx.report.tables import tables
from longctx.summary.summary import Summary, UsageSummary
from longctx.summary.truncated import Truncated
from longctx.visible import visible

MOST_NAME = 80
"""Characters of the name of a model that a server gives."""


def as_terminal(summary: Summary, folder: str = "RUN") -> str:
    """folder: of the run, as commands are given it."""
    head = "\n".join(visible(line) for line in _usages(summary, folder))
    return "\n\n".join([head, *map(terminal_table, tables(summary))])


def as_markdown(summary: Summary, run: str, verdict: Document | None = None) -> str:
    """verdict: of a gate, which stands first."""
    head = [plain(f"# longctx run {run}"), *map(plain, _usages(summary, "RUN"))]
    first = [document_as_markdown(verdict)] if verdict else []
    return "\n\n".join([*first, *head, *map(markdown_table, tables(summary))]) + "\n"


def headline(summary: Summary) -> str:
    """Live, replayed and unmeasured trials in a sentence."""
    total = summary.live + summary.replayed + summary.unmeasured
    parts = [f"{summary.live:,} live ({_share(summary.live, total)})"]
    replayed = f"{summary.replayed:,} replayed ({_share(summary.replayed, total)})"
    if summary.recorded:
        first, last = summary.recorded
        replayed += f", recorded {first}" + (f" to {last}" if last != first else "")
    parts.append(replayed)
    if summary.unmeasured:
        parts.append(f"{summary.unmeasured:,} not measured")
    return f"{_trials(total)}: {'; '.join(parts)}."


def _usages(summary: Summary, folder: str) -> list[str]:
    return [
        headline(summary),
        *answered(summary),
        *(_truncated(one, folder) for one in summary.truncated),
        *(_usage(one) for one in summary.usage),
        *sentences(summary.costs),
    ]


def answered(summary: Summary) -> Iterator[str]:
    """A sentence for each model that answered instead of the one that was asked for."""
    for one in summary.answered:
        by = one.by if len(one.by) <= MOST_NAME else f"{one.by[:MOST_NAME]}…"
        count = f"all {one.of:,} trials" if one.number == one.of > 1 else f"{one.number:,} of {_trials(one.of)}"
        yield f"{one.model} was asked for, but the server says that {by} answered {count}."


def _truncated(one: Truncated, folder: str) -> str:
    """What happened, what to do, and where these trials are."""
    fewest, most = one.tokens
    after = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    how = f"after {after} tokens{', with the window full,' if one.full else ''}"
    room = (
        f"Raise max_tokens in [{one.family}] of the profile, or thinking_tokens in the model's if it thinks first; "
        "--ctx-record new_episodes then asks that table anew."
    )
    advice = "Choose smaller sizes in the profile." if one.full else room
    return (
        f"{one.family} on {one.subject}: {one.number:,} of {one.of:,} replies were cut off {how} and count as "
        f"truncated. {advice} See the first with python -m longctx show {one.family}/{one.scenario}#{one.trial} --run "
        f"{folder}; in results.jsonl all have the outcome truncated."
    )


def _usage(one: UsageSummary) -> str:
    cache = ""
    if one.cached is not None or one.written:
        cache = f", {_share(one.cached or 0, one.input)} of them read from the server's cache"
    if one.written:
        cache += f" and {_share(one.written, one.input)} written to it"
    return f"{one.family} on {one.model}: {one.input:,} input tokens{cache}; {one.output:,} output tokens."


def _trials(number: int) -> str:
    return f"{number:,} {'trial' if number == 1 else 'trials'}"


def _share(part: int, total: int) -> str:
    return f"{part / total:.0%}" if total else "0%"
