"""The vendors beside Anthropic: every API has one, and their hosts name the SDK's client on the recordings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from longctx.config.models import ANTHROPIC, OF_APIS, VENDORS, sdk_at, servers_named
from longctx.functions.guard import guard_of
from longctx.recording.apis import APIS
from longctx.workspace import Workspace

ADDRESS = re.compile(r"""["']([A-Z][A-Z0-9_]*_BASE_URL|[A-Z_]*OPENAI_ENDPOINT)["']""")
TABLE = {"anthropic": ANTHROPIC, "openai": VENDORS["openai"], "google.genai": VENDORS["google"]}
VARIABLES = [name for vendor in TABLE.values() for name in (vendor.address, *vendor.more_addresses)]


def test_every_api_has_its_vendor() -> None:
    assert {name: api.VENDOR for name, api in APIS.items()} == {**OF_APIS, "anthropic": "anthropic"}
    assert {*OF_APIS.values()} == VENDORS.keys()


@pytest.mark.parametrize(
    ("host", "sdk"),
    [
        ("api.openai.com", "openai"),
        ("generativelanguage.googleapis.com", "google"),
        ("api.anthropic.com", ""),
        ("127.0.0.1:8080", ""),
        ("api.openai.com.stranger.test", ""),
    ],
)
def test_a_vendor_s_host_names_its_sdk(host: str, sdk: str) -> None:
    assert sdk_at(host) == sdk


@pytest.mark.parametrize("module", TABLE)
def test_every_variable_by_which_an_sdk_finds_a_server_is_in_the_table(module: str) -> None:
    vendor = TABLE[module]
    [folder] = pytest.importorskip(module).__path__
    named = {name for path in Path(folder).rglob("*.py") for name in ADDRESS.findall(path.read_text("utf-8"))}
    assert vendor.address in named
    assert named <= {vendor.address, *vendor.more_addresses}


@pytest.mark.parametrize("variable", VARIABLES)
def test_the_server_of_every_variable_is_closed(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in VARIABLES:
        monkeypatch.delenv(each, raising=False)
    workspace = Workspace(tmp_path)
    assert 8123 not in guard_of("test", (), workspace, None).closed_ports
    monkeypatch.setenv(variable, "http://127.0.0.1:8123/v1")
    assert servers_named(workspace) == {"http://127.0.0.1:8123/v1"}
    assert 8123 in guard_of("test", (), workspace, None).closed_ports


def test_the_server_of_every_model_profile_is_closed(tmp_path: Path) -> None:
    models = tmp_path / "fixtures/models"
    models.mkdir(parents=True)
    (models / "a.toml").write_text('api = "openai-chat"\nbase_url = "http://127.0.0.1:8124/v1"\n')
    (models / "broken.toml").write_text("base_url = ")
    (models / "far.toml").write_text('api = "openai-chat"\nbase_url = "http://models.test"\n')
    (models / "here.toml").write_text('api = "openai-chat"\nbase_url = "https://localhost/v1"\n')
    closed = guard_of("test", (), Workspace(tmp_path), "127.0.0.1:8125").closed_ports
    assert {8124, 8125, 443} <= closed
    assert 80 not in closed  # that of this machine may be a service of the test's own
