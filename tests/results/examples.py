"""A row of a made-up run."""

from typing import Any

from longctx.results.row import Row

FIELDS = {
    "run": "today",
    "model": "some-model",
    "prompt_set": "seed",
    "prompt_digest": "0123456789ab",
    "family": "line_retrieval",
    "scenario": "lines-5",
    "params": {"lines": 5, "block_size": None},
    "seed": 0,
    "trial": 0,
    "item": None,
    "repeat": 0,
    "outcome": "correct",
}


def row(**fields: Any) -> Row:
    return Row(**FIELDS | fields)
