"""counts= of a test function: the tokens of its probes, counted before anything is asked and kept in [[measured]]."""

from __future__ import annotations

import re
import signal
import tomllib
from typing import Any

import pytest

from tests.batch_server import BatchServer
from tests.given import served
from tests.integration.conftest import LINES, PASSKEY, TOY, Checkout, Result
from tests.integration.functions import ask, code, run
from tests.integration.listening import Listening
from tests.integration.priced import priced
from tests.live.server.shapes import NO_COUNTS
from tests.servers import Body, SimulatedServer, count_tokens, counting, failing, prompt_of

SKY = "The sky is blue today, and the sea is calm."
FILL = """
import pytest

from longctx import Counts

SENTENCE = "{sentence} "


def probes(words):
    return {{"10": SENTENCE * 10, "20": SENTENCE * 20}}


def values(counts):
    return {{"sentence": (counts["20"] - counts["10"]) / {divisor}}}


def fits(cell):
    if cell.counted["sentence"] > cell.budget:
        raise ValueError("a budget of %d tokens is less than a sentence" % cell.budget)


@pytest.mark.longctx(trials={trials}, counts=Counts(probes, values, needs=("sentence",), fits=fits))
@pytest.mark.parametrize("budget", {budgets})
def test_fill(ask, draw, budget):
    code = draw.integer(10_000, 99_999)
    text = SENTENCE * int(budget / ask.tokens()["sentence"])
    assert ask(f"{{text}}The code is {{code}}. What is the code?", max_tokens=50).integer() == code
"""
COUNT = "/v1/messages/count_tokens"
PROFILE = "fixtures/models/toy.toml"


server = served(code)


@pytest.fixture
def project(checkout: Checkout) -> Checkout:
    write(checkout)
    return checkout


def write(
    project: Checkout, sentence: str = SKY, trials: int = 2, budgets: str = "[100, 400]", divisor: int = 10
) -> None:
    text = FILL.format(sentence=sentence, trials=trials, budgets=budgets, divisor=divisor)
    project.functions(text)


def measured(project: Checkout, model: str = "toy") -> list[dict[str, Any]]:
    file = project.file(f"fixtures/models/{model}.toml")
    tables: list[dict[str, Any]] = tomllib.loads(file.read_text()).get("measured", []) if file.exists() else []
    return tables


def counted(server: SimulatedServer) -> list[str]:
    return [prompt_of(request.body) for request in server.received if request.path == COUNT]


def sentences(body: Body, sentence: str = SKY) -> int:
    return prompt_of(body).count(sentence)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_probes_are_counted_once_before_the_first_trial_and_kept(
    project: Checkout, server: SimulatedServer, workers: str
) -> None:
    result = ask(project, server, workers)
    assert result.code == 0, result
    assert [request.path for request in server.received] == [COUNT] * 2 + ["/v1/messages"] * 4
    assert [prompt.count(SKY) for prompt in counted(server)] == [10, 20]
    [table] = measured(project)
    kept = {"10": count_tokens(f"{SKY} " * 10), "20": count_tokens(f"{SKY} " * 20)}
    assert (table["test"], table["values"]) == ("test_fill", kept)
    each = (kept["20"] - kept["10"]) / 10
    assert sorted(map(sentences, server.asked)) == [int(100 / each)] * 2 + [int(400 / each)] * 2
    assert {row["outcome"] for row in project.rows()} == {"correct"}
    replayed = run(project, workers)
    assert replayed.code == 0, replayed
    assert replayed.says("4 replayed, 0 requests")
    again = ask(project, server, workers, mode="all")
    assert again.code == 0, again
    assert len(counted(server)) == 2
    assert len(server.asked) == 8


def test_probes_are_counted_before_batches(project: Checkout) -> None:
    with BatchServer(script=code) as server:
        project.settings(trial_run=False)
        result = ask(project, server, "--ctx-batch")
        assert result.code == 0, result
        assert len(counted(server)) == 2
        assert [len(batch.requests) for batch in server.created] == [4]
    assert run(project).code == 0


def test_an_edited_probe_is_counted_again_and_its_answers_are_stale(project: Checkout, server: SimulatedServer) -> None:
    assert ask(project, server).code == 0
    [before] = measured(project)
    write(project, sentence="Rain fell.")
    stale = run(project)
    assert stale.code == 1
    assert stale.says("whose tokens must be counted first. Add --ctx-record once, which does both."), stale
    once = ask(project, server)
    assert once.code == 1
    assert once.says("2 of 2 trials are stale"), once
    assert len(counted(server)) == 4
    assert [table["wording"] == before["wording"] for table in measured(project)] == [True, False]
    assert ask(project, server, mode="new_episodes").code == 0
    assert len(counted(server)) == 4
    write(project)
    assert run(project).code == 0


def test_what_is_made_of_the_counts_may_be_edited(project: Checkout, server: SimulatedServer) -> None:
    """The counts are kept, and not what was made of them."""
    assert ask(project, server).code == 0
    write(project, divisor=5)
    assert run(project).says("2 of 2 trials are stale")
    assert ask(project, server, mode="new_episodes").code == 0
    assert len(counted(server)) == 2
    assert sentences(server.asked[-1]) == max(map(sentences, server.asked)) // 2


def test_a_replay_without_counts_says_how_to_get_them(project: Checkout, server: SimulatedServer) -> None:
    assert ask(project, server).code == 0
    project.file(PROFILE).unlink()
    before = len(server.received)
    for workers in ("-n0", "-n2"):
        result = run(project, workers, f"--ctx-base-url={server.url}")
        assert result.code == 1
        assert result.says(
            "invalid: toy-protocol-budget-100: toy has no recordings with this wording, whose tokens must be counted",
            "Add --ctx-record once, which does both. [prompt-set-not-measured]",
        ), result
        assert {(row["outcome"], row["error"]) for row in project.rows()} == {("not_asked", "prompt-set-not-measured")}
        assert len(project.rows()) == 4
    assert len(server.received) == before
    assert ask(project, server).says("4 replayed")


def test_what_nobody_recorded_is_skipped_in_a_run_without_options(project: Checkout) -> None:
    file = project.file("tests_longctx/test_functions.py")
    file.write_text(file.read_text().replace("longctx(", 'longctx(models=["toy"], '))
    result = project.pytest("tests_longctx/test_functions.py", "-rs", profile=None)
    assert result.code == 0, result
    assert result.says("2 skipped", "no answer of toy is recorded"), result


def test_an_estimate_sends_nothing_and_takes_the_profiles_tokens(project: Checkout, server: SimulatedServer) -> None:
    def input_tokens() -> int:
        result = run(project, "--ctx-estimate", f"--ctx-base-url={server.url}")
        assert result.code == 0, result
        assert result.says(
            "test_fill on toy: 4 of 4 trials need a request, about ", "at most 200 output", "Tokens by the"
        )
        assert result.says("Estimate only: no requests were sent.")
        return int(re.search(r"about ([\d,]+) input", result.out)[1].replace(",", ""))  # type: ignore[index]

    assert 2 * (100 + 400) * 0.8 < input_tokens() < 2 * (100 + 400) * 1.4
    assert not server.received
    assert not measured(project)
    assert ask(project, server, "-k", "400").code == 0
    assert run(project, "--ctx-estimate").says("2 of 4 trials need a request")


def test_a_server_that_does_not_count_leaves_the_other_tests_to_be_asked(
    project: Checkout, server: SimulatedServer
) -> None:
    other = '\n\n@pytest.mark.longctx(trials=3)\ndef test_other(ask):\n    assert ask("The code is 12345.").integer()\n'
    file = project.file("tests_longctx/test_functions.py")
    file.write_text(file.read_text() + other)
    server.counting = failing(404, "no such path")
    result = ask(project, server)
    assert result.code == 1
    why = "toy: test_fill cannot build its prompts, because its tokens could not be counted: "
    assert result.says(
        why,
        "Use a server that counts tokens, or leave it out with -k 'not test_fill'.",
        "Asked 3 requests of 3 trials of test functions.",
        f"invalid: {why}",
    ), result
    assert "could not be asked: " not in result.out
    assert {row["error"] for row in project.rows() if row["test"] == "test_fill"} == {"not_counted"}
    assert {row["outcome"] for row in project.rows() if row["test"] == "test_other"} == {"correct"}
    server.counting = counting
    assert ask(project, server).says("4 live, 3 replayed")


def test_counts_may_be_written_by_hand(project: Checkout, server: SimulatedServer) -> None:
    server.counting = failing(404, "no such path")
    refused = ask(project, server)
    assert refused.code == 4
    wording = re.search(r"whose wording is '(\w{12})'", " ".join(refused.out.split() + refused.err.split()))
    assert wording, refused
    table = f'[[measured]]\ntest = "test_fill"\nwording = "{wording[1]}"\non = 2026-11-26\n'
    project.file(PROFILE).write_text(f"{table}values = {{ 10 = 100, 20 = 200 }}\n")
    assert ask(project, server).code == 0
    assert sorted(map(sentences, server.asked)) == [10, 10, 40, 40]
    project.file(PROFILE).write_text(f"{table}values = {{ 10 = inf, 20 = inf }}\n")
    assert run(project).says("fixtures/models/toy.toml", "finite number")


def test_a_signal_ends_the_counting(project: Checkout, server: SimulatedServer) -> None:
    server.held = (COUNT,)
    project.profile(TOY)
    with Listening(project, "tests_longctx/", f"--ctx-base-url={server.url}", "--ctx-record=once") as listening:
        server.wait_for(1, COUNT)
        listening.signal(signal.SIGINT)
        result = listening.end()
    assert result.code == 2
    assert result.says("Stopped: no requests were sent.")
    assert not server.asked
    assert not measured(project)


def test_where_nothing_else_is_selected_nothing_is_asked(project: Checkout, server: SimulatedServer) -> None:
    server.counting = NO_COUNTS["html"]
    result = ask(project, server)
    assert result.code == 4
    assert result.says("ERROR: toy: ", "test_fill cannot build its prompts", "[tokens-not-counted]")
    assert not server.asked


def test_protocols_and_functions_count_in_one_run(project: Checkout, server: SimulatedServer) -> None:
    project.profile(TOY, LINES, PASSKEY)
    result = project.record(server)
    assert {table["test"] for table in measured(project)} == {"passkey", "test_fill"}
    assert result.says("Asked 4 requests of 4 trials of test functions."), result


def test_both_models_of_an_upgrade_are_counted(project: Checkout, server: SimulatedServer) -> None:
    write(project, trials=20, budgets="[100]")
    priced(project, "toy", 1)
    priced(project, "other", 1)
    given = "--tests", "tests_longctx/test_functions.py", "--max-cost=1", "--base-url", server.url
    result = project.longctx("upgrade", "toy", "other", *given, env={"ANTHROPIC_API_KEY": "k"})
    assert result.code in (0, 11), result
    assert len(counted(server)) == 4
    assert [body["model"] for body in server.asked].count("other") == 20
    assert len(measured(project)) == len(measured(project, "other")) == 1


def test_a_cell_that_does_not_fit_fails_alone(project: Checkout, server: SimulatedServer) -> None:
    write(project, budgets="[3, 100]")
    result = ask(project, server)
    assert result.code == 1
    assert result.says("toy-protocol-budget-3: a budget of 3 tokens is less than a sentence [cell-not-buildable]")
    assert len(server.asked) == 2
    assert [row["error"] for row in project.rows()] == ["cell-not-buildable"] * 2 + [None] * 2


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (('"20": SENTENCE * 20', '"20": ""'), "probes must return a dict of names and texts that are"),
        (('"20": SENTENCE * 20', '"20": words["filler"]'), "probes fails with KeyError: 'filler'."),
        (("Counts(probes, values, needs=", "dict(needs="), "counts of its marker is "),
    ],
)
def test_a_mistake_in_its_probes_fails_the_test_alone(
    project: Checkout, server: SimulatedServer, edit: tuple[str, str], says: str
) -> None:
    file = project.file("tests_longctx/test_functions.py")
    other = '\n\n@pytest.mark.longctx(trials=3)\ndef test_other(ask):\n    assert ask("The code is 12345.").integer()\n'
    file.write_text(file.read_text().replace(*edit) + other)
    result = ask(project, server)
    assert result.code == 1
    assert result.says(f"test_fill: {'the counts of its marker: ' if says.startswith('probes') else ''}{says}"), result
    assert len(server.asked) == 3


def test_a_mistake_in_its_values_ends_the_run_before_it_asks(project: Checkout, server: SimulatedServer) -> None:
    file = project.file("tests_longctx/test_functions.py")
    file.write_text(file.read_text().replace('counts["20"]', 'counts["30"]'))
    result = ask(project, server)
    assert result.code == 4
    assert result.says("test_fill: the counts of its marker: values fails with KeyError: '30'. [bad-counts]"), result
    assert not server.asked
    assert not measured(project)


def test_tokens_without_counts_are_a_mistake(project: Checkout) -> None:
    file = project.file("tests_longctx/test_functions.py")
    text = "import pytest\n\n\n@pytest.mark.longctx(trials=1)\ndef test_it(ask):\n    assert ask.tokens()\n"
    file.write_text(text)
    result: Result = run(project)
    assert result.code == 1
    assert result.says("test_it calls ask.tokens(), but its marker has no counts: add", "[no-counts]")
