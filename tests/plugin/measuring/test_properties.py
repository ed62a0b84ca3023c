"""The results of a cell in the report of its test."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from longctx.plugin.measuring import CellResult, results_of
from longctx.stats.rates import Rate
from tests.recording.examples import line_cell
from tests.rows import bare

ROW = bare(model="toy", input_tokens=10, output_tokens=2)
WRONG = dataclasses.replace(ROW, outcome="wrong")
NOT_ASKED = dataclasses.replace(ROW, outcome="not_asked", input_tokens=None, output_tokens=None)


def told(*results: CellResult, others: tuple[tuple[str, object], ...] = ()) -> Any:
    """Return an object with user properties, like an item or a report."""
    item: Any = SimpleNamespace(user_properties=[])
    for result in results:
        result.attach(item)
    item.user_properties += others
    return item


def test_what_was_not_measured_is_in_no_rate() -> None:
    measured = CellResult.of(line_cell(), [ROW, ROW, WRONG, NOT_ASKED], minimum=0.5)
    assert measured == CellResult("line_retrieval", "lines-5", "toy", "protocol", Rate(2, 3), 36, 0.5)


def test_what_is_told_is_read() -> None:
    first = CellResult.of(line_cell(), [ROW, WRONG], minimum=0.5)
    second = CellResult.of(line_cell(3), [NOT_ASKED], minimum=None)
    assert list(results_of(told(first, second))) == [first, second]


def test_the_rate_is_beside_its_interval() -> None:
    properties = dict(
        told(
            CellResult.of(line_cell(), [ROW, replace(ROW, trial=7), replace(WRONG, trial=8)], minimum=None)
        ).user_properties
    )
    assert properties["rate"] == pytest.approx(2 / 3, abs=1e-6)
    assert (properties["lo"], properties["hi"]) == (0.20766, 0.938508)
    assert {"n": 3, "correct": 2, "tokens": 36}.items() <= properties.items()
    assert "minimum" not in properties


def test_without_a_trial_there_is_no_rate() -> None:
    properties = dict(told(CellResult.of(line_cell(), [NOT_ASKED], minimum=None)).user_properties)
    assert not {"rate", "lo", "hi"} & properties.keys()
    assert properties["n"] == 0


@pytest.mark.parametrize("others", [(("n", "many"),), (("test", "mine"), ("n", 3))])
def test_a_tests_own_properties_are_left_alone(others: tuple[tuple[str, object], ...]) -> None:
    result = CellResult.of(line_cell(), [ROW], minimum=None)
    assert list(results_of(told(others=others))) == []
    assert list(results_of(told(result, others=others))) == [result]
