"""What a server says of itself: its software, its window, its model and chat template. It never decides a verdict.

Servers with different answers may say the same: llama-server does, whatever its KV cache is quantized to.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

import httpx2

from longctx import clocks
from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.fields import parsed
from longctx.json_lines import append_line
from longctx.live.server.calls import ENQUIRY_ERRORS, body_of, positive, read_model, table
from longctx.live.server.client import Client, open_client, provider_of
from longctx.recording.tape import Tape
from longctx.results.server_says import ServerSays, text_of

SAID = "server.jsonl"
"""The file among the recordings of a server with a name in which a line per run keeps what it said."""
WITHIN_S = 10.0
"""The seconds within which a server must answer."""


def says_now(url: str, model: ModelProfile) -> ServerSays:
    """Ask the server at an address what it is. Raises UserError for what is no address."""

    async def ask() -> ServerSays:
        async with open_client(None, url, 1, provider_of(model), [model]) as client:
            return await said_by(client, model.sent_as)

    return clocks.run(ask())


async def said_by(client: Client, model: str) -> ServerSays:
    """Ask a server for `/version` (vLLM), `/props` (llama-server) and `/v1/models`; a server need not know any."""
    version = await _get(client, "/version")
    props = await _get(client, "/props")
    listed = (await _get(client, "/v1/models")).get("data")
    models = [table(each) for each in listed] if isinstance(listed, list) else []
    own = next((each for each in models if each.get("id") == model), {})
    settings = table(props.get("default_generation_settings"))
    windows = own.get("max_model_len"), settings.get("n_ctx"), table(own.get("meta")).get("n_ctx")
    template = props.get("chat_template")
    return ServerSays(
        software=_software(version.get("version"), props.get("build_info")),
        window=next(filter(None, map(positive, windows)), None),
        model=text_of(str(own.get("root") or props.get("model_path") or "").rpartition("/")[2]),
        chat_template=hashlib.sha256(template.encode("utf-8", "replace")).hexdigest()[:12]
        if isinstance(template, str) and template
        else "",
    )


LLAMA = "llama.cpp"
"""What llama-server names itself in the header `server` of each answer."""


async def slots_of(client: Client) -> int | None:
    """Ask llama-server for `/slots`: how many requests it answers at once; None if it does not tell."""
    asked = client.with_options(max_retries=0).get("/slots", cast_to=httpx2.Response)
    try:
        listed = parsed(json.loads, (await body_of(asked, WITHIN_S)).decode("utf-8", "replace"))
    except (*ENQUIRY_ERRORS, ValueError):
        return None
    return len(listed) if isinstance(listed, list) and listed else None


def _software(version: object, build: object) -> str:
    if isinstance(version, str):
        return text_of(f"vLLM {version}")
    return text_of(f"llama.cpp {build}") if isinstance(build, str) else ""


async def _get(client: Client, path: str) -> dict[str, Any]:
    """Return the JSON object at a path of the server; empty if there is none."""
    asked = client.with_options(max_retries=0).get(path, cast_to=httpx2.Response)
    try:
        return read_model(await body_of(asked, WITHIN_S))
    except ENQUIRY_ERRORS:
        return {}


def keep(tape: Tape, folder: str, run: str, says: ServerSays) -> None:
    """Keep what a server said in a run among the recordings of a folder. Raises UserError."""
    line = json.dumps({"run": run, **asdict(says)}, ensure_ascii=False)
    try:
        append_line(tape.written_to / folder / SAID, line.encode("utf-8", "replace"))
    except OSError as error:
        raise UserError("not-written", f"{tape.written_to / folder / SAID} cannot be written: {error}.") from None


def kept_of(tape: Tape, folder: str) -> ServerSays:
    """Return what the server of a folder said last; nothing if none was kept."""
    try:
        *_, last = (tape.written_to / folder / SAID).read_text("utf-8", "replace").splitlines()
        return ServerSays.of(parsed(json.loads, last))
    except (OSError, ValueError):
        return ServerSays()
