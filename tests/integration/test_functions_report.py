"""Test functions that declare a report: table, charts, causes, findings, an entry, and what it adds to the gate."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration import functions
from tests.integration.conftest import Checkout, Result, copied
from tests.integration.priced import priced
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

TESTS = """
import pytest
from reported import REPORT

from longctx import Outcome


@pytest.mark.longctx(trials=20, report=REPORT)
@pytest.mark.parametrize("keys", [2, 4])
@pytest.mark.parametrize("tokens", [50, 500])
def test_functions(ask, draw, tokens, keys):
    drawn = [str(key) for key in draw.sample(range(10_000, 99_999), keys)]
    text = draw.filler(tokens).insert(f"The keys are {', '.join(drawn)}.", depth=0.5)
    named = ask(f"{text}\\n\\nSay the first {keys} of the keys.", max_tokens=50).text.split()
    found = len(set(named) & set(drawn))
    trace = {"found": found, "asked": keys, "strange": len(set(named) - set(drawn))}
    return Outcome("correct" if found else "wrong", " ".join(named), f"{found} keys", trace)
"""
REPORTED = """
from longctx import Causes, Rate, Report, Reported, StatedMinimum

LEAST = 0.75


def reported(before, after, grids):
    assert not grids
    now = Rate(sum(row.trace["found"] == row.trace["asked"] for row in after), len(after))
    yield Reported(
        kind="keys",
        data={"now": now.rate, "minimum": LEAST},
        table="All keys named",
        cells={"keys": "all", "now": str(now), "minimum": str(LEAST)},
        minimum=StatedMinimum(now.p_below(LEAST), now.hi < LEAST, f"{now.rate:.0%} name all keys, below {LEAST:.0%}"),
    )


REPORT = Report(
    x="tokens",
    series=lambda params: f"{params['keys']} keys",
    rate="any named",
    columns={"keys named": lambda answers: f"{answers.total('found')} of {answers.total('asked')}"},
    causes=Causes(
        {"missed": lambda row: row.trace["asked"] - row.trace["found"], "made up": "strange"},
        title="what is wrong with keys",
        of="faults",
    ),
    data=lambda answers: {"cell": answers.cell, "found": answers.total("found")},
    entries="keys",
    gate=reported,
)
"""
WITHOUT = "-n0"
WITH = "-n2"


def first(body: Body) -> Answer:
    """Name the first key alone; none of 4 in a long text."""
    prompt = prompt_of(body)
    keys = prompt.partition("The keys are ")[2].partition(".")[0].split(", ")
    return 200, {}, message("12345" if len(keys) == 4 and len(prompt) > 1500 else keys[0], body)


@pytest.fixture(scope="module")
def asked_once(fresh: Callable[[], Checkout]) -> Checkout:
    """A project with a run that asked, which is its baseline, and a second one that asked again and was gated."""
    project = fresh()
    project.functions(TESTS)
    project.file("tests_longctx/reported.py").write_text(REPORTED)
    with SimulatedServer(first) as server:
        asked = functions.ask(project, server)
        assert asked.code == 0, asked
        assert project.longctx("baseline", "save", "main").code == 0
        live = functions.ask(project, server, "--ctx-baseline=main", "--ctx-report=reports/live", mode="all")
    assert missed(live), live.out
    return project


asked = copied("asked_once")


def missed(result: Result) -> bool:
    """Return whether the gate fails, and names the minimum."""
    return result.code == 10 and result.says("REGRESSION in a stated minimum", "0% name all keys, below 75%")


def judged(project: Checkout, folder: str) -> list[Any]:
    """Return a run's verdicts, and those on its bands. The age and the prices of answers differ."""
    kept = project.gate(folder)
    bands = [(band["band"], band["verdict"], band["p_value"]) for each in kept["tests"] for band in each["bands"]]
    return [kept["verdict"], *(each["verdict"] for each in kept["tests"]), *bands]


def summary(project: Checkout, folder: str = "reports/latest") -> dict[str, Any]:
    read: dict[str, Any] = project.read(f"{folder}/summary.json")
    return read


@pytest.mark.parametrize("workers", [WITHOUT, WITH])
def test_a_report_gives_table_charts_causes_findings_and_an_entry(asked: Checkout, workers: str) -> None:
    result = functions.run(asked, workers, "-v", page=True)
    assert result.code == 0, result
    assert result.says("any named [95% interval]", "keys named", "4 keys 50 1.00 [0.84, 1.00] n=20 20 of 80")
    entries = summary(asked)["keys"]
    assert [(entry["cell"], entry["found"]) for entry in entries] == [
        ("tokens-50-keys-2", 20),
        ("tokens-50-keys-4", 20),
        ("tokens-500-keys-2", 20),
        ("tokens-500-keys-4", 0),
    ]
    charts = [file.name for file in asked.file("reports/latest/charts").iterdir()]
    page = " ".join(re.sub("<[^>]*>", " ", asked.file("reports/latest/index.html").read_text()).split())
    assert "test-functions-by-tokens-1.svg" in charts, charts
    assert "4 keys: accuracy falls from 1.00 at 50 tokens to 0.00 at 500 tokens" in page
    assert "of 200 faults, 180 are missed" in page
    assert "what is wrong with keys" in page


@pytest.mark.parametrize("workers", [WITHOUT, WITH])
def test_its_gate_hook_fails_the_gate_in_a_replay_as_live(asked: Checkout, workers: str) -> None:
    result = functions.run(asked, workers, "--ctx-baseline=main", "--junit-xml=tests.xml")
    assert missed(result), result.out
    assert 'tests="4"' in asked.file("tests.xml").read_text(), "no other pytest wrote the file"
    assert judged(asked, "reports/latest") == judged(asked, "reports/live")
    reported = [asked.gate(folder)["tests"][0]["keys"] for folder in ("reports/latest", "reports/live")]
    assert reported == [[{"now": 0.0, "minimum": 0.75, "missed": True}]] * 2


def test_merged_shards_and_two_runs_are_judged_by_it(asked: Checkout) -> None:
    for number in (1, 2):
        shard = functions.run(asked, f"--ctx-shard={number}/2", f"--ctx-report=reports/part-{number}")
        assert shard.code == 0, shard
    parts = "reports/part-1", "reports/part-2"
    merged = asked.longctx("merge", *parts, "--out=reports/merged", "--baseline=main", "--no-page")
    assert missed(merged), merged.out
    assert [entry["found"] for entry in summary(asked, "reports/merged")["keys"]] == [20, 20, 20, 0]
    compared = asked.longctx("gate", "reports/live", "reports/merged")
    assert compared.code == 10
    assert compared.says("name all keys, below 75%"), compared
    asked.file("tests_longctx/test_functions.py").unlink()
    for elsewhere in (
        asked.longctx("merge", *parts, "--out=reports/elsewhere", "--baseline=main", "--no-page"),
        asked.longctx("gate", "reports/live", "reports/merged"),
    ):
        assert elsewhere.code == 12
        assert elsewhere.says("the report of test_functions adds to the gate, but pytest collects no such test"), (
            elsewhere.out
        )
    assert "keys" not in summary(asked, "reports/elsewhere")


def test_a_plan_foresees_its_minimum_and_an_upgrade_tests_it(asked: Checkout) -> None:
    planned = asked.longctx("plan", "-v", "--from", "main")
    assert planned.code == 0
    assert planned.says("1 band and 1 stated minimum"), planned.out
    priced(asked, "other", 1)
    with SimulatedServer(first) as server:
        tests = "--tests", "tests_longctx/test_functions.py"
        upgrade = asked.longctx("upgrade", "toy", "other", *tests, f"--base-url={server.url}", "--max-cost=1")
    assert upgrade.code == 10, upgrade
    assert upgrade.says("0% name all keys, below 75%"), upgrade.out


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (
            "Report(x='token')",
            "x of its report is 'token', but the test has no such parameter. Did you mean 'tokens'?",
        ),
        ("Report(x='tokens', by=('windows',))", "by of its report is 'windows', but the test has no such parameter."),
        ("{'x': 'tokens'}", "report in its marker is of the type dict: pass a longctx.Report."),
    ],
)
def test_a_mistake_in_a_report_fails_the_test_before_anything_is_sent(
    asked: Checkout, report: str, sentence: str
) -> None:
    tests = TESTS.replace("report=REPORT", f"report={report}").replace("import Outcome", "import Outcome, Report")
    asked.functions(tests)
    with SimulatedServer(first) as server:
        result = functions.ask(asked, server, mode="all")
    assert result.code == 1
    assert result.says(sentence), result
    assert not server.received
