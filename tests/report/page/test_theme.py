"""The colours of page and charts: enough contrast in both themes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from longctx.report import colours as themes

TEXT = ("--ink", "--ink-soft", "--link", "--good", "--bad")
MARKS = ("--mark-needle", "--mark-record", "--mark-nowhere")


def luminance(colour: str) -> float:
    """Return the relative luminance that WCAG 2 defines."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", themes.SERIES)
def test_text_is_readable(name: str) -> None:
    colours = themes.colours(name)
    for ground in ("--paper", "--panel"):
        for text in TEXT:
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for mark in MARKS:
        assert contrast(colours["--ink"], colours[mark]) >= 4.5, mark


@pytest.mark.parametrize("name", themes.SERIES)
def test_series_stand_out_from_the_paper(name: str) -> None:
    colours = themes.colours(name)
    for number in range(1, 9):
        assert contrast(colours[f"--series-{number}"], colours["--paper"]) >= 3, number


@pytest.mark.parametrize("name", themes.SERIES)
def test_numbers_in_a_heatmap_are_readable(name: str) -> None:
    colours = themes.colours(name)
    for step in range(10):
        assert contrast(colours["--ink"], colours[f"--heat-{step}"]) >= 4.5, step


def test_both_themes_and_all_that_is_used_are_defined() -> None:
    assert themes.colours("light").keys() == themes.colours("dark").keys()
    room = Path(themes.__file__).parents[1]
    used = {name for path in room.rglob("*.*") for name in re.findall(r"var\((--[\w-]+)\)", _text(path))}
    assert used <= themes.colours("light").keys() | {"--x"}
    assert used


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.suffix in (".py", ".css", ".js", ".html") else ""
