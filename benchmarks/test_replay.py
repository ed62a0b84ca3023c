"""Replay of one 97k-token trial, building and judging included, beside the SDK's own cost and vcrpy's default.

Aims: at most 3 times the SDK's cost with a mock transport; at least 40 times faster than vcrpy with body matching on
the same 50 episodes; at most 1.5 KB an episode. The answers here are simulated, and go to a temporary folder.
"""

import asyncio
from pathlib import Path

import anthropic
import httpx2
import pytest
import vcr

from benchmarks.answering_server import answering_server
from benchmarks.simulated import message
from longctx.cells.cell import Cell, Trial
from longctx.config.models import ModelProfile
from longctx.config.prompts import PromptSet
from longctx.recording.request import Place, request_body
from longctx.recording.tape import Tape
from tests.here import HERE
from tests.protocols import LineRetrieval

EPISODES = 50
GROUP = "replay of one 97k-token trial"
CASE = Cell(
    ModelProfile(model="simulated"),
    PromptSet.open(HERE, "protocol").wording(LineRetrieval),
    LineRetrieval(6500),
    0,
    EPISODES,
)


def client(transport: httpx2.AsyncBaseTransport) -> anthropic.AsyncAnthropic:
    http = httpx2.AsyncClient(transport=transport)
    return anthropic.AsyncAnthropic(api_key="simulated", base_url="http://127.0.0.1:9", http_client=http, max_retries=0)


async def ask(sdk: anthropic.AsyncAnthropic, body: dict) -> str:
    return (await sdk.messages.create(**body)).content[0].text


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    recorder = Tape(tmp_path, "once")
    for trial in CASE.each_trial():
        built = trial.build()
        answer = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": message(built.expected)}}
        recorder.record(Place.of(trial, built), answer, "2026-01-01T00:00:00+00:00", 1.0)
    return Tape(tmp_path)


@pytest.mark.benchmark(group=GROUP)
def test_suite(benchmark, tape, tmp_path):
    def replay() -> None:
        trial = Trial(CASE, 49)
        built = trial.build()
        outcome = built.judge(tape.reply(Place.of(trial, built)))
        assert outcome.kind == "correct"

    benchmark(replay)
    benchmark.extra_info["bytes an episode"] = (tmp_path / CASE.file).stat().st_size / EPISODES


@pytest.mark.benchmark(group=GROUP)
def test_sdk_with_mock_transport(benchmark):
    sdk = client(httpx2.MockTransport(lambda request: httpx2.Response(200, content=message("1"))))
    body = request_body(Trial(CASE, 49).build(), CASE.model)
    with asyncio.Runner() as runner:
        runner.run(ask(sdk, body))
        benchmark(lambda: runner.run(ask(sdk, body)))


@pytest.mark.benchmark(group=GROUP)
def test_vcrpy_with_body_matching(benchmark, tmp_path, small):
    """Recorded from a simulated server; the client is one, as a user of vcrpy has it."""
    bodies = [request_body(trial.build(), CASE.model) for trial in CASE.each_trial()][: 3 if small else 50]
    recorder = vcr.VCR(match_on=("method", "uri", "body"), record_mode="once")
    path = str(tmp_path / "default.yaml")
    with asyncio.Runner() as runner:
        with answering_server(message("1")) as url:
            sdk = anthropic.AsyncAnthropic(api_key="simulated", base_url=url, max_retries=0)
            with recorder.use_cassette(path):
                for body in bodies:
                    runner.run(ask(sdk, body))
        with recorder.use_cassette(path, record_mode="none", allow_playback_repeats=True):
            benchmark.pedantic(lambda: runner.run(ask(sdk, bodies[-1])), rounds=5, warmup_rounds=1)
