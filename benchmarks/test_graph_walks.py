"""A graph walk of 100,000 tokens, with its answer and its prompt's digest.

Aim: at most 5 ms on the machine of the README. Beside it, as a measure that other machines share, a file of line
retrieval of about as many characters.
"""

import hashlib

import pytest

from longctx.config.prompts import PromptSet
from longctx.vocabulary.point import Point, Templates
from tests.here import HERE
from tests.protocols import GraphWalks, LineRetrieval

TOKENS = {"edge": 14.27}
"""The tokens of one edge in the reference vocabulary."""
CONTEXT = 100_000


def built(cell: Point, words: Templates) -> str:
    return hashlib.sha256(cell.build(words, seed=0, index=0).user.encode()).hexdigest()


@pytest.mark.benchmark(group="100,000 tokens with their digest")
@pytest.mark.parametrize(
    "cell",
    [
        GraphWalks(CONTEXT, "parents", tokens=TOKENS),
        GraphWalks(CONTEXT, "bfs", 3, tokens=TOKENS),
        LineRetrieval(4700),
    ],
    ids=["parents", "bfs to depth 3", "line retrieval of as many characters"],
)
def test_build(benchmark, cell):
    benchmark(built, cell, PromptSet.open(HERE, "protocol").wording(type(cell)).templates)
