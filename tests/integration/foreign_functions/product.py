"""A product's own code: it calls the SDK, streams, retries, and asks several things at once."""

import asyncio

MODEL = "claude-of-the-product"
SYSTEM = "You read contracts. Answer with the number alone."


def review(client, contract, question):
    """Ask about a contract, and stream the answer."""
    content = [
        {"type": "text", "text": contract, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": question},
    ]
    for attempt in range(3):
        try:
            with client.messages.stream(
                model=MODEL, max_tokens=64, system=SYSTEM, messages=[{"role": "user", "content": content}]
            ) as stream:
                return "".join(stream.text_stream), stream.get_final_message().stop_reason
        except Exception:
            if attempt == 2:
                raise
    raise AssertionError("never reached")


async def ask_one(client, text):
    for attempt in range(3):
        try:
            answer = await client.messages.create(
                model=MODEL, max_tokens=64, messages=[{"role": "user", "content": text}]
            )
            return answer.content[0].text
        except Exception:
            if attempt == 2:
                raise
    raise AssertionError("never reached")


async def summed(client, values):
    """Ask for each value at once, in two ways, and then for the sum of what was answered."""
    gathered = await asyncio.gather(*(ask_one(client, f"The value is {value}. Repeat it.") for value in values))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask_one(client, f"The value is {value}. Double it.")) for value in values]
    doubled = [task.result() for task in tasks]
    return int(await ask_one(client, f"Add {' '.join([*gathered, *doubled])}."))
