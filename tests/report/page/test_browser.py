"""The page in a real browser: from disk, without the network."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ViewportSize

from longctx.report.document import Document, as_html
from longctx.report.page.page import ChangedTrials, changes_page
from longctx.views.chart import Table
from tests.browser import SCHEMES, ColorScheme, Tab, needs_browser
from tests.report import every_test
from tests.report.sample import write_rows
from tools.site.repository import REPORT, ROOT

pytestmark = needs_browser

PHONE: ViewportSize = {"width": 400, "height": 800}

TRIALS = 98
"""The number of trials of the sample run; 26 of them are not correct."""

PADDED = "budget-3000-longest-600-depth-0-variant-none_scratchpad"

MARKS = """charts => charts.map(chart => {
    const drawn = [...chart.querySelectorAll("[role=img][aria-label]")].map(mark => mark.getBoundingClientRect());
    return drawn.filter(box => box.width > 1 && box.height > 1).length;
})"""
"""A script that counts the marks of each chart."""

REFERENCE = ROOT / REPORT
"""The page of the recorded suite."""
HEIGHTS = """figures => figures.map(figure =>
    [figure.querySelector("figcaption").innerText, Math.round(figure.getBoundingClientRect().height)])"""
WIDER = """figures => figures.filter(figure => figure.scrollWidth > figure.clientWidth)
    .map(figure => figure.querySelector("figcaption").innerText)"""


@pytest.fixture(scope="module")
def nine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a run of all tests at large sizes."""
    return write_rows(tmp_path_factory.mktemp("nine"), list(every_test.rows()), every_test.MODEL)


def test_it_opens_without_a_word_or_a_request(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri())
    page.locator("details.trial summary").first.click()
    page.wait_for_selector("details.trial pre")
    assert tab.messages == []


def test_charts_are_drawn(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri())
    drawn = page.eval_on_selector_all(".test .figures figure svg", MARKS)
    assert len(drawn) == 11
    assert all(marks >= 1 for marks in drawn), drawn


def test_every_figure_of_the_reference_report_fits_on_a_screen(tab: Tab) -> None:
    """Of the recorded suite's page: a figure with its title, legend and axes; on a phone nothing is cut at the side."""
    assert REFERENCE.stat().st_size <= 900_000
    page = tab.open(REFERENCE.as_uri())
    figures = page.eval_on_selector_all("figure", HEIGHTS)
    assert len(figures) > 50
    assert [(title, height) for title, height in figures if not 0 < height <= 720] == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    assert page.eval_on_selector_all("figure", WIDER) == []


def test_a_mark_says_its_rate_interval_and_n(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri())
    say = "5 lines, ordered: 0.75 [0.30, 0.95] n=4"
    page.locator(f"figure svg [aria-label='{say}']").first.hover()
    assert page.locator("#tip").inner_text() == say
    page.locator("h1").hover()
    assert page.locator("#tip").is_hidden()


def test_every_chart_has_its_numbers(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri())
    for figure in page.locator("figure:not(.picture)").all():
        figure.locator("summary").click()
        assert figure.locator("td").first.is_visible()


def test_filters_filter(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri())
    assert page.locator("#count").inner_text() == f"26 of {TRIALS} trials"
    assert page.locator("details.trial").count() == 26
    page.select_option("#filter-outcome", label="truncated")
    assert page.locator("details.trial .outcome").all_inner_texts() == ["truncated"]
    page.select_option("#filter-outcome", label="all")
    page.select_option("#filter-test", label="Passkey")
    assert page.locator("#count").inner_text() == f"14 of {TRIALS} trials"
    page.select_option("#filter-cell", label="window-4096-k-1024")
    assert page.locator("details.trial").count() == 4
    page.select_option("#filter-test", label="Line retrieval")
    assert page.locator("#count").inner_text() == f"0 of {TRIALS} trials"


def test_a_long_list_comes_in_parts(tab: Tab, nine: Path) -> None:
    page = tab.open(nine.as_uri())
    page.select_option("#filter-outcome", label="correct")
    page.select_option("#filter-test", label="Long-context QA")
    assert page.locator("details.trial").count() == 100
    page.get_by_role("button", name="Show 44 more").click()
    assert page.locator("details.trial").count() == 144
    assert page.locator("#more").is_hidden()


def test_a_trial_opens(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri())
    page.select_option("#filter-cell", label=PADDED)
    trial = page.locator("details.trial")
    trial.locator("summary").click()
    trial.locator("pre").first.wait_for()
    assert [
        (mark.inner_text(), mark.get_attribute("class")) for mark in trial.locator("pre").first.locator("mark").all()
    ] == [
        ("one two three four", "needle"),
        ("five six seven 1234", "nowhere"),
    ]
    text = trial.inner_text()
    assert "needle (line 3 of the prompt)" in text
    assert f"pytest 'tests_longctx/test_collage.py::test[{PADDED}]' --ctx-only=1" in text


def test_a_trial_opens_by_keyboard(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri())
    page.locator("#download-json").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("details.trial[open] pre")
    assert page.locator("details.trial").first.get_attribute("open") is not None


def test_hostile_text_does_nothing_and_is_seen(tab: Tab, hostile: Path) -> None:
    page = tab.open(hostile.as_uri())
    for trial in page.locator("details.trial").all()[::6]:
        trial.locator("> summary").click()
        trial.locator("pre").first.wait_for()
    assert tab.messages == []
    assert page.title() == "longctx made-up"
    assert page.locator("img").count() == page.locator("a[href^=javascript]").count() == 0
    reply = page.locator("details.trial pre").first.inner_text()
    assert all(part in reply for part in ("<script>", "\\u001b", "\\u202e", "\\u200b", "\\ud800"))
    assert "{{ 7 * 7 }}" in page.locator("h1").inner_text()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_accessibility_checker_finds_nothing(tab: Tab, report: Path, scheme: ColorScheme) -> None:
    page = tab.open(report.as_uri(), color_scheme=scheme)
    page.select_option("#filter-cell", label=PADDED)
    page.locator("details.trial summary").click()
    page.locator("details.trial pre").first.wait_for()
    page.locator("figure summary").first.click()
    result = Axe().run(page)
    assert result.violations_count == 0, result.generate_report()


def test_it_follows_the_reader_s_theme(tab: Tab, report: Path) -> None:
    grounds = {
        tab.open(report.as_uri(), color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in SCHEMES
    }
    assert len(grounds) == 2


def test_a_phone_does_not_scroll_sideways(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri(), viewport={"width": 360, "height": 640})
    page.locator("details.trial summary").first.click()
    page.wait_for_selector("details.trial pre")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_right_answer_is_marked_among_the_four_and_nothing_occurs_twice(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri())
    page.select_option("#filter-cell", label=PADDED)
    trial = page.locator("details.trial").first
    trial.locator("summary").click()
    asked = trial.locator("pre").nth(2)
    asked.wait_for()
    marks = [(mark.inner_text().strip(), mark.get_attribute("class")) for mark in asked.locator("mark").all()]
    assert marks == [("What? 1234", "record"), ("A. 1234", "record"), ("B. so", "needle"), ("C. no", "nowhere")]
    assert asked.locator(".says").all_inner_texts() == ["question", "right answer", "answer given"]
    assert "question, answers (line 9 of the prompt)" in trial.inner_text()


def test_a_phone_shows_the_rate_of_every_test(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri(), viewport=PHONE)
    for cell in page.locator(".run > .scroll tbody tr td:nth-child(2)").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 400


CUT = """boxes => boxes.filter(box => !box.closest("details:not([open])") && box.scrollWidth > box.clientWidth)
    .map(box => getComputedStyle(box).backgroundImage.split("linear-gradient").length - 1)"""
"""A script that counts the shadows and covers of each box that shows only a part of its content."""


def test_what_is_cut_on_a_phone_has_a_cue(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri(), viewport=PHONE)
    page.eval_on_selector_all("details.numbers", "all => all.forEach(numbers => { numbers.open = true; })")
    cues = page.eval_on_selector_all(".scroll, .chart", CUT)
    assert len(cues) > 10
    assert set(cues) == {4}


def test_a_comparison_on_a_phone_has_a_cue_too(tab: Tab, tmp_path: Path) -> None:
    columns = {"cell": ["lines-5"], **{f"column {n}": ["0.29 [0.26, 0.33] n=720"] for n in range(5)}}
    path = tmp_path / "page.html"
    path.write_text(as_html(Document("B against A", (), (Table.from_columns("Rates", columns),))))
    page = tab.open(path.as_uri(), viewport=PHONE, ready="table")
    assert page.eval_on_selector_all(".table", CUT) == [4]


def test_no_column_is_cut_on_a_screen(tab: Tab, nine: Path) -> None:
    page = tab.open(nine.as_uri())
    for width in (1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.eval_on_selector_all(".scroll, .chart, nav ul", CUT) == [], width


OVERLAPS = """charts => charts.flatMap(chart => {
    const boxes = [...chart.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
    return boxes.flatMap(([name, box], place) => boxes.slice(place + 1)
        .filter(([_, other]) => box.left < other.right && other.left < box.right
            && box.top + 3 < other.bottom && other.top + 3 < box.bottom)
        .map(([other]) => `${name} over ${other}`));
})"""


OUTSIDE = """charts => charts.flatMap(chart => {
    const frame = chart.getBoundingClientRect();
    return [...chart.querySelectorAll("text")]
        .filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < frame.left - 1 || box.right > frame.right + 1;
        }).map(text => text.textContent);
})"""


def test_texts_of_a_chart_do_not_run_into_one_another(tab: Tab, nine: Path) -> None:
    page = tab.open(nine.as_uri())
    assert page.eval_on_selector_all("figure svg", OVERLAPS) == []
    assert page.eval_on_selector_all("figure svg", OUTSIDE) == []


AT_THE_TOP = "() => document.querySelector('nav [aria-current]')?.textContent === 'Top'"
LED_TO = """([link, heading]) => link.ariaCurrent === "true" &&
    heading.closest("details").open && heading.getBoundingClientRect().top < 400"""
"""Scripts that say when the contents have followed a scroll. They move as the page does, so that a click may miss."""


def test_the_contents_stay_in_view_and_lead_to_every_test(tab: Tab, nine: Path) -> None:
    page = tab.open(nine.as_uri())
    headings = page.locator("section:not([aria-labelledby=curves]) h2")
    menu = page.locator("nav details.menu")
    menu.evaluate("menu => { menu.open = true; }")
    links = page.locator("nav a")
    assert links.all_inner_texts() == ["Top", *headings.all_inner_texts()]
    assert links.count() == 1 + 9 + 3
    to_tests = page.locator(".run > h2 > a, .run > .scroll tbody a").all()
    assert len({link.get_attribute("href") for link in to_tests}) == 9
    for width in (400, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("scrollTo(0, 0)")
        page.eval_on_selector_all("section details.fold", "all => all.forEach(fold => { fold.open = false; })")
        page.wait_for_function(AT_THE_TOP)
        for name in ("Graph walks", "Passkey"):
            menu.evaluate("menu => { menu.open = true; }")
            link = links.get_by_text(name)
            link.press("Enter")
            heading = page.locator("section h2").get_by_text(name)
            page.wait_for_function(LED_TO, arg=[link.element_handle(), heading.element_handle()])
            bar = page.get_by_role("navigation").bounding_box()
            box = heading.bounding_box()
            assert bar is not None
            assert box is not None
            assert 0 <= bar["y"] <= box["y"] < 400
            assert width > 1600 or bar["y"] + bar["height"] <= box["y"]


def test_five_findings_stand_out_and_the_rest_is_folded(tab: Tab, nine: Path) -> None:
    page = tab.open(nine.as_uri())
    shown = [finding for finding in page.locator("#findings ~ ul > li").all() if finding.is_visible()]
    rest = page.locator("#findings ~ details.fold li")
    assert len(shown) == 5
    assert not rest.first.is_visible()
    page.get_by_text("more findings").click()
    assert rest.first.is_visible()


def test_on_paper_what_is_folded_is_left_out_and_all_is_light(tab: Tab, nine: Path) -> None:
    page = tab.open(nine.as_uri(), color_scheme="dark", viewport={"width": 680, "height": 900})
    page.eval_on_selector_all(".test > details", "all => all.forEach(fold => { fold.open = false; })")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#explorer").is_hidden()
    assert page.locator(".picture svg").first.is_visible()
    assert len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4"))) <= 8
    assert page.get_by_role("navigation").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 680


def test_a_table_is_sorted_by_a_click_or_a_key(tab: Tab, report: Path) -> None:
    page = tab.open(report.as_uri())
    table = page.locator("main .run > .scroll table").last
    heads, first = table.locator("thead th"), table.locator("tbody th")
    before = first.all_inner_texts()
    assert table.locator("[aria-sort]").count() == 0
    heads.last.get_by_role("button").click()
    numbers = [int(text.replace(",", "")) for text in table.locator("tbody td:last-child").all_inner_texts()]
    assert numbers == sorted(numbers)
    assert heads.last.get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Enter")
    assert heads.last.get_attribute("aria-sort") == "descending"
    shown = [int(text.replace(",", "")) for text in table.locator("tbody td:last-child").all_inner_texts()]
    assert shown == numbers[::-1]
    heads.first.get_by_role("button").focus()
    page.keyboard.press("Space")
    assert first.all_inner_texts() == sorted(before)
    assert [head.get_attribute("aria-sort") for head in heads.all()].count(None) == heads.count() - 1


def test_columns_of_sentences_are_not_sorted(tab: Tab, tmp_path: Path) -> None:
    sentence = "It names the value of another line, which is one line above the right one."
    columns = {"trial": ["a", "b"], "why": [sentence, "cut"], "n": ["2", "1"]}
    page = tmp_path / "page.html"
    document = Document("Changes", (), (Table.from_columns("Cells", columns),))
    page.write_text(changes_page(document, ChangedTrials([], [], {}), {}), encoding="utf-8")
    heads = tab.open(page.as_uri()).locator("thead th")
    assert [head.get_by_role("button").count() for head in heads.all()] == [1, 0, 1]


def test_numbers_are_sorted_as_numbers_and_what_is_empty_is_last(tab: Tab, tmp_path: Path) -> None:
    cells = ["-", "1,024", "+0.05 [-0.01, 0.11]", "\u22120.5", "12%", "$3.00", "b2", "b10"]
    table = Table.from_columns("Cells", {"row": [str(place) for place in range(len(cells))], "cell": cells})
    page = tmp_path / "page.html"
    page.write_text(changes_page(Document("Changes", (), (table,)), ChangedTrials([], [], {}), {}), encoding="utf-8")
    opened = tab.open(page.as_uri())
    head, shown = opened.locator("thead th").nth(1), opened.locator("tbody td")
    head.get_by_role("button").click()
    numbers = ["\u22120.5", "+0.05 [-0.01, 0.11]", "$3.00", "12%", "1,024"]
    assert shown.all_inner_texts() == [*numbers, "b2", "b10", "-"]
    head.get_by_role("button").click()
    assert shown.all_inner_texts() == ["b10", "b2", *numbers[::-1], "-"]
