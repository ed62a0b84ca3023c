"""The page of an upgrade in a real browser."""

from __future__ import annotations

from pathlib import Path

from tests.browser import Tab, needs_browser

pytestmark = needs_browser


def test_the_verdict_the_candidates_and_the_bands_of_the_best_are_on_the_first_screen(tab: Tab, upgraded: Path) -> None:
    shown = tab.open(upgraded.as_uri())
    candidates, bands = (shown.locator(".first table").nth(place) for place in (0, 1))
    places = [each.bounding_box() for each in (shown.locator(".badge"), candidates, bands)]
    tops = [box["y"] for box in places if box]
    assert tops == sorted(tops)
    assert len(tops) == 3
    assert tops[-1] < 720
    assert candidates.locator("tbody th").all_inner_texts() == ["old", "new", "same"]
    heads = candidates.locator("thead th").all_inner_texts()
    assert {"accuracy", "$ per 1,000", "a month at 1,000,000", "median latency", "verdict"} <= set(heads)
    assert bands.locator("thead th").all_inner_texts()[:2] == ["now", "new"]
    assert tab.messages == []


def test_a_regression_shows_lost_answers_that_lead_to_their_trials(tab: Tab, worse: Path) -> None:
    shown = tab.open(worse.as_uri())
    lost = shown.locator("section.lost")
    assert "12345 54321" in " ".join(lost.locator("tbody tr").first.inner_text().split())
    lost.locator("a").first.click()
    shown.locator("details.trial[open]").wait_for()
    assert tab.messages == []


def test_accuracy_is_charted_for_each_treatment(tab: Tab, upgraded: Path) -> None:
    opened = tab.open(upgraded.as_uri())
    assert opened.locator("h1").inner_text() == "old → new or same"
    bands = opened.locator(".picture .wide [role=img]")
    assert bands.count() >= 2
    figure = opened.locator("figure:not(.picture)")
    assert figure.count() == 1
    points = figure.locator("path[role=img]")
    names = [(point.get_attribute("aria-label") or "").partition(":")[0] for point in points.all()]
    assert names == ["old", "new", "same"]


def test_candidates_are_distinguished_among_the_trials(tab: Tab, upgraded: Path) -> None:
    shown = tab.open(upgraded.as_uri())
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


def test_on_paper_it_is_as_wide_as_the_page(tab: Tab, upgraded: Path) -> None:
    shown = tab.open(upgraded.as_uri(), viewport={"width": 680, "height": 900})
    shown.emulate_media(media="print")
    assert shown.locator(".badge").is_visible()
    assert shown.evaluate("document.documentElement.scrollWidth") <= 680
