"""The numbers of each kind of page, recomputed from the rows of its run by other code than that of the report."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from longctx.compare.runs import compare
from longctx.gate.verdict import Rules, give_verdict
from longctx.registry import shipped
from longctx.report.comparison import change_title, changes, comparison
from longctx.report.first_table import first_tables
from longctx.report.page.page import ChangedTrials, changes_page, page_of
from longctx.report.run_report import RunReport
from longctx.report.upgrade import UpgradeDecision, accuracy_chart, upgrade_document
from longctx.report.verdict_document import verdict_document
from longctx.results.row import Row
from longctx.results.store import FinishedRun
from longctx.summary.summary import pools, summarize
from tests.gate.examples import RULES
from tests.report.sample import MANIFEST, rows
from tests.rows import filled, retained, retrieved, right_of, run

NUMBER = r"[-+]?\d+\.\d+"


def said(page: str, part: str = "") -> list[str]:
    """Return what the marks of a page say. part: the page begins with it, and a mark is counted once."""
    marks = re.findall(r'<path d="[^"]*" transform[^>]* role="img" aria-label="([^"]*)"', page[page.index(part) :])
    return list(dict.fromkeys(map(unescape, marks)))


def page_with(measured: Sequence[Row], **more: object) -> str:
    return page_of(RunReport(FinishedRun(list(measured), Path()), summarize(measured), MANIFEST, **more))  # type: ignore[arg-type]


def wilson(correct: float, n: int) -> str:
    z, p = 1.959964, correct / n
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = (max(0.0, min(1.0, (middle + side * half) / (1 + z * z / n))) for side in (-1, 1))
    return f"{p:.2f} [{low:.2f}, {high:.2f}] n={n:,}"


def right(measured: Iterable[Row]) -> tuple[int, int]:
    outcomes = [row.outcome for row in measured if row.outcome not in ("not_asked", "infra_error")]
    return outcomes.count("correct"), len(outcomes)


def test_a_run_has_a_row_for_each_test_over_the_trials_that_its_table_counts() -> None:
    by_test = defaultdict(list)
    for row in (sample := list(rows())):
        by_test[row.test].append(row)
    page = page_with(sample)
    picture = page[page.index('class="wide"') : page.index('class="narrow"')]
    expected = [wilson(*right(of_test)) for of_test in by_test.values()]
    found = [say.rpartition(": ")[2] for say in said(picture)]
    assert found[0] == expected[0]

    def without_interval(said: str) -> str:
        return re.sub(r" \[.*\]", "", said)  # that of clusters is another test's

    assert sorted(map(without_interval, found)) == sorted(map(without_interval, expected))
    *matrices, others = first_tables(summarize(sample))
    counted = Counter[str]()
    for name, row in others.frame.iterrows():
        counted[str(name)] += 0 if row["part"].startswith("check ") else int(row["n"])
    for table in matrices:  # the prompts of collages are counted once more, by their positions
        counted[table.test] = max(counted.get(table.test, 0), sum(map(int, filter(None, table.frame["n"]))))
    assert sorted(counted.values()) == sorted(right(of_test)[1] for of_test in by_test.values())
    assert all(f"<td>{n}</td>" in page for table in (*matrices, others) for n in table.frame["n"])
    curve = [say for say in said(page, 'id="curves"') if say.startswith("5 lines, ordered: ")]
    assert curve == [f"5 lines, ordered: {wilson(*right(row for row in sample if row.cell == 'lines-5'))}"]


def test_a_gate_shows_the_change_of_each_band_and_counts_it_as_pytest_does() -> None:
    before = [replace(row, band=band) for band in ("short", "long") for row in run(*["correct"] * 100, cell=band)]
    after = [
        replace(row, outcome="wrong" if row.trial < lost else "correct")
        for row in before
        for lost in [30 if row.band == "long" else 10]
    ]
    verdict = verdict_document(give_verdict(before, after, RULES), "main", ["prompt set: a → b"])
    page = page_with(after, verdict=verdict, failed=2)
    marks = said(page, '<figure class="picture">')[:2]
    for band, lost in (("short", 10), ("long", 30)):
        [mark] = [mark for mark in marks if mark.startswith(f"line_retrieval, {band}: ")]
        difference, low, high = map(float, re.findall(NUMBER, mark))
        assert mark.endswith(" n=100, regression")
        assert difference == -lost
        assert low < difference < high < 0
        assert f"{band}: {lost} of 100 lost, 0 gained, accuracy 1.00 → {1 - lost / 100:.2f}" in page
    assert "<h1>prompts a → b</h1>" in page
    places = [page.index(part) for part in ('class="badge regression"', '<figure class="picture">', 'class="counts"')]
    assert places == sorted(places)
    passed, failed = MANIFEST.tests.get("passed", 0), sum(MANIFEST.tests.values()) - MANIFEST.tests.get("passed", 0)
    if MANIFEST.tests:
        assert f"{passed:,} passed" in page
        assert f"{failed + 2:,} failed" in page


def test_a_window_opens_with_its_answer_and_the_accuracy_at_each_fill() -> None:
    measured = [*filled(2000, 20, 24, input_tokens=3196), *filled(4000, 12, 24, input_tokens=6316)]
    page = page_with(measured)
    answer, picture = (
        page.index('<p class="answer">At 4k 33 points are lost against 2k'),
        page.index("Accuracy by fill"),
    )
    assert answer < picture < page.index("<thead>")
    assert said(page)[:2] == [
        f"2,000 filler tokens, none: {wilson(20, 24)}",
        f"4,000 filler tokens, none: {wilson(12, 24)}",
    ]
    assert "Sent, of none: 3,196 at 2k, 6,316 at 4k." in page
    assert "<td>6,316</td>" in page


def test_chunks_open_with_their_answer_and_the_accuracy_at_each_number() -> None:
    measured = [*retrieved(1, 30, 60), *retrieved(4, 54, 60)]
    page = page_with(measured)
    assert page.index('<p class="answer">') < page.index("By chunks") < page.index("<thead>")
    assert [say.rpartition(": ")[2] for say in said(page)[:2]] == [wilson(30, 60), wilson(54, 60)]


def test_retention_opens_with_the_recall_of_each_strategy() -> None:
    none = retained("none", 1, *right_of(8, 10), depth=0.2)
    page = page_with([*none, *retained("summary", 0.4, *right_of(5, 10))])
    answer = '<p class="answer">Recall: none 0.80 with 100% of the tokens, summary 0.50 with 40% of the tokens.</p>'
    assert page.index(answer) < page.index("Recall against retained tokens") < page.index("<thead>")
    recalls = dict(say.split(": ") for say in said(page)[:2])
    assert recalls == {
        "100 % of the tokens, none": wilson(8, 10),
        "40 % of the tokens, summary": wilson(5, 10),
    }


def test_a_comparison_names_both_sides_and_shows_the_change_of_each_cell() -> None:
    before = run(*["correct"] * 40, prompt_set="a")
    after = [replace(row, prompt_set="b", outcome="wrong" if row.trial < 12 else "correct") for row in before]
    others = [("B", compare(before, after, pools=pools))]
    document = replace(
        comparison("A", others, [], 0), change=change_title("new against old", others), picture=lambda: changes(others)
    )
    page = changes_page(document, ChangedTrials(after, ["{}"] * 40, {}), shipped())
    assert '<h1 id="verdict">new against old: prompts a → b</h1>' in page
    [cell] = said(page, '<figure class="picture">')
    assert float(re.findall(NUMBER, cell)[0]) == -100 * 12 / 40
    assert page.index("Change of accuracy") < page.index("<thead>")


@pytest.mark.parametrize("usd", [0.0, 0.02])
def test_an_upgrade_shows_bands_first_and_a_price_only_if_there_is_one(usd: float) -> None:
    def of(correct: int) -> list[Row]:
        return run(*right_of(correct, 60), band="short", cost_usd=usd, latency_s=1.0)

    old, new = of(60), of(40)
    decision = UpgradeDecision("old", old, [("new", give_verdict(old, new, Rules()))], {"new": new}, "new", 1000)
    chart = accuracy_chart(decision)
    assert chart
    page = changes_page(upgrade_document(decision), ChangedTrials(new, ["{}"] * 60, {}), shipped(), [chart])
    band, *accuracies = said(page, '<figure class="picture">')
    assert float(re.findall(NUMBER, band)[0]) == pytest.approx(-100 * 20 / 60, abs=0.05)
    assert [say.partition(": ")[2].partition(", ")[0] for say in accuracies] != []
    assert [say.partition(",  ")[0].split(", ")[0].split(": ")[0] for say in accuracies] == ["old", "new"]
    assert wilson(60, 60) in accuracies[0]
    assert wilson(40, 60) in accuracies[1]
    assert ("$ per 1,000" in page, "$0.00" in page) == (usd > 0, False)
