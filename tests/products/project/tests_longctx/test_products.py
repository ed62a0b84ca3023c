"""Products that take no client, besides those of docs/products.md. None knows about longctx."""

import asyncio
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

SYSTEM = os.environ.get("PRODUCT_SYSTEM", "Answer with the code alone.")
"""The prompt that a change of the product breaks."""


@pytest.fixture
def number(draw):
    return str(draw.integer(10_000, 99_999))


@pytest.fixture
def question(number):
    return f"The code is {number}. What is the code?"


@pytest.mark.longctx(trials=20)
def test_changed(ask, number, question):
    from pydantic_ai import Agent

    assert Agent("openai-chat:gpt-5-mini", system_prompt=SYSTEM).run_sync(question).output == number


@pytest.mark.longctx(trials=2, gated=False)
def test_pydantic_ai_of_anthropic(ask, number, question):
    from pydantic_ai import Agent

    async def run():
        async with Agent("anthropic:claude-haiku-4-5").run_stream(question) as stream:
            return await stream.get_output()

    assert asyncio.run(run()) == number


@pytest.mark.longctx(trials=2, gated=False)
def test_langchain_tries_again(ask, number, question):
    from langchain_openai import ChatOpenAI

    chain = ChatOpenAI(model="gpt-5-mini").with_retry(stop_after_attempt=3)
    assert "".join(chunk.content for chunk in chain.stream(question)) == number


@pytest.mark.longctx(trials=2, gated=False)
def test_node_of_anthropic(ask, number, question):
    assert subprocess.run(["node", "anthropic.mjs", question], capture_output=True, text=True).stdout.strip() == number


@pytest.mark.longctx(trials=2, gated=False)
def test_curl(ask, number, question):
    body = json.dumps({"model": "gpt-5-mini", "messages": [{"role": "user", "content": question}]})
    command = 'curl -sS "$OPENAI_BASE_URL/chat/completions" -d @-'
    reply = subprocess.run(["sh", "-c", command], input=body, capture_output=True, text=True, check=True).stdout
    assert json.loads(reply)["choices"][0]["message"]["content"] == number


@pytest.mark.longctx(trials=4, gated=False)
def test_twelve_threads(ask, number, question):
    import openai

    client = openai.OpenAI()

    def one(index):
        turn = {"role": "user", "content": f"{index}. {question}"}
        return client.chat.completions.create(model="gpt-5-mini", messages=[turn]).choices[0].message.content

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(one, range(12))) == [number] * 12
