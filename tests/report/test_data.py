"""A run as data: summary.json is valid JSON, and the names of its numbers say what they mean."""

import json
from dataclasses import replace
from typing import Any

from longctx.report.page.contents import sections
from longctx.report.run_folder import SCHEMA, as_json
from longctx.summary.summary import Summary, summarize
from tests.rows import joined, lines


def strict(text: str) -> dict[str, Any]:
    """Read JSON that holds no NaN or Infinity, which Python's reader would accept."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    document: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return document


def test_a_run_is_named_with_its_schema(summary: Summary) -> None:
    text = as_json(summary, "today")
    assert text.endswith("}\n")
    document = strict(text)
    assert (document["schema"], document["run"]) == (SCHEMA, "today")
    assert document["trials"] == {"live": 1, "replayed": 59, "unmeasured": 10}
    assert document["errors"] == {"missing": 10}


def test_a_cell_has_its_rate_and_place(summary: Summary) -> None:
    first = strict(as_json(summary, "today"))["cells"][0]
    assert (round(first.pop("lo"), 4), round(first.pop("hi"), 4)) == (0.1078, 0.6032)
    assert first == {
        "test": "line_retrieval",
        "model": "some-model",
        "prompt_set": "protocol",
        "labels": {},
        "cell": "lines-5",
        "params": {"lines": 5, "block_size": None},
        "correct": 3,
        "n": 10,
        "rate": 0.3,
        "outcomes": {"correct": 3, "wrong": 7},
        "lexical": None,
        "depth": 0.5,
        "distance_from_end": 40,
    }


def test_a_cell_that_was_not_measured_has_no_rate(summary: Summary) -> None:
    unmeasured = replace(summary.cells[1], depth=None, distance_from_end=None)
    [cell] = strict(as_json(replace(summary, cells=(unmeasured,)), "today"))["cells"]
    assert (cell["n"], cell["rate"], cell["lo"], cell["hi"]) == (0, None, 0, 1)
    assert (cell["depth"], cell["distance_from_end"]) == (None, None)


def test_cells_are_in_the_summarys_order(summary: Summary) -> None:
    slugs = [cell["cell"] for cell in strict(as_json(summary, "today"))["cells"]]
    assert slugs == [cell.cell for cell in summary.cells]


def test_a_window_has_its_bounds(summary: Summary) -> None:
    assert strict(as_json(summary, "today"))["passkey"] == [
        {
            "model": "some-model",
            "prompt_set": "protocol",
            "labels": {},
            "window": 4096,
            "k_max": 2048,
            "k_max_lo": 2048,
            "k_max_hi": 4096,
            "distance_at_k_max": 2048,
            "at_least": None,
            "less_than": None,
        }
    ]


def test_a_run_of_nothing_is_valid(empty: Summary) -> None:
    document = strict(as_json(empty, "today"))
    assert (document["cells"], document["passkey"], document["errors"]) == ([], [], {})


def test_causes_may_hold_any_text(summary: Summary) -> None:
    cause = '</script>\n"\ud800\u2028'
    assert strict(as_json(replace(summary, errors={cause: 1}), "today"))["errors"] == {cause: 1}


def test_a_test_with_lengths_has_its_effective_length() -> None:
    summary = summarize(joined(*(lines(number, right, 100) for number, right in ((5, 95), (10, 94), (20, 20)))))
    [found] = strict(as_json(summary, "today"))["effective_lengths"]
    assert (found["test"], found["parameter"], found["share"], found["shortest"]) == (
        "line_retrieval", "lines", 0.85, 5
    )  # fmt: skip
    assert (found["effective"], found["observed"], found["at_most"]) == (10, 10, 10)
    [section, _] = sections(summary, [])
    [table] = [table for table in section.tables if table.title.startswith("Effective length")]
    assert table.rows[0][-1] == "[10, 10]"
    guessed = strict(as_json(summarize(joined(lines(5, 0, 100), lines(10, 0, 100))), "today"))["effective_lengths"]
    assert [each["effective"] for each in guessed] == [None]
    assert strict(as_json(summarize(lines(5, 95, 100)), "today"))["effective_lengths"] == []
