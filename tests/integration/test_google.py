"""A product that uses Google's SDK: recorded from a simulated server of Gemini's API, replayed offline, and stale."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("google.genai")

from tests.gemini_server import GeminiServer, busy
from tests.integration.conftest import Checkout, Launcher, foreign_project
from tests.servers import Answer, Body, message, prompt_of

PRODUCT = """
def code_of(client, text):
    config = {"system_instruction": "Be brief."}
    chunks = client.models.generate_content_stream(model="product", contents=text, config=config)
    return "".join(chunk.text for chunk in chunks)
"""
TEST = """
import product
import pytest

CODE = "The code is {}. What is the code?"


@pytest.mark.longctx(trials=4)
def test_product(ask, draw):
    code = draw.integer(10_000, 99_999)
    assert product.code_of(ask.client("google"), CODE.format(code)) == str(code)


@pytest.mark.longctx(trials=4)
def test_plain(ask, draw):
    code = draw.integer(10_000, 99_999)
    assert ask(CODE.format(code), system="Be brief.", max_tokens=50).integer() == code
"""
MODEL = 'api = "gemini"\nbase_url = "{}"\nkey = "THEIR_API_KEY"\n'
PRICES = "[prices]\ninput = 1\noutput = 5\ndated = 2026-11-25\n"
RUN = "-n1", "tests_longctx/test_product.py"


@pytest.fixture
def project(launcher: Launcher, tmp_path: Path) -> Checkout:
    made = foreign_project(launcher, tmp_path)
    made.file("pytest.ini").write_text("[pytest]\npythonpath = .\n")
    made.file("product.py").write_text(PRODUCT)
    for folder in ("tests_longctx", "fixtures/profiles", "fixtures/models"):
        made.file(folder).mkdir(parents=True)
    made.file("tests_longctx/test_product.py").write_text(TEST)
    made.file("fixtures/profiles/mine.toml").write_text('models = ["toy"]\n')
    return made


def test_it_is_recorded_replayed_and_stale(project: Checkout) -> None:
    refused = []

    def code(body: Body) -> Answer:
        if not refused:
            refused.append(body)
            return busy("0.01s")
        return 200, {}, message(prompt_of(body).partition("The code is ")[2][:5], body)

    profile = {"profile": "fixtures/profiles/mine.toml"}
    with GeminiServer(code, window=1000) as server:
        project.file("fixtures/models/toy.toml").write_text(MODEL.format(server.url) + PRICES)
        env = {"THEIR_API_KEY": server.key, "LONGCTX_TRUSTED_HOSTS": "127.0.0.1", "ANTHROPIC_API_KEY": "of-others"}
        recorded = project.pytest(*RUN, "--ctx-record=once", env=env, **profile)
        assert recorded.code == 0, recorded
        assert len(server.sent) == 9
        assert "of-others" not in str(server.received)
        assert {request.body["systemInstruction"]["parts"][0]["text"] for request in server.sent} == {"Be brief."}
    replayed = project.pytest(*RUN, **profile)
    assert replayed.says("8 trials: 8 replayed"), replayed
    assert {row["outcome"] for row in project.rows("reports/latest")} == {"correct"}
    kept = [path.read_text() for path in project.folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert not any(server.key in text for text in kept)
    product = project.file("product.py")
    product.write_text(product.read_text().replace("Be brief.", "Be very brief."))
    stale = project.pytest(*RUN, **profile)
    assert stale.code != 0
    assert stale.says("4 of 4 trials are stale"), stale
