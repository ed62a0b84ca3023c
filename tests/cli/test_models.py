"""`python -m longctx models`: what it prints, and what it keeps in a profile."""

from __future__ import annotations

import datetime
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longctx.cli import main
from longctx.config.models import ModelProfile, load_model, read_profile
from longctx.config.prompts import PromptSet
from longctx.live.server.probing import differences
from longctx.workspace import Workspace
from tests.given import wording_of
from tests.here import HERE
from tests.live.server.shapes import NO_COUNTS, NO_MODELS
from tests.protocols import Passkey
from tests.providers import ENVIRONMENTS, VARIABLES, ProviderServer
from tests.recording.examples import line_cell, recorded
from tests.servers import Answer, Body, Script, SimulatedServer, count_tokens, failing, giving, saying

CAPABILITIES: dict[str, Any] = {
    "batch": {"supported": True},
    "thinking": {
        "supported": True,
        "types": {"adaptive": {"supported": True}, "enabled": {"supported": False}, "disabled": {"supported": True}},
    },
    "effort": {"supported": True, "low": {"supported": True}, "high": {"supported": True}, "max": {"supported": False}},
}


@pytest.fixture(autouse=True)
def profiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, within_mine: Workspace) -> Path:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("longctx.live.server.client.RETRIES", 0)
    return within_mine.own("models")


@pytest.fixture
def server() -> Iterator[SimulatedServer]:
    with SimulatedServer(window=4096) as server:
        server.capabilities = CAPABILITIES
        yield server


def cells(printed: str) -> list[list[str]]:
    """Return the cells of each line of a table."""
    return [[cell for cell in line.split("  ") if cell] for line in printed.splitlines()]


def test_what_a_server_says_is_kept_and_told(
    server: SimulatedServer, profiles: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "probe", "toy", "--base-url", server.url]) == 0
    printed = capsys.readouterr().out
    rows = [[cell.strip() for cell in row] for row in cells(printed)]
    assert ["window, tokens", "-", "4,096", "new"] in rows
    assert ["thinking", "-", "adaptive, disabled", "new"] in rows
    assert ["effort", "-", "low, high", "new"] in rows
    assert ["batches", "-", "yes", "new"] in rows
    assert f"Kept in {profiles / 'toy.toml'}." in printed
    assert not server.asked, "nothing is paid for"

    profile = read_profile(mine, "toy")
    assert profile.probed is not None
    days_ago = (datetime.datetime.now(datetime.UTC).date() - profile.probed.on).days
    assert (days_ago in (0, 1), profile.probed.source) == (True, server.url)  # a day may end between the two
    assert profile.probed.effort == ("low", "high")
    wording = wording_of(Passkey)
    measured = profile.token_values("passkey", wording.digest)
    assert measured is not None
    assert measured["filler"] == count_tokens(wording.templates["filler"])
    assert profile.probed.line == pytest.approx(count_tokens("line 1: REGISTER_CONTENT is <6727>"))
    assert load_model(mine, "toy").window == 4096


def test_a_second_probe_says_what_changed(
    server: SimulatedServer, profiles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["models", "probe", "toy", "--base-url", server.url])
    first = (profiles / "toy.toml").read_text()
    main(["models", "probe", "toy", "--base-url", server.url])
    assert (profiles / "toy.toml").read_text() == first, "the same counts are not kept twice"
    capsys.readouterr()
    server.window = 8192
    assert main(["models", "probe", "toy", "--base-url", server.url]) == 0
    rows = [[cell.strip() for cell in row] for row in cells(capsys.readouterr().out)]
    assert ["window, tokens", "4,096", "8,192", "changed"] in rows
    assert [row for row in rows if row[-1] in ("new", "changed")] == [["window, tokens", "4,096", "8,192", "changed"]]


def test_what_a_person_wrote_stays_and_differences_are_reported(
    server: SimulatedServer, profiles: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    written = (
        '# Mine.\nwindow = 2000  # as its card says\neffort = "max"\n'
        'thinking = { type = "enabled", budget_tokens = 1024 }\n'
    )
    (profiles / "toy.toml").write_text(f"{written}[tokens]\nline = 99\n")
    assert main(["models", "probe", "toy", "--base-url", server.url]) == 0
    printed = capsys.readouterr().out
    assert "window = 2000 is used, although the server reports 4096: delete it to use the server's." in printed
    assert "effort 'max' is refused: choose one of low, high." in printed
    assert "thinking 'enabled' is refused: choose one of adaptive, disabled." in printed
    line = float(count_tokens("line 1: REGISTER_CONTENT is <6727>"))
    assert f"tokens.line = 99.0 is used, although {line} were counted: delete it to use the count." in printed
    assert (profiles / "toy.toml").read_text().startswith(written)
    assert load_model(mine, "toy").window == 2000


def test_limits_that_a_server_tells_otherwise() -> None:
    profile = ModelProfile(window=4096, max_output=100)
    assert not differences(profile, {"window": 4096, "max_output": 100})
    assert not differences(profile, {})
    assert differences(profile, {"window": 4096, "max_output": 512}) == [
        "max_output = 100 is used, although the server reports 512: delete it to use the server's."
    ]


def test_a_model_of_another_api_is_asked_by_that(
    monkeypatch: pytest.MonkeyPatch, server: SimulatedServer, profiles: Path, mine: Workspace
) -> None:
    """A server of chat completions has no Messages API."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (profiles / "toy.toml").write_text('api = "openai-chat"\nprovider_model = "toy-v1"\nsystem = "Be terse."\n')
    server.script, server.window = saying("yes"), None
    server.counting = failing(404, "no such path")
    assert main(["models", "probe", "toy", "--ask", "--base-url", server.url]) == 0
    asked = [each for each in server.received if each.path == "/v1/chat/completions"]
    assert not server.asked
    assert {each.body["model"] for each in asked} == {"toy-v1"}
    assert all(each.body["messages"][0]["role"] in ("system", "developer") for each in asked)
    assert load_model(mine, "toy").token_values("passkey", wording_of(Passkey).digest)


def least_of_16(body: Body) -> Answer:
    """Answer as some APIs behind a gateway, which take no max_tokens of one."""
    return (saying("yes") if body["max_tokens"] >= 16 else failing(400, "max_output_tokens: at least 16"))(body)


@pytest.mark.parametrize("script", [saying("yes"), least_of_16])
def test_tokens_are_counted_by_asking(server: SimulatedServer, mine: Workspace, script: Script) -> None:
    """An estimate of the server's own is not used."""
    server.script, server.counting = script, giving(b'{"input_tokens": 12}')
    assert main(["models", "probe", "toy", "--ask", "--base-url", server.url]) == 0
    wording = wording_of(Passkey)
    profile = read_profile(mine, "toy")
    measured = profile.token_values("passkey", wording.digest)
    assert measured is not None
    assert measured["filler"] == count_tokens(wording.templates["filler"])
    assert profile.probed is not None
    assert (profile.probed.window, profile.probed.line) == (4096, None)


def test_tests_that_need_a_count_are_named_where_there_is_none(
    server: SimulatedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.counting = failing(404, "no such path")
    assert main(["models", "probe", "toy", "--base-url", server.url]) == 0
    sentence = "A run sends no request of tests that need a count (passkey, coreference, "
    assert sentence in capsys.readouterr().out


def test_a_server_that_tells_nothing(capsys: pytest.CaptureFixture[str], profiles: Path) -> None:
    with SimulatedServer() as server:
        url = server.url
    assert main(["models", "probe", "toy", "--base-url", url]) == 2
    assert url in (err := capsys.readouterr().err)
    assert "[probe-failed]" in err
    assert not list(profiles.iterdir())


def test_a_model_that_cannot_be_asked(
    server: SimulatedServer, capsys: pytest.CaptureFixture[str], profiles: Path
) -> None:
    server.script, server.window = failing(404, "no model toy"), None
    server.telling = failing(404, "no model toy")
    assert main(["models", "probe", "toy", "--ask", "--base-url", server.url]) == 2
    assert "[probe-failed]" in capsys.readouterr().err
    assert not list(profiles.iterdir())


@pytest.mark.parametrize("ask", [True, False])
def test_a_provider_that_counts_no_tokens_is_asked_for_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], profiles: Path, mine: Workspace, ask: bool
) -> None:
    (profiles / "toy.toml").write_text('provider = "bedrock"\nprovider_model = "eu.toy-v1:0"\nsystem = "Be terse."\n')
    with ProviderServer() as server:
        for name, value in ENVIRONMENTS["bedrock by token"](server.url, profiles).items():
            monkeypatch.setenv(name, value)
        code = main(["models", "probe", "toy", *(["--ask"] if ask else [])])
        asked = server.asked
    wording = wording_of(Passkey)
    measured = load_model(mine, "toy").token_values("passkey", wording.digest)
    if ask:
        assert code == 0
        assert measured is not None
        assert measured["filler"] == count_tokens(wording.templates["filler"])
        assert {body["model"] for body in asked} == {"eu.toy-v1:0"}
        assert {body["system"] for body in asked if body["max_tokens"] == 1} == {"Be terse."}
    else:
        assert code == 2
        assert "Token counting is not supported in Bedrock" in capsys.readouterr().err


def test_the_profiles_are_listed(profiles: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    (profiles / "toy.toml").write_text("window = 4096\n[prices]\ninput = 1\noutput = 5.5\ndated = 2026-11-21\n")
    (profiles / "short.toml").write_text('model = "org/long"\nprovider = "vertex"\nprefill = true\n')
    tier = "[prices]\ninput = 0.1\noutput = 0.5\ndated = 2026-11-21\n[[prices.above]]\ntokens = 100000\n"
    (profiles / "tiered.toml").write_text(f"{tier}input = 0.5\noutput = 2.5\n")
    recorded(mine.cassettes, line_cell())
    assert main(["models", "list"]) == 0
    rows = [[cell.strip() for cell in row] for row in cells(capsys.readouterr().out)]
    assert ["short (org/long)", "vertex", "-", "yes", "-", "-", "-", "no"] in rows
    assert ["toy", "-", "4,096", "no", "1 / 5.5", "2026-11-21", "-", "line_retrieval"] in rows
    assert ["tiered", "-", "-", "no", "0.1 / 0.5; above 100,000: 0.5 / 2.5", "2026-11-21", "-", "no"] in rows
    assert "claude-haiku-4-5" in {row[0] for row in rows}, "what comes with longctx is listed too"


@pytest.mark.parametrize("shape", [*NO_COUNTS])
def test_a_count_of_another_shape_is_not_kept(
    mine: Workspace, server: SimulatedServer, capsys: pytest.CaptureFixture[str], shape: str
) -> None:
    server.counting = NO_COUNTS[shape]
    assert main(["models", "probe", "toy", "--base-url", server.url]) == 0
    assert "Tokens could not be counted for free: " in capsys.readouterr().out
    profile = read_profile(mine, "toy")
    assert profile.probed is not None
    assert (profile.probed.window, profile.probed.line, profile.token_counts) == (4096, None, ())


@pytest.mark.parametrize("shape", [*NO_MODELS])
def test_a_description_of_another_shape_is_not_kept(
    mine: Workspace, server: SimulatedServer, capsys: pytest.CaptureFixture[str], shape: str
) -> None:
    server.telling = NO_MODELS[shape]
    assert main(["models", "probe", "toy", "--base-url", server.url]) == 0
    assert "does not describe the model: the server's answer is no description of" in capsys.readouterr().out
    probed = read_profile(mine, "toy").probed
    assert probed is not None
    assert (probed.window, probed.thinking) == (None, None)
    assert probed.line


def test_what_is_no_message_counts_nothing(server: SimulatedServer, capsys: pytest.CaptureFixture[str]) -> None:
    server.script = giving(b"<html>It works!</html>", **{"content-type": "text/html"})
    assert main(["models", "probe", "toy", "--ask", "--base-url", server.url]) == 0
    assert "Tokens could not be counted by replies of one token: " in capsys.readouterr().out


@pytest.mark.parametrize("usage", [{"input_tokens": 0, "output_tokens": 1}, {"input_tokens": 9, "output_tokens": 1}])
def test_a_usage_that_cannot_be_right_is_not_kept(
    server: SimulatedServer, capsys: pytest.CaptureFixture[str], mine: Workspace, usage: Body
) -> None:
    server.script = saying("yes", usage=usage)
    assert main(["models", "probe", "toy", "--ask", "--base-url", server.url]) == 0
    assert "could not be counted by replies of one token: the server's " in capsys.readouterr().out
    assert not read_profile(mine, "toy").token_counts


def test_tokens_of_another_prompt_set_are_counted(server: SimulatedServer, mine: Workspace) -> None:
    words = mine.own("prompts", "mine")
    shutil.copytree(HERE.own("prompts", "protocol"), words)
    (words / "passkey" / "filler.txt").write_text("Nothing happens here.")
    assert main(["models", "probe", "toy", "--prompts", "mine", "--base-url", server.url]) == 0
    assert read_profile(mine, "toy").token_values("passkey", PromptSet.open(mine, "mine").wording(Passkey).digest)


def test_a_prompt_set_of_one_test_is_counted_for_that_one(server: SimulatedServer, mine: Workspace) -> None:
    shutil.copytree(HERE.own("prompts", "protocol", "passkey"), mine.own("prompts", "mine", "passkey"))
    assert main(["models", "probe", "toy", "--prompts", "mine", "--base-url", server.url]) == 0
    assert [measured.test for measured in read_profile(mine, "toy").token_counts] == ["passkey"]


@pytest.mark.parametrize("held", ["/v1/models", "/v1/messages"])
def test_a_silent_server_is_waited_for_aloud_and_not_for_long(
    server: SimulatedServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    profiles: Path,
    held: str,
) -> None:
    monkeypatch.setattr("longctx.live.watch.DELAY_S", 0)
    monkeypatch.setattr("longctx.live.server.calls.TIMEOUT_S", 0.5)
    monkeypatch.setattr("longctx.live.server.counting_by_asking.ANSWER_WITHIN_S", 0.5)
    server.held = (held,)
    code = main(["models", "probe", "toy", "--ask", "--base-url", server.url])
    printed = "".join(capsys.readouterr())
    assert f"Waiting for {server.url} to " in printed
    assert f"{server.url} gave no answer within 0.5 seconds." in printed
    assert code == 0


def test_add_writes_the_profile_of_a_model_that_has_none(mine: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "add", "gpt-5-mini", "--api", "openai-chat"]) == 0
    path = mine.own("models", "gpt-5-mini.toml")
    assert f"{path} was written. Add its prices there" in capsys.readouterr().out
    assert load_model(mine, "gpt-5-mini") == ModelProfile(model="gpt-5-mini", api="openai-chat")
    assert "# [prices]" in path.read_text()
    path.write_text(re.sub(r"^# ", "", path.read_text(), flags=re.MULTILINE))
    profile = load_model(mine, "gpt-5-mini")
    assert (profile.window, profile.prices and profile.prices.input) == (400_000, 1)
    assert main(["models", "add", "gpt-5-mini"]) == 2
    assert "[model-exists]" in capsys.readouterr().err


def test_add_takes_a_server_and_a_window_and_checks_both(mine: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    add = ["models", "add", "local", "--api=openai-responses", "--api-url=http://127.0.0.1:8080/v1", "--window=32768"]
    assert main(add) == 0
    profile = load_model(mine, "local")
    assert (profile.base_url, profile.window) == ("http://127.0.0.1:8080/v1", 32_768)
    capsys.readouterr()
    assert main(["models", "add", "other", "--window=-1"]) == 2
    assert "window" in capsys.readouterr().err
    assert not mine.own("models", "other.toml").exists()
