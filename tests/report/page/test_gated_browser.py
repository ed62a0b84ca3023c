"""The page of a gated run in a real browser: groups of answers, both replies, addresses of trials, downloads."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from longctx.cli import main
from tests.browser import SCHEMES, ColorScheme, Tab, needs_browser
from tests.report.by_depth import at
from tests.report.sample import GROUPS, HOSTILE, write_gated
from tests.run_folders import finished

pytestmark = needs_browser


def downloaded(page: Page, button: str) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_a_badge_and_one_sentence_say_what_broke(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri())
    lead = page.locator(".lead")
    assert lead.locator(".badge").inner_text() == "invalid"
    assert "1 of 40 trials were not measured" in page.locator("section.verdict").inner_text()
    box = lead.bounding_box()
    assert box is not None
    assert box["y"] < 720


def test_lost_answers_are_on_the_first_screen_as_text(tab: Tab, tmp_path: Path) -> None:
    page = tab.open(write_gated(tmp_path, text=f"{HOSTILE.replace('{', '(').replace('}', ')')} {{}}").as_uri())
    lost = page.locator(".lost")
    assert lost.locator("tbody tr").count() == 5
    assert lost.locator("tbody tr").first.locator("th, td").all_inner_texts()[1:4] == ["12345", "12345", "54321"]
    box = lost.locator("tbody tr").first.bounding_box()
    assert box is not None
    assert box["y"] < 720
    assert page.title() != "owned"
    assert tab.messages == []
    lost.locator("tbody a").first.click()
    expect(page.locator("#count")).to_have_text("1 of 40 trials")


def test_on_a_phone_the_new_answer_is_on_screen(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri(), viewport={"width": 400, "height": 720})
    row = page.locator(".lost tbody tr").first
    assert page.locator(".lost thead button").count() == 0, "texts of models are not sorted"
    for name in ("baseline", "this run"):
        box = row.locator(f'td[data-name="{name}"]').bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 400
    box = row.bounding_box()
    assert box is not None
    assert box["height"] < 360
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    assert Axe().run(page).violations_count == 0


def test_groups_have_counts_and_filter(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri())
    buttons = page.locator("#changes button")
    counts = [f"{name} {number}" for name, number in GROUPS.items()]
    assert buttons.all_inner_texts() == ["all 40", *counts, "not compared 1"]
    expect(page.locator("#count")).to_have_text("5 of 40 trials")
    for name, number in GROUPS.items():
        page.get_by_role("button", name=f"{name} {number}", exact=True).click()
        expect(page.locator("#count")).to_have_text(f"{number} of 40 trials")
        assert set(page.locator("details.trial .change").all_inner_texts()) == {name}
        assert page.locator("#changes [aria-pressed=true]").inner_text() == f"{name} {number}"


def test_checks_are_no_trials(tab: Tab, tmp_path: Path) -> None:
    page = tab.open(write_gated(tmp_path, check="cites").as_uri())
    assert page.locator("#changes button").all_inner_texts()[:2] == ["all 40", "lost 5"]
    expect(page.locator("#count")).to_have_text("5 of 40 trials, 5 of 40 checks")
    assert "5 answers were lost" in page.locator("section.verdict").inner_text()


def test_text_filters_by_both_replies(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri())
    page.get_by_role("button", name="all 40").click()
    page.fill("#filter-text", "the VALUE is 54321")
    expect(page.locator("#count")).to_have_text("12 of 40 trials")
    page.fill("#filter-text", "nowhere in any reply")
    expect(page.locator("#count")).to_have_text("0 of 40 trials")
    page.fill("#filter-text", "")
    expect(page.locator("#count")).to_have_text("40 of 40 trials")


def test_both_replies_are_side_by_side_with_the_needle_marked(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri())
    page.locator("details.trial summary").first.click()
    sides = page.locator("details.trial .sides > section")
    sides.last.wait_for()
    assert [side.locator("h3").first.inner_text() for side in sides.all()] == [
        "Before: correct, model-a, prompts protocol",
        "After: wrong, model-b, prompts protocol",
    ]
    marks = [
        [(mark.inner_text(), mark.get_attribute("class")) for mark in side.locator("mark").all()]
        for side in sides.all()
    ]
    assert marks == [[("12345", "needle")], [("54321", "nowhere")]]
    first, second = (side.bounding_box() for side in sides.all())
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]
    assert first["x"] < second["x"]
    page.set_viewport_size({"width": 400, "height": 800})
    first, second = (side.bounding_box() for side in sides.all())
    assert first is not None
    assert second is not None
    assert first["x"] == second["x"]


def test_an_address_names_a_trial(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri())
    page.locator("details.trial summary").nth(2).click()
    page.wait_for_url(re.compile("#trial=line_retrieval/lines-5/2$"))
    link = page.get_by_role("link", name="Link to this trial")
    link.wait_for()
    assert link.get_attribute("href") == "#trial=line_retrieval/lines-5/2"
    page = tab.open(f"{gated.as_uri()}#trial=line%5Fretrieval%2Flines-5/7")  # as a chat may pass it on
    page.locator("details.trial .sides").wait_for()
    expect(page.locator("#count")).to_have_text("1 of 40 trials")
    assert "lines-5#7" in page.locator("details.trial summary").inner_text()
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("#count")).to_have_text("5 of 40 trials")


@pytest.mark.parametrize("address", ["trial=", "trial=no/such/9", "trial=%", "trials=%E0%A4%A/x", "trials=a", "<b>=1"])
def test_a_foreign_address_shows_the_page(tab: Tab, gated: Path, address: str) -> None:
    page = tab.open(f"{gated.as_uri()}#{address}")
    expect(page.locator("#count")).to_have_text("5 of 40 trials")
    assert tab.messages == []


def test_a_cell_that_moved_leads_to_its_trials(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri())
    link = page.locator("section.verdict tbody a").first
    assert link.inner_text() == "line_retrieval/lines-5"
    link.click()
    expect(page.locator("#count")).to_have_text("40 of 40 trials")
    box = page.locator("#explorer").bounding_box()
    assert box is not None
    assert -1 <= box["y"] < 720


def test_what_is_shown_can_be_downloaded(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri())
    rows = list(csv.DictReader(downloaded(page, "Download CSV").splitlines()))
    assert [row["id"] for row in rows] == [f"line_retrieval/lines-5/{trial}" for trial in range(5)]
    assert {(row["change"], row["outcome_before"], row["reply"]) for row in rows} == {
        ("lost", "correct", "The value is 54321.")
    }
    page.get_by_role("button", name="gained 3").click()
    records = json.loads(downloaded(page, "Download JSON"))
    assert [(record["change"], record["reply_before"]) for record in records] == [("gained", "The value is 54321.")] * 3


def test_a_downloaded_reply_is_no_formula(tab: Tab, tmp_path: Path) -> None:
    page = tab.open(write_gated(tmp_path, text="=HYPERLINK(1) {}").as_uri())
    rows = list(csv.DictReader(downloaded(page, "Download CSV").splitlines()))
    assert {row["reply"] for row in rows} == {"'=HYPERLINK(1) 54321"}


def test_hostile_replies_do_nothing(tab: Tab, tmp_path: Path) -> None:
    page = tab.open(write_gated(tmp_path, text=HOSTILE.replace("{", "{{").replace("}", "}}") + " {}").as_uri())
    page.locator("details.trial summary").first.click()
    page.locator("details.trial .sides pre").last.wait_for()
    assert tab.messages == []
    assert page.locator("img").count() == 0
    assert page.title() == "INVALID · longctx after"


def test_the_page_of_two_files_begins_as_that_of_a_gated_run(tab: Tab, judged: Path) -> None:
    page = tab.open(judged.as_uri())
    assert page.locator(".lead .badge").inner_text() == "regression"
    bands = page.locator(".first table.bands")
    assert bands.locator("thead th").all_inner_texts() == ["before", "after", "change, points", "lost / gained"]
    assert "60 / 0 of 100" in bands.inner_text()
    example = page.locator(".lost tbody tr").nth(2)
    box = example.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 720
    expect(page.locator("#count")).to_have_text("60 of 100 trials")
    example.locator("a").click()
    expect(page.locator("#count")).to_have_text("1 of 100 trials")
    sides = page.locator("details.trial .sides > section")
    sides.last.wait_for()
    assert [side.locator("h3").first.inner_text() for side in sides.all()] == [
        "Before: correct, imported",
        "After: wrong, imported",
    ]
    assert tab.messages == []


@pytest.mark.parametrize("width", [400, 1280])
def test_heat_maps_before_and_after_fit_one_screen(tab: Tab, tmp_path: Path, width: int) -> None:
    files = [tmp_path / "old", tmp_path / "new"]
    for file, wrong in zip(files, (None, 0.5), strict=True):
        finished(file, [*at(3), *at(10, wrong), *at(40, wrong)], "a reply")
    assert main(["gate", *map(str, files), f"--out={tmp_path / 'gate.html'}"]) == 10
    page = tab.open((tmp_path / "gate.html").as_uri(), viewport={"width": width, "height": 720})
    maps = page.locator(".maps figure")
    titles = maps.locator("figcaption").all_inner_texts()
    assert [title.split(",")[0] for title in titles] == ["Accuracy before", "Accuracy after"]
    box = page.locator(".maps").bounding_box()
    assert box is not None
    assert box["height"] <= 720
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.messages == []


@pytest.fixture(params=["gated", "upgraded", "judged"])
def either(request: pytest.FixtureRequest) -> Path:
    page: Path = request.getfixturevalue(request.param)
    return page


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_accessibility_checker_finds_nothing(tab: Tab, either: Path, scheme: ColorScheme) -> None:
    page = tab.open(either.as_uri(), color_scheme=scheme)
    page.locator("details.trial summary").first.click()
    page.locator("details.trial .sides pre").last.wait_for()
    result = Axe().run(page)
    assert result.violations_count == 0, result.generate_report()


def test_a_keyboard_reaches_groups_and_trials(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri())
    page.locator("#changes button").nth(1).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text("3 of 40 trials")
    page.locator("#download-json").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("details.trial[open] .sides")


@pytest.mark.parametrize("width", [400, 800, 1280, 1920])
def test_no_width_scrolls_sideways(tab: Tab, either: Path, width: int) -> None:
    page = tab.open(either.as_uri(), viewport={"width": width, "height": 800})
    page.locator("details.trial summary").first.click()
    page.locator("details.trial .sides pre").last.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_paper_the_verdict_and_its_evidence_are_printed(tab: Tab, gated: Path) -> None:
    page = tab.open(gated.as_uri(), viewport={"width": 680, "height": 900})
    page.emulate_media(media="print")
    assert page.locator("#explorer").is_hidden()
    assert page.locator(".lost table").is_visible()
    assert page.locator(".badge").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
