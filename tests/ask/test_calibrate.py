"""What is learnt from the server before asking: a model's window, and its tokens per probe text."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from longctx.ask.calibrate import calibrate
from longctx.ask.case import Case
from longctx.ask.client import open_client
from longctx.ask.tape import Tape
from longctx.config import models
from longctx.errors import UserError
from longctx.scenarios import Passkey
from tests.ask.examples import line_case, passkey_case
from tests.servers import SimulatedServer, count_tokens


@pytest.fixture(autouse=True)
def profiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where measures are kept."""
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.setattr(models, "MODELS", folder)
    return folder


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longctx.ask.client.RETRIES", 0)


def calibrated(url: str, *cases: Case, tape: Path) -> Sequence[Case]:
    async def run() -> list[Case]:
        async with open_client(Tape(tape), url, 4) as client:
            return await calibrate(client, cases)

    return asyncio.run(run())


def test_what_is_known_is_not_asked(tmp_path: Path, profiles: Path) -> None:
    case = passkey_case(window=4096)
    with SimulatedServer() as server:
        assert calibrated(server.url, case, tape=tmp_path) == [case]
    assert not server.received
    assert not list(profiles.iterdir())


def test_the_window_is_the_servers(tmp_path: Path) -> None:
    with SimulatedServer(window=4096) as server:
        found = calibrated(server.url, line_case(3), line_case(5), tape=tmp_path)
    assert [case.model.window for case in found] == [4096, 4096]
    assert [one.path for one in server.received] == ["/v1/models/toy"]


def test_a_server_need_not_list_its_models(tmp_path: Path) -> None:
    with SimulatedServer() as server:
        [found] = calibrated(server.url, line_case(), tape=tmp_path)
    assert found.model.window is None


def test_tokens_are_counted_once_and_kept(tmp_path: Path, profiles: Path) -> None:
    case = passkey_case(measured=(), model="org/toy")
    with SimulatedServer() as server:
        found = calibrated(server.url, case, dataclasses.replace(case, seed=1), tape=tmp_path)
    words = case.wording.words
    scenario = found[0].fitted().scenario
    assert isinstance(scenario, Passkey)
    assert scenario.tokens is not None
    assert scenario.tokens.filler == count_tokens(words["filler"])
    assert scenario.tokens.after_key == count_tokens(f" is the pass key.\n{words['question']}")
    assert [one.path for one in server.received].count("/v1/messages/count_tokens") == len(Passkey.probes(words))
    assert [path.name for path in profiles.iterdir()] == ["org_toy.toml"]
    assert models.load_model("org/toy").measures("passkey", case.wording.digest) == found[1].measured


def test_a_measure_is_added_to_a_profile_without_changing_it(tmp_path: Path, profiles: Path) -> None:
    (profiles / "toy.toml").write_text("window = 9000  # as its card says")
    case = passkey_case(measured=())
    with SimulatedServer() as server:
        calibrated(server.url, case, tape=tmp_path)
    assert (profiles / "toy.toml").read_text().startswith("window = 9000  # as its card says\n")
    assert models.load_model("toy").window == 9000
    assert models.load_model("toy").measures("passkey", case.wording.digest)


def test_tokens_that_cannot_be_counted(tmp_path: Path, profiles: Path) -> None:
    with SimulatedServer() as server:
        url = server.url
    with pytest.raises(UserError, match=r"toy: its tokens could not be counted, which passkey needs .* No connection"):
        calibrated(url, passkey_case(measured=()), tape=tmp_path)
    assert not list(profiles.iterdir())
