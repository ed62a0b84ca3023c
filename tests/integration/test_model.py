"""--ctx-model: whom to ask, instead of the profile's models."""

from __future__ import annotations

import datetime

import pytest

from longctx.config.file_names import file_name
from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import SimulatedServer, saying


def test_it_may_be_given_more_than_once(checkout: Checkout, server: SimulatedServer) -> None:
    both = ("--ctx-model=a", "--ctx-model=org/b:7")
    assert checkout.record(server, *both).code == 0
    assert [body["model"] for body in server.asked].count("a") == 4
    assert [body["model"] for body in server.asked].count("org/b:7") == 4
    assert {row["model"] for row in checkout.rows()} == {"a", "org/b:7"}
    assert {name.split("/")[0] for name in checkout.cassettes()} == {"a", file_name("org/b:7")}
    assert checkout.pytest(*both).code == 0


def test_no_replay_answers_for_a_model_whose_name_is_cleaned_alike(checkout: Checkout, server: SimulatedServer) -> None:
    """tests/config/test_file_names.py has more such names."""
    both = "org/model", "org_model"
    one, other = (f"--ctx-model={name}" for name in both)
    checkout.profile(LINES, PASSKEY)
    assert checkout.record(server, one).code == 0
    assert checkout.pytest(other).says("No answer of org_model is recorded", "[model-not-recorded]")
    server.script = saying("none")
    assert checkout.record(server, other).code == 0
    assert checkout.pytest(one, other).code == 0
    judged = {(row["model"], row["outcome"]) for row in checkout.rows()}
    assert judged == {(both[0], "correct"), (both[1], "unparseable")}


def test_a_model_that_was_not_recorded(recorded: Checkout) -> None:
    """One sentence, before the first test."""
    for name, meant in (("other", "There are: toy."), ("toys", "Did you mean 'toy'?")):
        result = recorded.pytest(f"--ctx-model={name}")
        assert result.code == 4
        assert result.says(
            f"No answer of {name} is recorded in ", f"{meant} To record its answers, add --ctx-record once"
        )
        assert len(result.err.strip().splitlines()) == 1
        assert "no recording" not in result.out
    assert recorded.pytest("--ctx-model=other", "--ctx-estimate").code == 0
    assert recorded.pytest("--ctx-model=other", "--collect-only").code == 0
    assert recorded.pytest("--ctx-model=toy").code == 0


def test_the_profile_of_a_model_is_used(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/a.toml").write_text("extra_body = { temperature = 0.5, max_tokens = 30 }\n")
    assert checkout.record(server, "--ctx-model=a", "-k", "lines-3").code == 0
    assert [(body["temperature"], body["max_tokens"]) for body in server.asked] == [(0.5, 30)] * 2


def test_how_a_model_thinks_is_part_of_the_question(checkout: Checkout, server: SimulatedServer) -> None:
    profile = checkout.file("fixtures/models/a.toml")
    profile.write_text('system = "Be terse."\nthinking = { type = "adaptive" }\neffort = "low"\n')
    assert checkout.record(server, "--ctx-model=a", "-k", "lines-3").code == 0
    asked = [(body["system"], body["thinking"], body["output_config"]) for body in server.asked]
    assert asked == [("Be terse.", {"type": "adaptive"}, {"effort": "low"})] * 2
    assert checkout.pytest("--ctx-model=a", "-k", "lines-3").code == 0
    profile.write_text(profile.read_text().replace("low", "high"))
    result = checkout.pytest("--ctx-model=a", "-k", "lines-3")
    assert result.code == 1
    assert result.says("2 of 2 trials are stale")


def test_the_model_that_answered_is_kept_beside_the_one_asked(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("42", model="a-2026-01-01")
    warning = "a was asked for, but the server says that a-2026-01-01 answered all 4 trials."
    assert checkout.record(server, "--ctx-model=a").says(warning)
    assert {(row["model"], row["model_returned"]) for row in checkout.rows()} == {("a", "a-2026-01-01")}
    assert checkout.pytest("--ctx-model=a").says(warning)
    assert warning in checkout.file("reports/latest/summary.md").read_text()


def test_the_id_that_a_provider_is_sent_is_the_one_asked_for(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/low.toml").write_text('provider_model = "toy"\n')
    result = checkout.record(server, "--ctx-model=low")
    assert {(row["model"], row["model_returned"]) for row in checkout.rows()} == {("low", "toy")}
    assert "was asked for" not in result.out


@pytest.mark.parametrize(
    ("days", "sentence"),
    [
        (60, "toy retires on {day}, in 60 days: longctx upgrade toy NEW shows whether NEW can replace it."),
        (1, "toy retires on {day}, in 1 day: longctx upgrade toy NEW"),
        (0, "toy retired on {day}: longctx upgrade toy NEW"),
        (61, ""),
    ],
)
def test_a_model_that_retires_soon_is_named(recorded: Checkout, days: int, sentence: str) -> None:
    day = datetime.date.today() + datetime.timedelta(days=days)
    recorded.file("fixtures/models/toy.toml").write_text(f"retires = {day}\n")
    result = recorded.pytest("-k", "lines-3")
    assert result.says(sentence.format(day=day)), result
    assert sentence or "toy retire" not in result.out


def test_a_model_of_another_vendor_takes_one_line(checkout: Checkout) -> None:
    checkout.profile('models = ["gpt-7-mini"]\n')
    checkout.functions(
        "import pytest\n\n\n@pytest.mark.longctx(trials=2)\ndef test_it(ask):\n    assert ask('Say yes.').text\n"
    )
    run = ("tests_longctx/test_functions.py", "--ctx-record=once")
    first = checkout.pytest(*run, env={"ANTHROPIC_API_KEY": "any"})
    assert first.code != 0
    assert first.says(
        "gpt-7-mini is a model of OpenAI, but its requests would go to Anthropic's server: add the line "
        'api = "openai-chat" into fixtures/models/gpt-7-mini.toml (longctx models add gpt-7-mini --api openai-chat '
        "writes this file). [model-of-another-vendor]"
    ), first
    checkout.file("fixtures/models/gpt-7-mini.toml").write_text('api = "openai-chat"\n')
    with SimulatedServer(saying("yes")) as server:
        second = checkout.pytest(*run, env={"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": f"{server.url}/v1"})
        assert {request.path for request in server.received} == {"/v1/chat/completions"}
    assert second.code == 0, second
