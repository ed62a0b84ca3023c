"""Effective windows by what the runs were labelled: the shape of the paper's Table 4."""

from __future__ import annotations

from longctx.protocols.reports.passkey_report import EffectiveWindow, PasskeySummary, effective_windows
from longctx.results.row import Subject


def window(k_max: int, model: str = "7B", size: int = 8192, **labels: str) -> PasskeySummary:
    subject = Subject.of(model, "protocol", labels)
    return PasskeySummary(subject, size, EffectiveWindow(k_max, None, None), (k_max, k_max), size, None)


def by_labels(*windows: PasskeySummary) -> list[list[str]]:
    """Return the rows of the table by labels, its head first, or an empty list if there is no such table."""
    tables = list(effective_windows(windows))[1:]
    return [
        row
        for table in tables
        for row in [list(table.frame.reset_index()), *table.frame.reset_index().to_numpy().tolist()]
    ]


def test_the_label_with_the_most_values_is_across() -> None:
    made = by_labels(
        window(1792, method="FT", steps="200"),
        window(2560, method="FT", steps="10000"),
        window(2048, method="FT", steps="400"),
        window(1792, model="33B", method="FT", steps="200"),
        window(16384, size=16384, method="PI", steps="400"),
    )
    assert made == [
        ["model", "prompts", "method", "window", "steps=200", "steps=400", "steps=10000"],
        ["7B", "protocol", "FT", "8192", "1,792 [1,792, 1,792]", "2,048 [2,048, 2,048]", "2,560 [2,560, 2,560]"],
        ["33B", "protocol", "FT", "8192", "1,792 [1,792, 1,792]", "", ""],
        ["7B", "protocol", "PI", "16384", "", "16,384 [16,384, 16,384]", ""],
    ]


def test_of_labels_with_as_many_values_numbers_are_across() -> None:
    made = by_labels(window(1, method="FT", steps="200"), window(2, method="PI", steps="400"))
    assert made[0] == ["model", "prompts", "method", "window", "steps=200", "steps=400"]


def test_a_run_without_the_label_has_a_column_of_its_own() -> None:
    made = by_labels(window(1), window(2, steps="200"), window(3, steps="400"))
    assert made == [
        ["model", "prompts", "window", "-", "steps=200", "steps=400"],
        ["7B", "protocol", "8192", "1 [1, 1]", "2 [2, 2]", "3 [3, 3]"],
    ]


def test_where_no_label_varies_there_is_no_such_table() -> None:
    assert by_labels(window(1), window(2, size=16384)) == []
    assert by_labels(window(1, steps="200"), window(2, model="33B", steps="200")) == []
