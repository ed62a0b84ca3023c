"""The page of an upgrade in a real browser."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from longctx.engine.upgrade import Candidate, MeasuredTreatment, Treatment, Upgrade, write
from longctx.gate.validity import AgeLimit
from longctx.gate.verdict import Rules, give_verdict
from longctx.results.row import Row, View
from tests.browser import MISSING, SCHEMES, ColorScheme, Tab, installed, launched
from tests.here import HERE
from tests.report.sample import HOSTILE, gated_rows

pytestmark = pytest.mark.skipif(installed() is None, reason=MISSING)
RULES = Rules(age=AgeLimit("2026-11-23T00:00:00+00:00", math.inf))
REPLY = f"A customer said: {HOSTILE}"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with launched(offline=True) as tab:
        yield tab


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of an upgrade with two candidates, of which the second answers as the old model does."""
    before, after = gated_rows()
    old = _measured("old", before)
    lost, same = (_measured(name, rows) for name, rows in (("new", after), ("same", before)))
    judged = [Candidate(new, give_verdict(old.rows, new.rows, RULES)) for new in (lost, same)]
    folder = tmp_path_factory.mktemp("upgrade")
    write(folder, Upgrade(old, tuple(judged)), HERE, 1_000_000)
    return folder / "index.html"


def _measured(name: str, rows: list[Row]) -> MeasuredTreatment:
    views = [View("", reply=REPLY) for _ in rows]
    return MeasuredTreatment(Treatment.of(name), [replace(row, model=name) for row in rows], views)


def test_the_verdict_is_first_and_the_first_screen_holds_no_reply(tab: Tab, page: Path) -> None:
    shown = tab.open(page.as_uri())
    badge = shown.locator(".badge").bounding_box()
    table = shown.locator("table").first
    box = table.bounding_box()
    assert badge is not None
    assert box is not None
    assert badge["y"] < box["y"] < 720
    assert table.locator("tbody th").all_inner_texts() == ["old", "new", "same"]
    heads = table.locator("thead th").all_inner_texts()
    assert {"$ per 1,000", "a month at 1,000,000", "p50 latency", "p95 latency"} <= set(heads)
    assert "customer" not in shown.locator("body").inner_text()
    assert tab.messages == []


def test_accuracy_is_charted_for_each_treatment(tab: Tab, page: Path) -> None:
    opened = tab.open(page.as_uri())
    assert opened.locator("h1").inner_text() == "old → new or same"
    bands = opened.locator(".picture .wide [role=graphics-symbol]")
    assert bands.count() >= 2
    figure = opened.locator("figure:not(.picture)")
    assert figure.count() == 1
    points = figure.locator("[role=graphics-symbol][aria-roledescription=point]")
    names = [(point.get_attribute("aria-label") or "").partition(":")[0] for point in points.all()]
    assert names == ["old", "new", "same"]


def test_candidates_are_distinguished_among_the_trials(tab: Tab, page: Path) -> None:
    shown = tab.open(page.as_uri())
    assert shown.locator("#count").inner_text() == "5 of 80 trials"
    shown.locator("#changes button", has_text="all").click()
    shown.select_option("#filter-model", label="same")
    assert shown.locator("#count").inner_text() == "40 of 80 trials"
    shown.locator("details.trial summary").first.click()
    sides = shown.locator("details.trial .sides > section")
    sides.last.wait_for()
    heads = [side.locator("h3").first.inner_text() for side in sides.all()]
    assert heads == ["Before: correct, old", "After: correct, same"]
    shown.wait_for_function("location.hash.endsWith('/same')")
    assert tab.messages == []
    again = tab.open(shown.url)
    assert again.locator("#count").inner_text() == "1 of 80 trials"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_accessibility_checker_finds_nothing(tab: Tab, page: Path, scheme: ColorScheme) -> None:
    shown = tab.open(page.as_uri(), color_scheme=scheme)
    shown.locator("details.trial summary").first.click()
    shown.locator("details.trial .sides pre").last.wait_for()
    result = Axe().run(shown)
    assert result.violations_count == 0, result.generate_report()


@pytest.mark.parametrize("width", [400, 1280, 1920])
def test_no_width_scrolls_sideways(tab: Tab, page: Path, width: int) -> None:
    shown = tab.open(page.as_uri(), viewport={"width": width, "height": 800})
    shown.locator("details.trial summary").first.click()
    shown.locator("details.trial .sides pre").last.wait_for()
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_on_paper_it_is_as_wide_as_the_page(tab: Tab, page: Path) -> None:
    shown = tab.open(page.as_uri(), viewport={"width": 680, "height": 900})
    shown.emulate_media(media="print")
    assert shown.locator(".badge").is_visible()
    assert shown.evaluate("document.documentElement.scrollWidth") <= 680
