"""Fixtures of the summaries of small runs, for reports."""

from dataclasses import replace

import pytest

from longctx.results.row import Subject
from longctx.stats.rates import Rate
from longctx.summary.summary import Summary, summarize
from longctx.views.answers import CellSummary
from tests.summaries import answers_to, made

SUBJECT = Subject("some-model", "protocol")


def line_retrieval(lines: int, block_size: int | None, rate: Rate) -> CellSummary:
    params = {"lines": lines, "block_size": block_size}
    slug = f"lines-{lines}" + (f"-block_size-{block_size}" if block_size else "")
    outcomes = {"correct": rate.correct, "wrong": rate.n - rate.correct}
    return CellSummary("line_retrieval", SUBJECT, slug, params, rate, outcomes, 0.5, 40)


def passkey(k: int, rate: Rate) -> CellSummary:
    params = {"window": 4096, "k": k, "fillers_before": 3}
    return CellSummary("passkey", SUBJECT, f"window-4096-k-{k}", params, rate, {}, 0.5, k)


@pytest.fixture
def empty() -> Summary:
    """Return the summary of a run without rows."""
    return summarize([])


@pytest.fixture
def summary(empty: Summary) -> Summary:
    """Return the summary of a run of two tests, with one cell that was not measured."""
    measured = replace(
        empty,
        live=1,
        replayed=59,
        unmeasured=10,
        recorded=("2026-11-20", "2026-11-21"),
        errors={"missing": 10},
    )
    passkeys = passkey(4096, Rate(1, 10)), passkey(512, Rate(9, 10)), passkey(2048, Rate(10, 10))
    return made(
        measured,
        cells=(
            line_retrieval(5, None, Rate(3, 10)),
            line_retrieval(5, 1, Rate(0, 0)),
            line_retrieval(10, None, Rate(1, 10)),
            line_retrieval(10, 2, Rate(0, 10)),
            *passkeys,
        ),
        passkey=answers_to(*passkeys),
    )
