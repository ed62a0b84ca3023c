"""A tokenizer made up for tests, cells that are fitted to it, and runs of them."""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

from longctx.results.row import Row
from longctx.summary.summary import Summary, summarize
from longctx.vocabulary.point import BuiltTrial, Outcome, Point
from longctx.vocabulary.protocol_cell import ProtocolDraw, TrialNumber
from tests.given import reply, words_of
from tests.protocols import (
    Aggregation,
    Coreference,
    FrequentWords,
    GraphWalks,
    LatestValue,
    MultipleNeedles,
    Passkey,
    VariableTracking,
)
from tests.rows import joined, row

Kind = TypeVar("Kind", bound=Point)

TOKENS_OF: dict[type[Point], dict[str, float]] = {
    Aggregation: {"line": 28.0, "fixed": 200.0},
    Coreference: {"exchange": 98, "fixed": 364},
    FrequentWords: {"dots": 1.0, "word": 3.5, "fixed": 100.0}
    | dict.fromkeys(words_of(FrequentWords)["frequent"].split(), 3.0),
    GraphWalks: {"edge": 15.0},
    LatestValue: {"line": 20.0, "fixed": 90.0},
    MultipleNeedles: {"filler": 24.0, "needle": 20.0, "query": 9.0, "fixed": 90.0},
    Passkey: {"filler": 24, "fixed": 94, "after_key": 15},
    VariableTracking: {"filler": 24.0, "first": 10.0, "hop": 12.0, "fixed": 320.0},
}
"""Round numbers for what `fit` needs, by the kind of cell."""


def count(text: str) -> int:
    """Return the tokens of a text: words of the same length may have different numbers of tokens."""
    return sum(1 + len(word) // 3 + zlib.crc32(word.encode()) % 2 for word in text.split())


@functools.cache
def measured(kind: type[Point], counted: Callable[[str], int] = count) -> dict[str, float]:
    """Return the measurements that `fit` needs. counted: the tokens of a text."""
    return kind.declared.counts.values(
        {name: counted(text) for name, text in kind.declared.counts.probes(words_of(kind)).items()}
    )


def fitted(cell: Kind) -> Kind:
    return cell.fit(measured(type(cell)))


def built(cell: Point, seed: int = 0, index: int = 0) -> BuiltTrial:
    return fitted(cell).build(words_of(type(cell)), seed, index)


def fixtures(cell: Any, seed: int = 0, index: int = 0) -> tuple[ProtocolDraw, TrialNumber]:
    """Return what a protocol takes as `draw` and `trial`."""
    number = TrialNumber(seed, index, 0, *cell.context_of(index))
    return ProtocolDraw(cell, number), number


def judged(cell: Point, trial: BuiltTrial, text: str, stop_reason: str = "end_turn") -> Outcome:
    return trial.judge(reply(text, stop_reason))


def taken(trial: BuiltTrial) -> int:
    """Return the tokens of the longest reply and of the prompt that a model without prefill is sent."""
    return count(trial.user) + count(trial.without_prefill) + trial.max_tokens


def rows(cell: Point, *replies: Callable[[BuiltTrial], str]) -> list[Row]:
    """Return the rows of a cell with one trial for each reply, judged by the cell."""
    judged_rows = []
    for index, answer in enumerate(replies):
        trial = built(cell, index=index)
        outcome = judged(fitted(cell), trial, answer(trial))
        asked = {"test": cell.test, "cell": cell.slug, "params": cell.params, "trial": index}
        judged_rows.append(row(outcome.kind, **asked, trace=outcome.trace, model="m"))
    return judged_rows


def summary(*of_cells: list[Row]) -> Summary:
    return summarize(joined(*of_cells))


def all_of_it(trial: BuiltTrial) -> str:
    return trial.expected


def everything(trial: BuiltTrial) -> str:
    """Return all items of the prompt that could be named."""
    return " ".join(sorted(set(re.findall(r"(?<=VAR )[A-Z]+|(?<=is: )\d+", trial.user))))


def the_first(trial: BuiltTrial) -> str:
    return trial.expected.split()[0]


def nothing(trial: BuiltTrial) -> str:
    return "I cannot say."
