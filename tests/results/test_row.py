"""A row as a line of JSON."""

import dataclasses
import json

import pytest

from longctx.results.row import Row
from tests.rows import bare

ROW = bare(trial=3, outcome="wrong", returned='ü "quoted"\nand more', trace={"line": 2})


def test_a_row_is_one_line_with_every_field() -> None:
    text = ROW.to_json()
    assert "\n" not in text
    kept = json.loads(text)
    assert set(kept) == {field.name for field in dataclasses.fields(Row)} - {"answers"}
    assert Row.of(kept) == ROW


def test_what_was_never_known_is_null() -> None:
    written = json.loads(ROW.to_json())
    assert (written["error"], written["depth"], written["params"]["block_size"]) == (None, None, None)


@pytest.mark.parametrize(
    ("test", "version", "item", "name"),
    [
        ("line_retrieval", 1, None, "3"),
        ("collage", 1, "q7@0123456789ab", "3"),
        ("collage", 2, "q7@0123456789ab", "q7"),
        ("collage", 2, "q@7@0123456789ab", "q@7"),
        ("test_review", 1, "contract-1@home", "contract-1@home"),
        ("test_review", 1, None, "3"),
    ],
)
def test_what_a_trial_is_called(test: str, version: int, item: str | None, name: str) -> None:
    assert dataclasses.replace(ROW, test=test, version=version, item=item).name == name
