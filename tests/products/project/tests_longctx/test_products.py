"""Products that take no client. None knows about longctx."""

import asyncio
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
SYSTEM = os.environ.get("PRODUCT_SYSTEM", "Answer with the code alone.")
"""The prompt that a change of the product breaks."""


@pytest.fixture
def number(draw):
    return str(draw.integer(10_000, 99_999))


def question(number):
    return f"The code is {number}. What is the code?"


def output_of(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=PROJECT, **options).stdout.strip()


@pytest.mark.longctx(trials=20)
def test_pydantic_ai(ask, number):
    from pydantic_ai import Agent

    agent = Agent("openai-chat:gpt-5-mini", system_prompt=SYSTEM)
    assert agent.run_sync(question(number)).output == number


@pytest.mark.longctx(trials=2, gated=False)
def test_pydantic_ai_of_anthropic(ask, number):
    from pydantic_ai import Agent

    async def run():
        async with Agent("anthropic:claude-haiku-4-5").run_stream(question(number)) as stream:
            return await stream.get_output()

    assert asyncio.run(run()) == number


@pytest.mark.longctx(trials=2, gated=False)
def test_langchain(ask, number):
    from langchain_openai import ChatOpenAI

    chain = ChatOpenAI(model="gpt-5-mini").with_retry(stop_after_attempt=3)
    assert "".join(chunk.content for chunk in chain.stream(question(number))) == number


@pytest.mark.longctx(trials=2, gated=False)
def test_litellm(ask, number):
    import litellm

    turn = {"role": "user", "content": question(number)}
    first = litellm.completion(model="openai/gpt-5-mini", messages=[turn], num_retries=2)
    again = litellm.completion(model="anthropic/claude-haiku-4-5", messages=[turn], max_tokens=50)
    assert first.choices[0].message.content == again.choices[0].message.content == number


@pytest.mark.longctx(trials=2, gated=False)
def test_agents(ask, number):
    import agents

    agents.set_default_openai_api("chat_completions")
    agents.set_tracing_disabled(True)
    agent = agents.Agent(name="code", model="gpt-5-mini", instructions="Answer with the code alone.")
    assert agents.Runner.run_sync(agent, question(number)).final_output == number


@pytest.mark.longctx(trials=2, gated=False)
@pytest.mark.parametrize("script", ["openai.mjs", "anthropic.mjs"])
def test_node(ask, number, script):
    assert output_of("node", script, question(number)) == number


@pytest.mark.longctx(trials=2, gated=False)
def test_command(ask, number):
    code = "import openai, sys; turn = {'role': 'user', 'content': sys.argv[1]}; "
    code += "reply = openai.OpenAI().chat.completions.create(model='gpt-5-mini', messages=[turn]); "
    code += "print(reply.choices[0].message.content)"
    assert output_of(sys.executable, "-c", code, question(number)) == number


@pytest.mark.longctx(trials=2, gated=False)
def test_curl(ask, number):
    body = json.dumps({"model": "gpt-5-mini", "messages": [{"role": "user", "content": question(number)}]})
    reply = output_of("sh", "-c", 'curl -sS "$OPENAI_BASE_URL/chat/completions" -d @-', input=body)
    assert json.loads(reply)["choices"][0]["message"]["content"] == number


@pytest.mark.longctx(trials=4, gated=False)
def test_twelve_threads(ask, number):
    import openai

    client = openai.OpenAI()

    def one(index):
        turn = {"role": "user", "content": f"{index}. {question(number)}"}
        return client.chat.completions.create(model="gpt-5-mini", messages=[turn]).choices[0].message.content

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(one, range(12))) == [number] * 12
