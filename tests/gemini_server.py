"""A simulated server of Gemini's API, built from the types of Google's SDK. It is no model."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

from google.genai import types

from longctx.recording.apis import gemini
from tests.servers import Answer, Body, Received, SimulatedServer, count_tokens, prompt_of

PATH = re.compile(r"/v1(?:beta)?/models/([^/:]+):(generateContent|countTokens)")
MODEL = re.compile(r"/v1(?:beta)?/models/([^/:]+)")
SAID = {"end_turn": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}


class GeminiServer(SimulatedServer):
    """A server that takes what the SDK's types allow, with the key `key`, and answers with the SDK's types.

    The script sees a request as the Messages API would have received it, and answers as that does. A request with
    another key is refused as the API does it. `sent`: the requests, as they came.
    """

    key = "AIza-of-the-tests"

    @property
    def sent(self) -> list[Received]:
        """The requests for answers."""
        return [request for request in self.received if request.path.endswith(":generateContent")]

    def answer(self, request: Received) -> Answer:
        with self._changed:
            self.received.append(request)
            self._changed.notify_all()
        if request.headers.get("x-goog-api-key") != self.key:
            return refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
        if matched := PATH.fullmatch(request.path):
            asked = request.body
            if matched[2] == "countTokens":
                asked = asked.get("generateContentRequest", asked)
                tokens = count_tokens(prompt_of(_checked(asked, "model")))
                return 200, {}, _json(types.CountTokensResponse(total_tokens=tokens))
            return _as_gemini(self.script(_checked(asked) | {"model": unquote(matched[1])}))
        if self.window is not None and (matched := MODEL.fullmatch(request.path)):
            return 200, {}, _json(types.Model(name=f"models/{matched[1]}", input_token_limit=self.window))
        return refusal(404, "NOT_FOUND", "not found")


def refusal(status: int, name: str, sentence: str, *details: dict[str, Any]) -> Answer:
    """Return an error as Google's APIs answer it."""
    error = {"code": status, "message": sentence, "status": name, "details": list(details)}
    return status, {}, json.dumps({"error": error}).encode()


def busy(seconds: str) -> Answer:
    """Return the answer to a request beyond the limits, which asks to wait."""
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": seconds}
    return refusal(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", {"@type": "other"}, retry)


def _checked(asked: Body, *more: str) -> Body:
    """Return a request in the form of Messages. Raises ValidationError unless the SDK's types allow it."""
    assert not asked.keys() - {"contents", "systemInstruction", "generationConfig", "tools", "toolConfig", *more}
    for turn in asked["contents"]:
        types.Content.model_validate(turn)
    types.GenerationConfig.model_validate(asked.get("generationConfig", {}))
    return {"max_tokens": gemini.most_tokens(asked), **gemini.as_request(asked)}


def _as_gemini(answer: Answer) -> Answer:
    status, headers, content = answer
    if status != 200:
        return answer
    said = json.loads(content)
    used = said["usage"]["input_tokens"], said["usage"]["output_tokens"]
    parts = [types.Part(text=block["text"]) for block in said["content"] if block["type"] == "text"]
    candidate = types.Candidate(
        index=0,
        content=types.Content(role="model", parts=parts),
        finish_reason=types.FinishReason(SAID[said["stop_reason"]]),
    )
    usage = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=used[0], candidates_token_count=used[1], total_token_count=sum(used)
    )
    found = types.GenerateContentResponse(
        candidates=[candidate], model_version=said["model"], response_id="simulated", usage_metadata=usage
    )
    return 200, headers, _json(found)


def _json(value: Any) -> bytes:
    text: str = value.model_dump_json(by_alias=True, exclude_none=True)
    return text.encode()
