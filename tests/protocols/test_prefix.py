"""The prefix of a trial is known without building it."""

from __future__ import annotations

import pytest

from longctx.protocols.abstention import SECTIONS
from longctx.protocols.collage import VARIANTS
from longctx.protocols.control import RECORDS
from longctx.vocabulary.point import Point
from tests.given import words_of
from tests.protocols import (
    Abstention,
    Aggregation,
    Collage,
    Control,
    Coreference,
    GraphWalks,
    LatestValue,
    LineRetrieval,
    Passkey,
)
from tests.protocols.bank import small_bank

BANK = small_bank()
LINES = {"line": 28.0, "fixed": 200.0}
CELLS: list[Point] = [
    LineRetrieval(20),
    Coreference(2, 4096, tokens={"exchange": 98.35, "fixed": 364}),
    GraphWalks(2000, "bfs", 1, tokens={"edge": 10.0}),
    *(Passkey(400, k, tokens={"filler": 10, "fixed": 60, "after_key": 30}) for k in (100, 400)),
    *(Collage(280, 200, depth, variant, bank=lambda: BANK) for depth in (0, 100) for variant in VARIANTS),
    *(Control(200, record, bank=lambda: BANK) for record in RECORDS),
    *(Abstention(280, 200, 50, section, bank=lambda: BANK) for section in SECTIONS),
    LatestValue(1000, 2, "now", tokens=LINES),
    Aggregation(2000, 8, "count", tokens=LINES),
]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.test}-{cell.slug}")
def test_it_is_that_of_the_trial(cell: Point) -> None:
    words = words_of(type(cell))
    for seed, index in ((0, 0), (0, 3), (5, 1)):
        assert (cell.prefix(words, seed, index) or "") == cell.build(words, seed, index).prefix
