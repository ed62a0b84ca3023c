"""index.html, in every run's folder, unless the environment turns it off."""

from __future__ import annotations

from tests.browser import launched, needs_browser
from tests.integration.conftest import LINES, NO_TEXT, PASSKEY, RECORD_ONLY, Checkout
from tests.servers import SimulatedServer, failing, saying


@needs_browser
def test_a_run_leaves_a_page_that_opens(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    checkout.record(server, env=RECORD_ONLY)
    for workers in (0, 2):
        result = checkout.pytest(f"-n{workers}", f"--ctx-report=reports/of-{workers}", page=True)
        assert result.says(f"reports/of-{workers}/index.html")
    with launched(offline=True) as tab:
        for workers in (0, 2):
            page = tab.open(checkout.file(f"reports/of-{workers}/index.html").as_uri())
            headings = page.locator("h2").all_inner_texts()
            assert headings[-5:] == ["Line retrieval", "Passkey", "All tests", "Trials", "Terms"]
            page.select_option("#filter-outcome", label="all")
            page.select_option("#filter-cell", label="lines-5")
            assert page.locator("#count").inner_text() == "2 of 8 trials"
            page.locator("details.trial summary").first.click()
            page.locator("details.trial pre").first.wait_for()
            assert "Go to line" in page.locator("details.trial").first.inner_text()
            assert tab.messages == []


@needs_browser
def test_what_a_live_run_could_not_measure_is_a_warning_on_the_first_screen(
    checkout: Checkout, server: SimulatedServer
) -> None:
    server.script = lambda body: saying("42")(body) if len(server.asked) > 1 else failing(400)(body)
    assert checkout.record(server, "--ctx-concurrency=1", page=True).code == 1
    with launched(offline=True) as tab:
        page = tab.open(checkout.file("reports/latest/index.html").as_uri())
        warning = page.locator(".warning")
        assert warning.inner_text() == (
            "1 of 4 trials were not measured: the server refused the request (1). They do not count in any accuracy."
        )
        box = warning.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 720
        assert "tests: 1 passed, 1 failed" in page.locator(".counts").inner_text()


def test_the_command_of_a_trial_measures_it_again(recorded: Checkout) -> None:
    result = recorded.pytest(
        "tests_longctx/test_line_retrieval.py::test_line_retrieval[toy-protocol-lines-5]", "--ctx-only=1"
    )
    assert result.code == 0
    assert [(row["cell"], row["trial"]) for row in recorded.rows()] == [("lines-5", 1)]


def test_a_page_can_be_left_out(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server)
    assert not checkout.file("reports/latest/index.html").exists()
    assert not checkout.file("reports/latest/charts").exists()


def test_without_text_the_page_shows_none(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, env=NO_TEXT, page=True)
    assert not checkout.file("reports/latest/views.jsonl").exists()
    assert checkout.file("reports/latest/index.html").exists()
