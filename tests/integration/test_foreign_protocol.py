"""A protocol of the project's own, from its table to the page, with nothing of longctx edited: docs/new-protocol.md."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import LINES, ROOT, Checkout, Launcher, copied, foreign_project
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of, right

FOREIGN = Path(__file__).with_name("foreign")
PROMPTS = "fixtures/prompts/protocol/several_keys"


@pytest.fixture(scope="module")
def template(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The project of the guide."""
    return foreign_project(launcher, tmp_path_factory.mktemp("template"), FOREIGN)


project = copied("template")


@pytest.fixture(scope="module")
def recorded_once(fresh: Callable[[], Checkout]) -> Checkout:
    """Return the project with recordings of a model that names all keys of a short text, but not of a long one."""
    made = fresh()
    with SimulatedServer(forgetful) as server:
        result = made.record(server, "--ctx-report=reports/first", profile=None)
    assert result.code == 0, result.out
    assert len(server.asked) == len(made.rows("reports/first")) == 80
    return made


def all_keys(body: Body) -> Answer:
    return 200, {}, message(" ".join(re.findall(r"The key of \w+ is (\d+)", prompt_of(body))), body)


def forgetful(body: Body) -> Answer:
    keys = re.findall(r"The key of \w+ is (\d+)", prompt_of(body))
    kept = keys[1:] if prompt_of(body).count("\n") > 100 else keys
    return 200, {}, message(" ".join(kept), body)


def test_it_is_recorded_and_judged_by_its_own_rules(recorded: Checkout) -> None:
    by_cell = {row["cell"]: row for row in recorded.rows("reports/first")}
    assert {name: (row["outcome"], row["trace"], row["band"]) for name, row in by_cell.items()} == {
        "keys-3-sentences-20": ("correct", {"found": 3}, "short"),
        "keys-3-sentences-200": ("wrong", {"found": 2}, "long"),
        "keys-5-sentences-20": ("correct", {"found": 5}, "short"),
        "keys-5-sentences-200": ("wrong", {"found": 4}, "long"),
    }
    assert set(recorded.cassettes()) == {f"my-model/several_keys/{name}.jsonl" for name in by_cell}


def test_workers_replay_it_with_its_table_chart_finding_and_marks(recorded: Checkout) -> None:
    result = recorded.pytest("-n1", profile=None, page=True)
    assert result.code == 0, result.out
    assert result.says(
        "80 replayed",
        "Several keys, my-model, prompts protocol asked sentences all named [95% interval] keys named",
        "3 keys 20 1.00 [0.84, 1.00] n=20 60 of 60",
        "5 keys 200 0.00 [0.00, 0.16] n=20 80 of 100",
    )
    page = recorded.file("reports/latest/index.html").read_text()
    for part in (
        '<h2 id="several-keys">Several keys</h2>',
        "By sentences",
        "Keys named, each counted",
        "Several keys by depth and length",
        "200 sentences",
        "88% of the keys are named, but all of them in 40 of 80 trials only",
        "of 40 faults, 40 are keys missed",
        '<h2 id="findings">Main findings</h2>',
        "5 keys: accuracy falls from 1.00 at 20 sentences to 0.00 at 200 sentences.",
    ):
        assert part in page, part
    assert recorded.file("reports/latest/charts/several-keys-by-sentences-1.svg").is_file()
    counted = recorded.read("reports/latest/summary.json")["several_keys"]
    assert [(row["cell"], row["found"], row["asked"]) for row in counted][1] == ("keys-3-sentences-200", 40, 60)
    views = [json.loads(line) for line in recorded.file("reports/latest/views.jsonl").read_text().splitlines()]
    marked = {name for view in views for excerpt in view["excerpts"] for name in excerpt["names"]}
    assert marked == {"needle", "needle that was not found"}


def test_without_a_report_each_number_has_a_curve_and_what_falls_is_a_finding(recorded: Checkout) -> None:
    module = recorded.file("several_keys.py")
    module.write_text(module.read_text().replace("    report=REPORT,\n", ""))
    result = recorded.pytest(profile=None, page=True)
    assert result.code == 0, result.out
    assert result.says("my-model protocol keys-3-sentences-20 1.00 [0.84, 1.00] n=20")
    page = recorded.file("reports/latest/index.html").read_text()
    for part in (
        "By keys",
        "By sentences",
        "my-model, prompts protocol, keys 3: accuracy falls from 1.00 at 20 sentences to 0.00 at 200 sentences.",
    ):
        assert part in page, part
    charts = {path.stem for path in recorded.file("reports/latest/charts").iterdir()}
    assert {"several-keys-by-keys-1", "several-keys-by-sentences-1"} <= charts


def test_bands_of_its_lengths_are_gated(recorded: Checkout, server: SimulatedServer) -> None:
    assert recorded.longctx("baseline", "save", "first", "reports/first").code == 0
    assert recorded.longctx("baseline", "show", "first").says("several_keys")
    same = recorded.pytest("--ctx-baseline=first", "-n1", profile=None)
    assert same.code == 12, same.out
    assert same.says("Gate: invalid - the baseline has nothing to lose in several_keys, long")
    server.script = all_keys
    assert recorded.record(server, mode="all", profile=None).code == 0
    server.script = forgetful
    assert recorded.longctx("baseline", "save", "better").code == 0
    same = recorded.pytest("--ctx-baseline=better", profile=None)
    assert same.says("Gate: pass - all 2 bands replay the baseline's own answers")
    worse = recorded.record(server, "--ctx-baseline=better", mode="all", profile=None)
    assert worse.code == 10, worse.out
    assert worse.says("Gate: regression - several_keys -1.000 in long")


FAILING = """def fails(before, after, grids):
    raise ZeroDivisionError("no keys")


REPORT = Report(
    gate=fails,
"""


def test_code_of_its_own_that_fails_in_the_gate_makes_it_invalid_in_a_sentence(recorded: Checkout) -> None:
    assert recorded.longctx("baseline", "save", "first", "reports/first").code == 0
    module = recorded.file("several_keys.py")
    module.write_text(module.read_text().replace("REPORT = Report(\n", FAILING))
    result = recorded.pytest("--ctx-baseline=first", profile=None)
    assert result.code == 12, result.out
    assert result.says(
        "Gate: invalid - not enough trials measured in several_keys",
        "the addition of several_keys to the gate failed: ZeroDivisionError: no keys (several_keys.py, line ",
    )
    assert "Traceback" not in result.out + result.err


def test_commands_know_it(recorded: Checkout, server: SimulatedServer) -> None:
    plan = recorded.longctx("plan", "-v")
    assert plan.code == 0, plan.err
    assert plan.says("Plan of the profile keys with", "2 bands", "several_keys long 40", "several_keys short 40")
    shown = recorded.longctx("show", "several_keys/keys-3-sentences-20#1", "--run=reports/first")
    assert shown.code == 0, shown.err
    assert shown.says("3 of 3 keys are named", "The key of Anna is", "What are the keys of Anna, Boris, Clara?")
    server.script = all_keys
    recorded.record(server, "--ctx-report=reports/second", "--ctx-model=other", profile=None)
    compared = recorded.longctx("compare", "reports/first", "reports/second", "-v")
    assert compared.code == 0, compared.err
    assert compared.says(
        "several_keys, first: my-model, prompts protocol; second: other, prompts protocol",
        "several_keys/keys-3-sentences-200#0 wrong -> correct",
    )
    assert "Several keys" in recorded.file("reports/first/summary.md").read_text()
    assert recorded.longctx("merge", "reports/first", "reports/second", "--out=reports/both", "--no-page").code == 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("keys = [3, 5]", "kyes = [3, 5]"), "several_keys.kyes: no such entry. Did you mean 'keys'?"),
        (("keys = [3, 5]", "keys = [3, 50]"), "[several_keys]: 50 keys are not possible: use 1 to 8."),
        (("long = 200", "long = 150"), "keys-3-sentences-200 is longer than every band: 200 against 150."),
        (("[several_keys]", "[several_key]"), "several_key: no such entry. Did you mean 'several_keys'?"),
    ],
)
def test_a_mistake_in_its_table_is_a_sentence(project: Checkout, change: tuple[str, str], says: str) -> None:
    profile = project.file("fixtures/profiles/keys.toml")
    profile.write_text(profile.read_text().replace(*change))
    run, planned = project.pytest("--ctx-model=toy", profile=None), project.longctx("plan")
    assert (run.code, planned.code) == (4, 2), run.out
    assert run.says(says)
    assert planned.says(says)


def test_prompts_are_in_the_project_s_own_seed_beside_those_of_longctx(
    project: Checkout, server: SimulatedServer
) -> None:
    project.profile(LINES, project.file("fixtures/profiles/keys.toml").read_text().split("\n", 2)[2])
    project.take("tests_longctx/test_line_retrieval.py")
    server.script = lambda body: all_keys(body) if "The key of" in prompt_of(body) else right(body)
    result = project.record(server)
    assert result.code == 0, result.out
    assert {row["test"] for row in project.rows()} == {"several_keys", "line_retrieval"}
    assert {row["prompt_set"] for row in project.rows()} == {"protocol"}


def test_a_mistake_in_its_prompts_is_a_sentence(project: Checkout) -> None:
    question = project.file(f"{PROMPTS}/question.txt")
    question.write_text("What are the keys?\n")
    assert project.pytest("--ctx-model=toy", profile=None).says("question.txt", "{names}", "[placeholder-missing]")
    question.unlink()
    run, planned = project.pytest("--ctx-model=toy", profile=None), project.longctx("plan")
    says = f"{PROMPTS}/question.txt", "{names}", "[prompt-file-missing]"
    assert (run.code, planned.code) == (4, 2)
    assert run.says(*says)
    assert planned.says(*says)


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("several_kyes", "[protocol-not-usable]"),
        ("longctx.errors", "[protocol-not-usable]"),
        ("several_keys several_keys", "[protocol-name-taken]"),
    ],
)
def test_a_mistake_in_the_setting_is_a_sentence(project: Checkout, setting: str, says: str) -> None:
    ini = project.file("pytest.ini")
    ini.write_text(ini.read_text().replace("= several_keys", f"= {setting}"))
    results = {
        "pytest": project.pytest(profile=None, page=True),
        "with an option": project.pytest("--ctx-profile=keys", profile=None),
        "plan": project.longctx("plan"),
        "show": project.longctx("show", "several_keys/keys-3-sentences-20"),
    }
    assert all(result.says(says) for result in results.values()), results
    assert [result.code for result in results.values()] == [4, 4, 2, 2]


def test_the_guide_shows_its_files_as_they_are() -> None:
    """A file may be shown in several blocks, each under its path."""
    shown: dict[str, list[str]] = {}
    page = (ROOT / "docs/new-protocol.md").read_text(encoding="utf-8")
    for path, text in re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)\n?```$", page, re.MULTILINE | re.DOTALL):
        shown.setdefault(path, []).append(text)
    files = (path for path in FOREIGN.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert {path: "\n\n\n".join(texts) for path, texts in shown.items()} == {
        path.relative_to(FOREIGN).as_posix(): path.read_text(encoding="utf-8").rstrip("\n") for path in files
    }
