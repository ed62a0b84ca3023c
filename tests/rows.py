"""Functions that make rows, for tests of what is measured, compared and reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from longctx.results.row import Row
from longctx.vocabulary.point import MEASURED

ASKED = {
    "run": "today",
    "model": "some-model",
    "prompt_set": "protocol",
    "prompt_digest": "0123456789ab",
    "test": "line_retrieval",
    "cell": "lines-5",
    "params": {"lines": 5, "block_size": None},
    "seed": 0,
    "trial": 0,
    "item": None,
    "repeat": 0,
    "outcome": "correct",
}
ANSWERED = {"depth": 0.5, "distance_from_end": 100, "source": "replayed", "recorded_at": "2026-11-21T23:59:59+00:00"}


def bare(**fields: Any) -> Row:
    """Return a row with these fields and the fields that every row has; it holds no answer."""
    return Row(**ASKED | fields)


def row(outcome: str = "correct", **fields: Any) -> Row:
    return bare(**(ANSWERED if outcome in MEASURED else {}) | {"outcome": outcome} | fields)


def passkey(k: int, outcome: str = "correct", **fields: Any) -> Row:
    place = {"test": "passkey", "cell": f"window-400-k-{k}", "params": {"window": 400, "k": k}}
    return row(outcome, **place | {"distance_from_end": k + 7} | fields)


def control(record: str, item: str, outcome: str = "correct", **fields: Any) -> Row:
    """Return a row of a question of the controls."""
    place = {"test": "control", "cell": f"record-{record}", "params": {"record": record}}
    return bare(outcome=outcome, item=f"{item}@0123456789ab", **place, **fields)


def run(*outcomes: str, **fields: Any) -> list[Row]:
    """Return one row for each outcome; the trials are counted from 0."""
    return [row(outcome, trial=trial, **fields) for trial, outcome in enumerate(outcomes)]


def right_of(right: int, n: int) -> list[str]:
    """Return the outcomes of n trials, of which the first ones are right."""
    return ["correct"] * right + ["wrong"] * (n - right)


def traced(*told: tuple[str, dict[str, int]], **fields: Any) -> list[Row]:
    """Return one row for each outcome and its trace."""
    return [row(outcome, trial=trial, trace=trace, **fields) for trial, (outcome, trace) in enumerate(told)]


def lines(number: int, right: int, n: int = 200, block_size: int | None = None, **fields: Any) -> list[Row]:
    """Return n trials of line retrieval, of which the first ones are right."""
    slug = f"lines-{number}" + (f"-block_size-{block_size}" if block_size else "")
    place = {"cell": slug, "params": {"lines": number, "block_size": block_size}, "band": "all"}
    return run(*right_of(right, n), **place | fields)


def joined(*runs: Iterable[Row]) -> list[Row]:
    """Return the rows of all runs in one list."""
    return [row for rows in runs for row in rows]


def digested(rows: Sequence[Row], answers: str | None) -> list[Row]:
    """Return the rows with this digest of their recorded answers."""
    return [replace(row, answers=answers) for row in rows]


def retained(strategy: str, share: float, *outcomes: str, **fields: Any) -> list[Row]:
    """Return one row for each outcome of a test function that asks about a transcript under a strategy."""
    given = {"test": "test_it", "labels": {"strategy": strategy}, "retained": share, "probe": "file"}
    return run(*outcomes, **given | {"strategy_usd": 0.01, "strategy_s": 2.0} | fields)


def filled(fill: int, right: int, n: int, strategy: str = "none", **fields: object) -> list[Row]:
    """Return n probes at a fill, of which the first ones are right."""
    place = {"cell": f"fill-{fill}", "params": {"fill": fill}, "cost_usd": 0.002, "latency_s": 1.5}
    used = {"input_tokens": fill, "cached_tokens": fill // 2}
    return retained(strategy, 1, *right_of(right, n), **place | used | fields)


def retrieved(number: int, right: int, there: int, n: int = 60, usd: float = 0.001) -> list[Row]:
    """Return n questions with so many chunks, of which the first ones are right, and the answer is in the first ones.

    there: in how many the answer is. usd: the price of a chunk.
    """
    place = {"test": "test_it", "cell": f"chunks-{number}", "params": {"chunks": number}, "cost_usd": usd * number}
    return [
        replace(row, trace={"retrieved": int(place < there), "missed": int(right <= place < there)})
        for place, row in enumerate(run(*right_of(right, n), **place))
    ]


def asked(test: str, right: int, of: int, params: Mapping[str, Any], **fields: Any) -> list[Row]:
    """Return the rows of a cell."""
    name = "-".join(f"{key}-{value}" for key, value in params.items())
    return [
        row("correct" if trial < right else "wrong", test=test, cell=name, params=dict(params), trial=trial, **fields)
        for trial in range(of)
    ]
