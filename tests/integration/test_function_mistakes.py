"""Mistakes in test functions, each a sentence; and what works with them: options of pytest's and of longctx's."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.given import served
from tests.integration.conftest import NO_TEXT, RECORD_ONLY, Checkout
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of


def echo(body: Body) -> Answer:
    return 200, {}, message(prompt_of(body).rpartition(" ")[2], body)


server = served(echo)


def with_test(project: Checkout, *lines: str, name: str = "test_it.py") -> Checkout:
    project.file(name).write_text("\n".join(["import pytest", "", *lines, ""]))
    return project


MARKED = "@pytest.mark.longctx(trials=2)"

AT_COLLECTION = {
    "neither-trials-nor-cases": ["@pytest.mark.longctx", "def test_it(ask): ask('a')"],
    "generator-function": [MARKED, "async def test_it(ask): yield ask('a')"],
    "parameter-is-no-name": [
        MARKED,
        "@pytest.mark.parametrize('lines', [pytest.param([1], id=pytest.HIDDEN_PARAM)])",
        "def test_it(ask, lines): ask('a')",
    ],
    "marked-twice": ["@pytest.mark.longctx(trials=3)", MARKED, "def test_it(ask): ask('a')"],
    "bad-marker": ["@pytest.mark.longctx(trails=2)", "def test_it(ask): ask('a')"],
    "bad-axes": ["@pytest.mark.longctx(trials=2, axes=3)", "def test_it(ask): ask('a')"],
    "cluster-without-cases": ["@pytest.mark.longctx(trials=2, cluster='x')", "def test_it(ask): ask('a')"],
    "no-cases-file": ["@pytest.mark.longctx(cases='none.jsonl')", "def test_it(ask): ask('a')"],
    "leads-outside": ["@pytest.mark.longctx(cases='../../none.jsonl')", "def test_it(ask): ask('a')"],
    "longer-than-bands": [
        "@pytest.mark.longctx(trials=2, bands={'short': 10})",
        "@pytest.mark.parametrize('tokens', [20])",
        "def test_it(ask, tokens): ask('a')",
    ],
}


@pytest.mark.parametrize("code", AT_COLLECTION)
def test_a_mistake_in_the_marker_fails_its_own_test(project: Checkout, code: str) -> None:
    result = with_test(project, *AT_COLLECTION[code], "", "def test_unrelated(): pass").pytest()
    assert result.code == 1, result.out
    assert result.says(f"[{code}]", "1 failed, 1 passed")


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_the_other_tests_are_asked(project: Checkout, server: SimulatedServer, workers: str) -> None:
    lines = [
        line.replace("test_it", f"test_{place}") for place, each in enumerate(AT_COLLECTION.values()) for line in each
    ]
    with_test(
        project, *lines, MARKED, "@pytest.mark.parametrize('text', ['a/b', 'é'])", "def test_it(ask, text): ask(text)"
    )
    result = project.record(server, workers)
    assert result.says(*(f"[{code}]" for code in AT_COLLECTION), f"{len(AT_COLLECTION)} failed, 2 passed"), result.out
    assert result.says("test_it.py::test_0[mistake] could not be run: ")
    assert sorted(map(prompt_of, server.asked)) == ["a/b", "a/b", "é", "é"]
    assert {row["cell"] for row in project.rows()} == {"text-_-4a99557e", "text-a_b-c14cddc0"}


def test_asking_alone_tells_of_mistakes(project: Checkout, server: SimulatedServer) -> None:
    with_test(project, "@pytest.mark.longctx(trails=2)", "def test_it(ask): ask('a')")
    result = project.record(server, env=RECORD_ONLY)
    assert result.code == 4
    assert result.says("Nothing to send", "[bad-marker]")


def test_two_tests_of_one_name(project: Checkout) -> None:
    for name in ("test_it.py", "test_other.py"):
        with_test(project, MARKED, "def test_it(ask): ask('a')", name=name)
    result = project.pytest()
    assert result.code == 1
    assert result.says("[two-tests-of-one-name]", "test_it.py and in", "test_other.py: rename one of them")
    assert result.says("2 of 2 trials have no recording")


def test_a_value_that_is_given_twice_is_asked_once(project: Checkout, server: SimulatedServer) -> None:
    with_test(project, MARKED, "@pytest.mark.parametrize('size', [1, 1])", "def test_it(ask, size): assert ask('a')")
    twice = project.record(server)
    assert twice.code == 1
    assert twice.says("[two-cells-of-one-name]", "two cells size-1 for toy, which have the same trials")
    assert len(server.asked) == 2
    assert "Nothing was sent" not in twice.out
    project.profile("models = ['toy']\n[test_it]\nsize = [1, 1]\n")
    assert project.pytest().says("1 passed"), "a profile's table names each value once, as one of a protocol does"


def test_a_marked_method_of_unittest_is_not_ignored(project: Checkout) -> None:
    lines = ["import unittest", "", "class TestIt(unittest.TestCase):", f"    {MARKED}", "    def test_it(self): pass"]
    result = with_test(project, *lines, "    def test_other(self): pass").pytest()
    assert result.code == 1
    assert result.says("[unittest-method]", "1 failed, 1 passed")


WHEN_RUN = {
    "nothing-to-say": "ask()",
    "decided-by-profile": "ask('a', model='other')",
    "no-judge": "judge('a')",
    "no-case": "case.id",
    "test-never-asks": "draw.integer(1, 2)",
    "no-such-template": "ask(prompt('first'))",
    "request-not-recordable": "ask.client().models.list()",
    "bad-check-name": "check('a/b', True)",
}


def test_mistakes_in_the_body_are_the_tests_own(project: Checkout, server: SimulatedServer) -> None:
    lines: list[str] = []
    for code, body in WHEN_RUN.items():
        name = f"test_{code.replace('-', '_')}"
        # Neither the test nor a product's code takes the mistake for an error that it can handle.
        lines += [MARKED, f"def {name}(ask, draw, case, check, judge, prompt):", "    try:", f"        {body}"]
        lines += ["    except Exception:", "        ask('say it again')", ""]
    result = with_test(project, *lines).record(server)
    assert result.code == 1
    assert server.asked == []
    for code in WHEN_RUN:
        assert result.says(f"[{code}]"), (code, result.out)


def test_a_test_that_judges_nothing_is_named(project: Checkout, server: SimulatedServer) -> None:
    lines = [MARKED, "def test_asks(ask): ask('a')", MARKED, "def test_checks(ask, check): check('a', ask('a').text)"]
    lines += [MARKED, "def test_delegates(ask): verify(ask('a'))", "def verify(reply): assert reply.text"]
    result = with_test(project, *lines).record(server)
    assert result.says("test_asks has no assert and no check, so every reply counts as correct.")
    assert "test_checks has" not in result.out
    assert "test_delegates has" not in result.out


def test_a_loop_without_end_is_stopped(project: Checkout, server: SimulatedServer) -> None:
    with_test(
        project,
        "@pytest.mark.longctx(trials=1)",
        "def test_it(ask):",
        "    while True:",
        "        ask('say a')",
    )
    result = project.record(server)
    assert result.code == 1
    assert result.says("[too-many-requests]", "sends more than 50 requests")
    assert len(server.asked) == 50


def test_a_test_that_only_counts_tokens_never_asks(project: Checkout, server: SimulatedServer) -> None:
    count = "ask.client().messages.count_tokens(model='x', messages=[{'role': 'user', 'content': 'a'}])"
    result = with_test(project, MARKED, f"def test_it(ask): assert {count}.input_tokens > 0").record(server)
    assert result.code == 1
    assert result.says("[test-never-asks]")
    assert [request.path for request in server.received if "count" in request.path]


def test_ask_outside_a_marked_test(project: Checkout) -> None:
    result = with_test(project, "def test_it(ask): ask('a')").pytest()
    assert result.code == 1
    assert "[not-in-a-trial]" in result.out
    assert "Traceback" not in result.out
    assert "self.current" not in result.out


@pytest.mark.parametrize("fixture", ["draw.integer(1, 2)", "check('a', True)", "case.id"])
def test_other_fixtures_outside_a_marked_test(project: Checkout, fixture: str) -> None:
    result = with_test(project, f"def test_it(draw, check, case): {fixture}").pytest()
    assert "[not-in-a-trial]" in result.out


WORKING = """
import enum

import pytest


class Tone(enum.Enum):
    CALM = 1
    LOUD = 2


@pytest.fixture(params=["red", "blue"])
def colour(request):
    return request.param


@pytest.mark.longctx(trials=2)
@pytest.mark.parametrize("tone", Tone)
def test_colours(ask, draw, colour, tone, tmp_path):
    assert tmp_path.is_dir()
    assert ask(f"{draw.uuid()} {tone.name} say {colour}").text == colour


class TestGroup:
    @pytest.mark.longctx(cases="cases.jsonl", repeats=2)
    async def test_cases(self, ask, case):
        assert ask(f"{case.items} say {case.id}").text == str(case.id)
"""


@pytest.fixture
def working(project: Checkout, server: SimulatedServer) -> Checkout:
    project.file("test_working.py").write_text(WORKING)
    project.file("cases.jsonl").write_text('{"id": "a", "items": "x\u2028y"}\n\n{"id": 7, "items": [1]}\n')
    return project


def test_classes_fixtures_async_tests_and_cases_are_asked(working: Checkout, server: SimulatedServer) -> None:
    result = working.record(server, "--junitxml=junit.xml", "--ctx-label=branch=mine")
    assert result.code == 0, result.out
    rows = working.rows()
    assert len(rows) == len(server.asked) == 2 * 2 * 2 + 2 * 2
    assert {row["cell"] for row in rows if row["test"] == "test_colours"} == {
        f"colour-{colour}-tone-{tone}" for colour in ("red", "blue") for tone in ("CALM", "LOUD")
    }
    assert {(row["item"], row["repeat"]) for row in rows if row["test"] == "test_cases"} == {
        ("a", 0),
        ("a", 1),
        ("7", 0),
        ("7", 1),
    }
    assert {row["labels"]["branch"] for row in rows} == {"mine"}
    tree = ElementTree.parse(working.file("junit.xml"))
    properties = {(entry.get("name"), entry.get("value")) for entry in tree.iter("property")}
    assert ("test", "test_colours") in properties


def test_options_choose_what_is_asked(working: Checkout, server: SimulatedServer) -> None:
    def asked(*arguments: str) -> list[str]:
        server.received.clear()
        working.record(server, *arguments, env=RECORD_ONLY)
        return [prompt_of(body) for body in server.asked]

    assert len(asked("-k", "red and CALM")) == 2
    assert len(asked("-k", "test_cases", "--ctx-only=7")) == 2  # the repeats of the case 7
    assert asked("-k", "test_cases", "--ctx-only=1") == []  # which is the second
    assert len(asked("-k", "red and CALM", "--ctx-trials=3")) == 1
    assert len(asked("-k", "red and CALM", "--ctx-repeats=2")) == 2
    assert len(asked("-k", "red and CALM", "--ctx-model=other")) == 2
    assert asked("-k", "red and CALM") == []


def test_a_trial_that_no_case_has_is_a_sentence(working: Checkout, server: SimulatedServer) -> None:
    result = working.record(server, "-k", "test_cases", "--ctx-only=9")
    assert result.code != 0
    assert result.says("there is no trial 9 (--ctx-only), since it has 2 cases")
    assert server.asked == []


def test_nothing_is_kept_without_text(working: Checkout, server: SimulatedServer) -> None:
    result = working.record(server, "-k", "red", env=NO_TEXT)
    assert result.code == 0, result.out
    assert working.cassettes() == {}
    assert {(row["returned"], row["why"]) for row in working.rows()} == {(None, None)}
    assert not re.search(r"say red", working.file("reports/latest/results.jsonl").read_text())


def test_a_minimum_rate_fails_the_test(working: Checkout, server: SimulatedServer) -> None:
    server.script = lambda body: (200, {}, message("no", body))
    working.options(min_rate=0.9)
    result = working.record(server, "-k", "red and CALM", "--ctx-trials=20")
    assert result.code == 1
    assert "0.00" in result.out
    assert "0.9" in result.out


def test_links_of_a_stranger_are_not_followed(project: Checkout, tmp_path: Path, server: SimulatedServer) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_text('{"id": "a", "key": "secret"}\n')
    project.file("cases.jsonl").symlink_to(secret)
    with_test(project, "@pytest.mark.longctx(cases='cases.jsonl')", "def test_it(ask, case): ask(case.key)")
    assert project.record(server).says("[leads-outside]")
    with_test(project, MARKED, "def test_it(ask, prompt): ask(prompt('first'))")
    templates = project.file("fixtures/prompts/protocol/test_it")
    templates.mkdir(parents=True)
    (templates / "first.txt").symlink_to(secret)
    assert project.record(server).says("[leads-outside]")
    assert server.asked == []


def test_templates_of_a_prompt_set_are_read_and_their_change_is_stale(
    project: Checkout, server: SimulatedServer
) -> None:
    with_test(project, MARKED, "def test_it(ask, prompt): assert ask(prompt('first')).text == 'a'")
    template = project.file("fixtures/prompts/protocol/test_it/first.txt")
    template.parent.mkdir(parents=True)
    template.write_text("say a\n")
    assert project.record(server).code == 0
    assert prompt_of(server.asked[0]) == "say a"
    template.write_text("now say a\n")
    assert project.pytest().says("2 of 2 trials are stale: the recorded prompt set is 'protocol' (")
