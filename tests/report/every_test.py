"""A made-up run of nine tests at large sizes, for tests of the page's layout. No model was asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from longctx.results.row import Row
from tests.report.sample import VARIANTS, made_row

Trace = dict[str, int]
MODEL = "a-model-with-a-long-name-2026-11-21"


def cells() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield test, cell and parameters, in the sizes of the profiles of large models."""
    for lines in (500, 2000, 6500):
        for size in (None, 1, 100, 1000):
            name = f"lines-{lines}" + (f"-block_size-{size}" if size else "")
            yield "line_retrieval", name, {"lines": lines, "block_size": size}
    for k in range(4096, 32769, 4096):
        yield "passkey", f"window-32768-k-{k}", {"window": 32768, "k": k}
    for depth in (0, 50, 100):
        for variant in VARIANTS:
            params = {"budget": 95000, "longest": 4000, "depth": depth, "variant": variant}
            yield "collage", f"budget-95000-longest-4000-depth-{depth}-variant-{variant}", params
    for record in ("right", "wrong", "none"):
        yield "control", f"longest-4000-record-{record}", {"longest": 4000, "record": record}
    for window in (8000, 64000, 1000000):
        for needles in (2, 8):
            yield "coreference", f"needles-{needles}-window-{window}", {"needles": needles, "window": window}
        tracking = {"window": window, "chains": 2, "hops": 4}
        yield "variable_tracking", f"window-{window}-chains-2-hops-4", tracking
        for keys, queries, values in ((1, 1, 4), (8, 4, 1)):
            asked = {"window": window, "keys": keys, "queries": queries, "values": values}
            yield "multiple_needles", f"window-{window}-keys-{keys}-queries-{queries}-values-{values}", asked
        yield "frequent_words", f"window-{window}-alpha_percent-200", {"window": window, "alpha_percent": 200}
        for operation, depth in (("parents", None), ("bfs", 2)):
            walk = {"context": window, "operation": operation, "depth": depth}
            yield "graph_walks", f"context-{window}-operation-{operation}" + (f"-depth-{depth}" if depth else ""), walk


def rows(trials: int = 15) -> Iterator[Row]:
    """Yield rows of all tests. One of five trials is wrong, but in the largest sizes only one of five is right."""
    for test, cell, params in cells():
        size = params.get("lines") or params.get("window") or params.get("context") or 0
        largest = size in (6500, 1000000)
        for trial in range(trials):
            kind = ("correct" if trial % 5 == 4 else "wrong") if largest else ("wrong" if trial % 5 == 1 else "correct")
            if test == "frequent_words" and trial % 2:
                kind = "unparseable"
            row = made_row(test, cell, params, trial, kind, MODEL, "1234")
            yield replace(row, trace=_trace(test, params, trial, kind), input_tokens=size or 95000)


def _trace(test: str, params: Mapping[str, Any], trial: int, kind: str) -> Trace:
    right = kind == "correct"
    if kind == "unparseable":
        return {}
    if test == "line_retrieval" and not right:
        distance = (-1) ** trial * 2 ** (trial + len(str(params["block_size"])))
        return {"line": 2, "line_distance": distance, "place_distance": -3 * distance}
    if test == "coreference":
        asked = 1 + trial % params["needles"]
        given = asked if right else 1 + (trial + 1) % params["needles"]
        return {"asked": asked, "score": 1000 if right else 300, "given": given, **({"exact": 1} if right else {})}
    if test == "graph_walks":
        thirds = {"asked_beginning": 2, "asked_middle": 2, "asked_end": 2, "right_beginning": 2, "right_middle": 1}
        whole = {"asked": 6, "given": 6, "right": 6, **thirds, "right_middle": 2, "right_end": 2}
        return whole if right else {"asked": 6, "given": 6, "right": 3, **thirds, "right_end": 0, "nearer": 3}
    if test in ("variable_tracking", "multiple_needles", "frequent_words"):
        number = {"variable_tracking": 5, "multiple_needles": 4, "frequent_words": 3}[test]
        named = number if right else number - 2
        items = {f"{'named' if n <= named else 'missed'}_{n}": (n * 17 + trial * 7) % 100 for n in range(1, number + 1)}
        besides = {} if right else {"of_another_key": 2}
        return {"asked": number, "matched": named, **items, **besides}
    return {}
