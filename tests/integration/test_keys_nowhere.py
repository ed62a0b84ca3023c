"""A key that a test, a server or an address repeats: no output and no file has it."""

from __future__ import annotations

import pytest

from tests.integration.conftest import Checkout
from tests.servers import Answer, Body, SimulatedServer, message

KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-planted-1",
    "OPENAI_API_KEY": "sk-planted-openai-2",
    "GEMINI_API_KEY": "AIza-planted-gemini-3",
    "OWN_GATEWAY_KEY": "planted-own-gateway-4",
}
TEST = """
import os

import pytest

KEYS = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OWN_GATEWAY_KEY"]


@pytest.mark.longctx(trials=2)
@pytest.mark.parametrize("key", [os.environ[KEYS[1]]], ids=lambda key: f"with-{key}")
def test_asserted(ask, draw, key):
    reply = ask(f"{draw.integer(1, 10**9)}: which code?")
    print("sent with", key)
    assert reply.text == f"http://h/?api_key={key}", f"{key} said {reply.text}"


@pytest.mark.longctx(trials=2)
def test_raised(ask, draw):
    reply = ask(f"{draw.integer(1, 10**9)}: which code?")
    raise ValueError("cannot parse\\n::set-output name=a::b\\n" + " ".join(os.environ[name] for name in KEYS))


@pytest.mark.longctx(trials=1)
def test_failed(ask, draw):
    ask(f"{draw.integer(1, 10**9)}: which code?")
    pytest.fail("bad\\n::error::" + os.environ[KEYS[1]] + "\\n##[group]x", pytrace=False)
"""


def echoing(body: Body) -> Answer:
    return 200, {}, message(f"The keys are {' and '.join(KEYS.values())}; http://h/?token=planted-in-url-5", body)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_no_output_and_no_file_has_a_key(checkout: Checkout, workers: str) -> None:
    """docs/security.md, key-shown"""
    checkout.functions(TEST)
    checkout.file("fixtures/models").mkdir(parents=True, exist_ok=True)
    checkout.file("fixtures/models/other.toml").write_text(
        'model = "other"\napi = "openai-chat"\nbase_url = "http://127.0.0.1:9"\nkey = "OWN_GATEWAY_KEY"\n'
    )
    step = checkout.file("step.md")
    env = KEYS | {"GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_STEP_SUMMARY": str(step)}
    options = ("--ctx-model=toy", "--junit-xml=junit.xml", "-v", "-rA", workers)
    texts: dict[str, str] = {}
    with SimulatedServer(echoing) as server:
        address = f"--ctx-base-url={server.url}"
        result = checkout.pytest(
            "tests_longctx/test_functions.py", *options, address, "--ctx-record=once", env=env, page=True
        )
        texts["recording"] = result.out + result.err
        assert checkout.longctx("baseline", "save", "main", "--force", env=env).code in (0, 1, 2)
        result = checkout.pytest(
            "tests_longctx/test_functions.py", *options, "--ctx-baseline=reports/latest", env=env, page=True
        )
        texts["replay"] = result.out + result.err
    assert "[redacted]" in texts["recording"]
    files = [path for path in checkout.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    written = {path.name for path in files}
    places = {"results.jsonl", "results.csv", "views.jsonl", "summary.md", "summary.json", "index.html", "junit.xml"}
    assert places <= written
    assert any(path.suffix == ".jsonl" and "cassettes" in path.parts for path in files)
    texts |= {
        f"{path}": f"{path.name}\n{path.read_bytes().decode('utf-8', 'replace')}"
        for path in files
        if path.suffix not in (".pyc", ".toml")
    }
    for key in KEYS.values():
        assert [name for name, text in texts.items() if key in text] == []
    for name in ("recording", "replay"):
        lines = [line for line in texts[name].splitlines() if line.lstrip().startswith("::") or "##[" in line]
        assert [line for line in lines if not line.startswith(("::error file=", "::error title=longctx"))] == []


def test_a_key_in_the_address_is_not_shown(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = lambda _: (404, {}, b'{"error": {"message": "no such path"}}')
    result = checkout.pytest(f"--ctx-base-url={server.url}/?key=planted-in-address", "--ctx-record=once")
    assert result.code != 0
    assert "planted-in-address" not in result.out + result.err
    assert "key=[redacted]" in result.out + result.err
