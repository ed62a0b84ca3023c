"""The main findings of a run: sentences for a reader with one minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from longctx.report.default_views import default_findings, default_views
from longctx.report.tests import chunks_sentences, retention_findings, window_sentences
from longctx.results.subject import Subject
from longctx.summary.by_test import by_test_and_subject
from longctx.summary.summary import OfTest, Summary
from longctx.vocabulary.report import Rank

UNUSABLE = ("unparseable", "truncated", "refusal")
NOTABLE = 0.05
"""The share of a test's replies from which unusable ones are worth a sentence."""
MANY = 0.25
"""The share from which the rates measure the format of the replies rather than what the model found."""


def findings(summary: Summary) -> list[str]:
    """Return the findings by rank. Within a rank come the first finding of each test, then the second of each, …"""
    ranked = [(rank, 0, sentence) for rank, sentence in (*_unmeasured(summary), *unusable(summary))]
    for name, test in summary.tests.items():
        of_rank: Counter[Rank] = Counter()
        cells = summary.of(name)
        found = [(Rank.LEVEL, f"{test.title}: {sentence}") for sentence in _answers(test)]
        found += test.reporting.findings(cells, test.analysis)
        if not list(test.reporting.views(cells, test.analysis)):
            found += default_findings(default_views(name, test, cells))
            found += retention_findings(test.title, test.retention)
        for rank, sentence in found:
            ranked.append((rank, of_rank[rank], sentence))
            of_rank[rank] += 1
    return [sentence for *_, sentence in sorted(ranked, key=lambda finding: finding[:2])]


def _answers(test: OfTest) -> list[str]:
    """Return the sentences that answer what a test function was run for."""
    return [*window_sentences(test.windows), *chunks_sentences(test.retrievals)]


def answers(summary: Summary) -> Iterator[str]:
    """Yield the sentences that answer what test functions were run for."""
    for test in summary.tests.values():
        yield from (f"{test.title}: {sentence}" for sentence in _answers(test))


def _unmeasured(summary: Summary) -> Iterator[tuple[Rank, str]]:
    if summary.unmeasured:
        total = summary.live + summary.replayed + summary.unmeasured
        causes = ", ".join(f"{count:,} {cause}" for cause, count in summary.errors.items())
        yield (
            Rank.UNMEASURED,
            f"{summary.unmeasured:,} of {total:,} trials were not measured ({causes}): they count in no rate.",
        )


def unusable(summary: Summary, kinds: Sequence[str] = UNUSABLE) -> Iterator[tuple[Rank, str]]:
    """Yield a sentence, with its rank, on each test and subject of which many replies have one of these outcomes."""
    for name, subject, kind, share, total in unusable_shares(summary, kinds):
        yield (
            Rank.UNUSABLE if share < MANY else Rank.MANY_UNUSABLE,
            f"{summary.title(name)}, {subject}: {share:.0%} of {total:,} replies are {kind}.",
        )


def unusable_shares(summary: Summary, kinds: Sequence[str]) -> Iterator[tuple[str, Subject, str, float, int]]:
    """Yield each test and subject with many replies of one of these outcomes: the share, and of how many."""
    for (name, subject), group in by_test_and_subject(summary.cells).items():
        total = sum(cell.rate.n for cell in group)
        for kind in kinds:
            count = sum(cell.outcomes.get(kind, 0) for cell in group)
            if total and count / total >= NOTABLE:
                yield name, subject, kind, count / total, total
