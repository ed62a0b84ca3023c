"""The page as text: it is complete, loads nothing from the network, and takes no model's text for markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from longctx.report.document import Document
from longctx.report.first_table import first_tables
from longctx.report.page.contents import sections
from longctx.report.page.facts import facts
from longctx.report.page.page import render
from longctx.report.run_report import RunReport
from longctx.results.store import FinishedRun
from longctx.summary.summary import Answered, summarize
from longctx.views.chart import Table
from tests.report.sample import MANIFEST
from tests.rows import joined, row, run


class Read(HTMLParser):
    """Reads the tags of a page, their attributes, and the text of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False


def test_every_test_has_its_section_and_charts(report: Path) -> None:
    text = report.read_text()
    for title in (
        "Line retrieval",
        "Passkey",
        "Long-context QA",
        "Controls of the questions",
        "All tests",
        "Trials",
    ):
        assert f">{title}</" in text
    charts = sorted(path.name for path in (report.parent / "charts").iterdir())
    assert charts == [
        "control-by-record.svg",
        "heatmap-1.svg",
        "heatmap-2.svg",
        "heatmap-3.svg",
        "line-retrieval-by-length-1.svg",
        "line-retrieval-by-order-1.svg",
        "line-retrieval-origins-1.svg",
        "outcomes.svg",
        "passkey-window-4096.svg",
        "qa-effects-1.svg",
        "qa-variants-1.svg",
    ]
    assert text.count('<svg viewBox="0 0 380 ') == len(charts) + 3  # the picture, and two curves of many tests


def test_tests_are_in_one_order(report: Path) -> None:
    text = report.read_text()
    tests = ["Line retrieval", "Passkey", "Long-context QA", "Controls of the questions"]
    headings = re.findall(r"<h2 id=.*?>(.*?)</h2>", text)
    assert [heading for heading in headings if heading in tests] == tests
    assert "<h1>4 tests: some-model</h1>" in text
    first = text[text.index('<div class="run">') : text.index('id="trials"')]
    linked = re.findall(r'(?:<h2>|<th scope="row">)<a.*?>(.*?)</a>', first)
    assert sorted({link.partition(":")[0].partition(",")[0] for link in linked}) == sorted(tests)
    index = json.loads(next(script for script in Read(text).scripts if script.startswith("{")))
    assert index["names"]["test"] == tests


def test_charts_beside_the_page_have_real_colours(report: Path) -> None:
    for path in (report.parent / "charts").iterdir():
        assert "var(" not in path.read_text()
    assert "var(--series-1)" in report.read_text()


def test_the_first_screen_says_what_ran(report: Path) -> None:
    text = report.read_text()
    for part in ("some-model", "made-up", "2026-11-21, up to 2 days old", "1 of 98 trials were not measured"):
        assert part in text, part


def test_nothing_is_fetched(report: Path) -> None:
    parsed = Read(report.read_text())
    for tag, attributes in parsed.tags:
        for name in ("src", "href", "data", "action"):
            target = attributes.get(name) or ""
            assert not target or target.startswith(("#", "data:,")), (tag, target)
    assert not re.search(r"url\((?!#)", report.read_text())


def test_only_the_page_s_own_script_may_run(hostile: Path) -> None:
    parsed = Read(hostile.read_text())
    [policy] = [
        attributes["content"]
        for tag, attributes in parsed.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    runs = [
        script
        for script, (_, attributes) in zip(parsed.scripts, _scripts(parsed), strict=True)
        if "type" not in attributes
    ]
    assert len(runs) == 1
    digest = base64.b64encode(hashlib.sha256(runs[0].encode()).digest()).decode()
    assert policy is not None
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


def test_hostile_text_makes_no_markup(report: Path, hostile: Path) -> None:
    def kinds(path: Path) -> set[str]:
        return {tag for tag, _ in Read(path.read_text()).tags}

    lines_of_a_title = {"tspan"}
    assert kinds(hostile) <= kinds(report) | lines_of_a_title
    assert not any(name.startswith("on") for _, attributes in Read(hostile.read_text()).tags for name in attributes)
    json.loads(next(script for script in Read(hostile.read_text()).scripts if script.startswith("{")))
    for path in (hostile.parent / "charts").iterdir():
        assert "<script" not in path.read_text()
        assert "<img" not in path.read_text()


def test_a_verdict_comes_first_and_is_text() -> None:
    table = Table("Bands", ("test", "verdict"), (("passkey", "<i>"),))
    verdict = Document("Gate: pass", ("a note of <script>",), (table,), badge="pass", change="<b> → c")
    text, _ = render(RunReport(FinishedRun([], Path()), summarize([]), MANIFEST, verdict), [])
    assert text.index("<h1>&lt;b&gt; → c</h1>") < text.index('class="badge pass"') < text.index("<nav")
    assert "<li>a note of &lt;script&gt;</li>" in text
    assert "<td>&lt;i&gt;</td>" in text


def test_a_model_that_answered_instead_of_another_is_reported() -> None:
    summary = replace(summarize([]), answered=(Answered("some-model", "<b>", 3, 60),))
    text, _ = render(RunReport(FinishedRun([], Path()), summary, MANIFEST), [])
    assert "some-model was asked for, but the server says that &lt;b&gt; answered 3 of 60 trials." in text


def test_a_run_that_stopped_early_says_what_it_left_out() -> None:
    summary = summarize([row(), *run("not_asked", "not_asked", error="early stop")])
    assert dict(facts(summary, MANIFEST))["early stop"] == "2 trials left out"
    assert "early stop" not in dict(facts(summarize([row()]), MANIFEST))


def test_a_run_of_nothing_has_a_page() -> None:
    text, _ = render(RunReport(FinishedRun([], Path()), summarize([]), MANIFEST), [])
    assert "Nothing was measured" in text


def _scripts(found: Read) -> list[tuple[str, dict[str, str | None]]]:
    return [tag for tag in found.tags if tag[0] == "script"]


def test_details_lie_beside_the_page(report: Path) -> None:
    assert [path.name for path in (report.parent / "details").iterdir()] == ["0.js"]
    assert (report.parent / "details/0.js").read_text().startswith('longctx(0, "')
    assert 'id="chunk-' not in report.read_text()


def test_the_first_screen_counts_passed_tests_and_right_answers_and_links_to_its_origin() -> None:
    of_test = run("correct", "wrong", "truncated", "not_asked", test="test_desk")
    checks = run("correct", "wrong", test="test_desk.answer")
    manifest = replace(
        MANIFEST, tests={"passed": 1200, "failed": 2, "error": 1},
        commit=f"https://github.example/o/r/commit/{'0123456789' * 4}", ci_run="https://github.example/o/r/actions/runs/7",
    )  # fmt: skip
    rows = [*of_test, *checks]
    text, _ = render(RunReport(FinishedRun(rows, Path()), summarize(rows), manifest), [])
    [counted] = re.findall(r'<ul class="counts">(.*?)</ul>', text, re.DOTALL)
    assert re.sub(r"<.*?>", "", counted).split("\n")[1:4] == [
        "tests: 1,200 passed, 3 failed", "trials: 1 right, 2 wrong", "checks: 1 right, 1 wrong"
    ]  # fmt: skip
    assert f'<a href="{manifest.commit}" rel="noreferrer">github.example/o/r/commit/0123456789</a>' in text
    assert f'<a href="{manifest.ci_run}" rel="noreferrer">github.example/o/r/actions/runs/7</a>' in text
    assert text.index('class="counts"') < text.index("<table>")


def test_checks_are_in_the_section_of_their_test() -> None:
    measured = joined(
        run("correct", test="test_desk"),
        run("correct", "wrong", test="test_desk.answer"),
        run("wrong", test="test_gone.check"),
    )
    summary = summarize(measured)
    desk, alone, _ = sections(summary, [])
    assert (desk.title, alone.title) == ("test_desk", "test_gone.check")
    assert desk.rates == ["1.00 [0.21, 1.00] n=1", "answer: 0.50 [0.09, 0.91] n=2"]
    assert [table.title for table in desk.tables] == ["test_desk", "test_desk.answer"]
    [table] = first_tables(summary)
    tests = table.frame
    assert tests.index.tolist() == ["test_desk", "test_desk", "test_gone.check"]
    assert tests["part"].tolist() == ["", "check answer", ""]
    assert tests["accuracy"].tolist()[1] == "0.50 [0.09, 0.91]"
