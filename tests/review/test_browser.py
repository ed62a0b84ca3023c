"""The page of a review in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from longctx.corpus.documents import Corpus
from longctx.corpus.questions import load_questions
from longctx.review.http import ReviewServer
from tests.browser import MISSING, SCHEMES, ColorScheme, Tab, installed, launched
from tests.corpus.examples import question, section
from tests.review.examples import BEN, service, serving, write

pytestmark = pytest.mark.skipif(installed() is None, reason=MISSING)

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\x1b[31m\u200b{{ 7 * 7 }}"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with launched() as tab:
        yield tab


def press(page: Page, key: str, then: str, at: str = "#question-id") -> None:
    """Press a key, and wait until the element `at` shows the text `then`."""
    page.keyboard.press(key)
    page.locator(at, has_text=then).wait_for()


def states(path: Path) -> dict[str, str]:
    return {
        question.id: question.reviewed.decision if question.reviewed else "undecided"
        for question in load_questions(path).questions
    }


def test_section_and_question_are_side_by_side(tab: Tab, server: ReviewServer) -> None:
    page = tab.open(server.url)
    press(page, "n", "q2")
    marks = [(mark.inner_text(), mark.get_attribute("class")) for mark in page.locator("#record mark").all()]
    assert marks == [("northern quay", "wrong"), ("Ellery Dredging", "right")]
    assert page.locator("#findings").inner_text() == "wrong answer: 'The northern quay' is in harbor too"
    assert page.locator("#answers li.right p").first.inner_text() == "Ellery Dredging"
    assert tab.messages == []


def test_keys_keep_drop_and_undo(tab: Tab, server: ReviewServer, path: Path) -> None:
    page = tab.open(server.url)
    press(page, "k", "q2")
    press(page, "d", "q3")
    assert states(path) == {"q1": "kept", "q3": "undecided"}
    assert page.locator("#counts").inner_text() == "2 of 3 decided: 1 kept, 0 edited, 1 dropped; 0 with findings"
    press(page, "ArrowLeft", "q2")
    assert page.locator("#state").inner_text() == "dropped by Ann on 2026-11-22"
    press(page, "u", "undecided", "#state")
    assert states(path) == {"q1": "kept", "q2": "undecided", "q3": "undecided"}


def test_an_edit_is_there_after_a_reload(tab: Tab, server: ReviewServer, path: Path) -> None:
    page = tab.open(server.url)
    page.keyboard.press("e")
    page.locator("#edit-question").fill("Where must\nships kdq moor?")
    page.get_by_label("Answer 2", exact=True).fill("At the pier")
    page.get_by_label("Answer 2 is right").check()
    press(page, "Control+Enter", "edited by Ann", "#state")
    after = load_questions(path).questions[0]
    assert (after.question, after.right) == ("Where must ships kdq moor?", "At the pier")
    assert after.wrong == ("At the northern quay", "In the outer harbor", "Off the swing bridge")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#question-id").inner_text() == "q1"
    assert page.locator("#state").inner_text() == "edited by Ann on 2026-11-22"
    assert "is not in harbor" in page.locator("#findings").inner_text()


def test_an_edit_may_be_cancelled_and_a_bad_one_says_why(tab: Tab, server: ReviewServer, path: Path) -> None:
    page = tab.open(server.url)
    page.keyboard.press("e")
    page.locator("#edit-question").fill(" ")
    press(page, "Control+Enter", "[bad-question]", "#says")
    page.keyboard.press("Escape")
    assert page.locator("#question").is_visible()
    assert states(path)["q1"] == "undecided"


def test_filters_filter(tab: Tab, server: ReviewServer) -> None:
    page = tab.open(server.url)
    page.select_option("#filter", "with findings")
    page.locator("#question-id", has_text="q2").wait_for()
    assert page.locator("#position").inner_text() == "1 of 1"
    page.select_option("#filter", "undecided")
    page.locator("#position", has_text="2 of 3").wait_for()
    page.locator("h1").click()
    press(page, "k", "q3")
    assert page.locator("#position").inner_text() == "2 of 2"
    page.select_option("#filter", "dropped")
    page.locator("#says", has_text="No question is dropped.").wait_for()


def test_help_and_letters_that_are_no_keys(tab: Tab, server: ReviewServer, path: Path) -> None:
    page = tab.open(server.url)
    press(page, "?", "keep the question", "#keys")
    page.locator("#letters").uncheck()
    page.keyboard.press("Escape")
    page.locator("#keys").wait_for(state="hidden")
    page.keyboard.press("k")
    press(page, "ArrowRight", "q2")
    assert states(path)["q1"] == "undecided"


def test_a_second_reviewer_is_noticed(tab: Tab, server: ReviewServer, path: Path) -> None:
    page = tab.open(server.url)
    service(path, BEN).decide({"id": "q3", "decision": "drop"})
    press(page, "k", "[questions-changed-meanwhile]", "#says")
    assert states(path) == {"q1": "undecided", "q2": "undecided"}
    page.reload()
    page.wait_for_selector("html[data-ready]")
    press(page, "k", "q2")
    assert states(path)["q1"] == "kept"


def test_the_page_ends_the_review(tab: Tab, server: ReviewServer) -> None:
    page = tab.open(server.url)
    press(page, "q", "The review has ended.", "h1")


def test_hostile_text_does_nothing_and_is_seen(tab: Tab, tmp_path: Path) -> None:
    documents = Corpus(HOSTILE, "words", (section("harbor", f"{HOSTILE}\n" * 3), section("bridge", "x" * 100_000)))
    asked = question(
        question=HOSTILE, right=HOSTILE + "1", wrong=("x" * 100_000, "日本語", "]]><!--"), provenance=HOSTILE
    )
    path = write(tmp_path, asked, question("q2", section="bridge"))
    with serving(service(path, documents=documents)) as server:
        page = tab.open(server.url, viewport={"width": 360, "height": 640})
        assert page.locator("img, #review script, #review a").count() == 0
        for place in ("#record", "#question", "#answers"):
            seen = page.locator(place).inner_text()
            assert all(part in seen for part in ("<script>", "\\u202e", "\\x1b", "\\u200b", "{{ 7 * 7 }}")), place
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        press(page, "k", "q2")
        page.keyboard.press("ArrowLeft")
        page.locator("#question-id", has_text="q1").wait_for()
        page.keyboard.press("e")
        assert page.locator("#edit-question").input_value() == HOSTILE
        press(page, "Control+Enter", "kept by Ann", "#state")
    assert tab.messages == []
    assert load_questions(path).questions[0].answers == asked.answers


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_accessibility_checker_finds_nothing(tab: Tab, server: ReviewServer, scheme: ColorScheme) -> None:
    page = tab.open(server.url, color_scheme=scheme)
    press(page, "n", "q2")
    for keys in ((), ("e",), ("Escape", "?")):
        for key in keys:
            page.keyboard.press(key)
        result = Axe().run(page)
        assert result.violations_count == 0, result.generate_report()
