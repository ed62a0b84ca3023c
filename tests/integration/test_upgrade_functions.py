"""python -m longctx upgrade --tests: may a new treatment replace the old one, by a user's own tests?"""

from __future__ import annotations

import shutil

import pytest

from tests.given import json_lines
from tests.integration.conftest import Checkout, Launcher, Result, copied, foreign_project
from tests.integration.functions import codes
from tests.integration.priced import LINES, data, priced, upgraded
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of, right

TESTS = """
import pytest


@pytest.mark.longctx(trials=20, bands={"short": 100, "long": 1000})
@pytest.mark.parametrize("tokens", [40, 200])
def test_code(ask, draw, check, tokens):
    code = draw.integer(10_000, 99_999)
    text = draw.filler(tokens).insert(f"The refund code is {code}.", depth=draw.uniform())
    reply = ask(f"{text}\\n\\nWhat is the refund code?")
    check("polite", "please" in reply.text)
    assert reply.integer() == code


@pytest.mark.longctx(cases="cases.jsonl", cluster="contract")
def test_review(ask, case):
    assert str(case.number) in ask(f"{case.contract} has the number {case.number}. Which?").text
"""
TEST = """
from longctx.protocols.line_retrieval import line_retrieval as test_line_retrieval
"""
TRIALS = 2 * 20 + 20


def answers(body: Body) -> Answer:
    """Answer rightly and politely, but for the model `weak`, which is wrong about long texts, and `rude`."""
    if body["model"] == "weak" and len(prompt_of(body)) > 600:
        return 200, {}, message("0, please", body)
    status, headers, content = codes(body)
    return status, headers, content.replace(b", please", b"") if body["model"] == "rude" else content


@pytest.fixture(scope="module")
def project_once(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A project of its own, without a profile, in which `old` is recorded, and `new` costs three times as much."""
    project = foreign_project(launcher, tmp_path_factory.mktemp("upgrade"))
    project.file("tests").mkdir()
    project.file("tests/test_documents.py").write_text(TESTS)
    cases = ({"id": f"case-{n}", "contract": f"contract {n}", "number": 1000 + n} for n in range(20))
    json_lines(project.file("tests/cases.jsonl"), *cases)
    for name, dollars in {"old": 1, "new": 3, "weak": 0.1, "rude": 1}.items():
        priced(project, name, dollars)
    with SimulatedServer(answers) as server:
        result = upgrade(project, server, "old", "new", "--max-cost", 1, "--volume", 1_000_000)
        assert result.code in (0, 11), result
        assert len(server.asked) == 2 * TRIALS
    project.file("up").rename(project.file("first"))
    return project


project = copied("project_once")


def upgrade(project: Checkout, server: SimulatedServer | None, *arguments: object) -> Result:
    tests = [] if "--tests" in arguments else ["--tests", "tests/test_documents.py"]
    return upgraded(project, server, *arguments, *tests, "--margin", 0.3)


def test_it_asks_both_models_and_a_second_call_replays(project: Checkout) -> None:
    [first] = data(project, "first")["candidates"]
    assert first["usage"]["after"]["usd"] > 2 * first["usage"]["before"]["usd"]
    assert [test["test"] for test in first["tests"]] == ["test_code", "test_code.polite", "test_review"]
    assert [band["band"] for band in first["tests"][0]["bands"]] == ["short", "long"]
    again = upgrade(project, None, "old", "new", "--volume", 1_000_000)
    assert again.says("May new replace old? PASS in 5 of 5 bands", "0 of 60 answers lost", "a month at 1,000,000"), (
        again
    )
    assert data(project)["candidates"] == data(project, "first")["candidates"]
    page = project.file("up/index.html").read_text()
    assert "please" in page


def test_a_loss_on_long_texts_is_a_regression_and_the_best_of_two_candidates_decides(project: Checkout) -> None:
    with SimulatedServer(answers) as server:
        result = upgrade(project, server, "old", "weak", "new", "--max-cost", 1)
        assert len(server.asked) == TRIALS  # old and new are recorded
    assert result.says("May new replace old? PASS in 5 of 5 bands"), result
    found = data(project)
    assert found["best"] == "new"
    weak = found["candidates"][0]["tests"][0]
    assert [(band["lost"], band["verdict"]) for band in weak["bands"]] == [(0, "pass"), (20, "regression")]
    rows = [line.split() for line in result.out.splitlines() if line.startswith("weak ")]
    assert rows[0][1:8] == ["0.67", "[0.54,", "0.77]", "20", "/", "0", "of"]
    assert rows[0][-1] == "regression"


def test_without_a_cap_nothing_is_asked(project: Checkout) -> None:
    with SimulatedServer(answers) as server:
        result = upgrade(project, server, "old", "weak")
        assert not server.received
    assert result.code == 2
    lacking = f"{TRIALS} trials of weak have no recording", "to send", "40 of 40"
    assert result.says("[upgrade-not-recorded]", *lacking)
    assert not project.file("up").exists()


def test_the_cap_holds_and_a_second_call_asks_the_rest(project: Checkout) -> None:
    with SimulatedServer(answers) as server:
        result = upgrade(project, server, "old", "rude", "--max-cost", 0.0125, "--concurrency", 1)
        assert result.code == 12, result
        asked = len(server.asked)
        assert 0 < asked < TRIALS
        shutil.rmtree(project.file("up"))
        result = upgrade(project, server, "old", "rude", "--max-cost", 1)
        assert len(server.asked) == TRIALS
    assert result.code == 10
    assert result.says("REGRESSION in 4 of 5 bands 40 of 60 answers lost, 0 gained; 40 checks lost"), result


def test_tests_and_functions_are_one_decision(project: Checkout) -> None:
    project.profile(f'models = ["old"]\n{LINES}'.replace("trials = 16", "trials = 20"))
    project.file("tests/test_line_retrieval.py").write_text(TEST)
    arguments = "old", "rude", "--tests", "tests", "-k", "review or retrieval", "--profile", "tiny.toml"

    def both(body: Body) -> Answer:
        return right(body) if "REGISTER_CONTENT" in prompt_of(body) else answers(body)

    with SimulatedServer(both) as server:
        result = upgrade(project, server, *arguments, "--max-cost", 1)
        assert len(server.asked) == 2 * 40 + 20, result
    assert result.code == 0, result
    tests = data(project)["candidates"][0]["tests"]
    assert [test["test"] for test in tests] == ["line_retrieval", "test_review"]


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ("def broken(:", 2, ("[tests-not-run]", "tests/test_documents.py cannot be run: SyntaxError")),
        ("import pytest\n@pytest.fixture\ndef ask(): raise OSError('down')\n" + TESTS, 12, ("OSError: down",)),
    ],
)
def test_a_test_that_cannot_be_run_ends_it_before_anything_is_asked(
    project: Checkout, change: str, code: int, says: tuple[str, ...]
) -> None:
    project.file("tests/test_documents.py").write_text(change)
    with SimulatedServer(answers) as server:
        result = upgrade(project, server, "old", "weak", "--max-cost", 1)
        assert not server.received
    assert result.code == code
    assert result.says(*says), result


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("old", "tests/test_documents.py"), "test-as-treatment"),
        (("old", "new", "--tests", "nowhere.py"), "tests-not-run"),
        (("old", "new", "-k", "nothing"), "no-test-to-upgrade"),
    ],
)
def test_a_mistaken_selection_is_refused(project: Checkout, arguments: tuple[str, ...], code: str) -> None:
    result = upgrade(project, None, *arguments)
    assert result.code == 2
    assert result.says(f"[{code}]"), result


def test_without_a_profile_of_protocols_it_takes_the_project_s_tests(project: Checkout) -> None:
    """As README's first test does after `init`: a profile that names models, and functions."""
    named = data(project, "first")["candidates"]
    for profile in ("", 'models = ["old"]\n'):
        if profile:
            project.profile(profile, name="first.toml")
        result = project.longctx("upgrade", "old", "new", "--margin", 0.3, "--out", "up", "--volume", 1_000_000)
        assert result.code in (0, 11), result
        assert data(project)["candidates"] == named
        shutil.rmtree(project.file("up"))
    result = project.longctx("upgrade", "old", "new", "-k", "review", "--margin", 0.3, "--out", "up")
    assert [test["test"] for test in data(project)["candidates"][0]["tests"]] == ["test_review"], result
