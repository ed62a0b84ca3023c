"""The APIs of models, one file each: what a body means that is sent, recorded or streamed. A request's path chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import quote

from longctx.config.models import ModelProfile
from longctx.recording.answer_body import MOST_DEPTH, MalformedAnswer, is_too_deep, not_read
from longctx.recording.apis import chat, gemini, messages, openai, responses
from longctx.recording.apis.messages import Receipt
from longctx.recording.apis.usage import unread
from longctx.vocabulary.answer import Answer


class Api(Protocol):
    """What a module of this package has."""

    NAME: str
    """Its name in model profiles."""
    VENDOR: str
    """The name in `ask.client(…)` of the SDK that speaks it."""
    PATH: str
    COUNT_PATH: str
    """The path that counts tokens; empty if the API counts none."""
    COUNT_FIELD: str
    """The number of tokens in the answer to that."""
    TRANSPORT_ONLY: frozenset[str]
    """The parts of a body that affect the price and the transport but not the question: they are not in the digest."""

    def read(self, body: bytes) -> dict[str, Any]:
        """Return the answer in a body. Raises MalformedAnswer."""

    def as_message(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an answer in the form of a Messages API message: its text, tool calls, stop reason and usage."""

    def as_request(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a request in the form of a Messages request, for the page and for estimates."""

    def rendered(self, body: dict[str, Any], model: ModelProfile) -> dict[str, Any]:
        """Return a Messages request as this API takes it. Raises UserError for what it cannot express."""

    def counting(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a request for the token count of `body`, if the API counts tokens."""

    def most_tokens(self, body: Mapping[str, Any]) -> int | None:
        """Return the limit on the reply's tokens that a request sets; None if unknown."""

    def streamed(self, answer: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
        """Yield an answer as the server would stream it. options: the request's `stream_options`."""


APIS: dict[str, Api] = {messages.NAME: messages, chat.NAME: chat, responses.NAME: responses, gemini.NAME: gemini}
PATHS = {path: api for api in APIS.values() for path in (api.PATH, api.COUNT_PATH) if path}


def api_at(path: str) -> Api | None:
    """Return the API that a path belongs to, whatever comes before it, such as a gateway's own; None for no such."""
    return PATHS.get(canonical_path(path))


@lru_cache(maxsize=256)
def canonical_path(path: str) -> str:
    """Return the path as its API has it; empty for a path of none.

    Example:
        >>> canonical_path("/openai/deployments/mine/chat/completions")
        '/v1/chat/completions'
        >>> canonical_path("/v1beta/models/gemini-3.8-flash:streamGenerateContent")
        '/models/{model}:generateContent'
    """
    if named := gemini.IN_PATH.search(path):
        return gemini.COUNT_PATH if named[2] == "countTokens" else gemini.PATH
    return next((known for known in PATHS if path.endswith(known.removeprefix("/v1"))), "")


def streams(path: str, body: Mapping[str, Any]) -> bool:
    """Return whether a request requests its answer as a stream."""
    return bool(body.get("stream")) or path.endswith(gemini.STREAM)


def split_path_and_body(path: str, body: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return where a request is sent, and its body: a path that names the model takes it from the body."""
    if "{model}" not in path:
        return path, dict(body)
    named = path.replace("{model}", quote(str(body["model"]), safe=""))
    return named, {name: value for name, value in body.items() if name != "model"}


def with_model(path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a request with its model, which may be in its path. path: without escapes."""
    named = gemini.IN_PATH.search(path)
    return {**body, "model": named[1]} if named else dict(body)


def with_extra_body(body: dict[str, Any], model: ModelProfile) -> dict[str, Any]:
    """Return a body with the model profile's `extra_body`, which overrides everything else.

    Of Gemini's `generationConfig`, it overrides the entries that it names.
    """
    extra = model.extra_body
    config = extra.get("generationConfig")
    if model.api == gemini.NAME and isinstance(config, dict):
        extra = {**extra, "generationConfig": {**body["generationConfig"], **config}}
    return body | extra


def api_of(model: ModelProfile) -> Api:
    """Return the API of a model."""
    return APIS[model.api]


def check_answer(path: str, body: bytes) -> dict[str, Any]:
    """Return the answer in a body. Raises MalformedAnswer unless it can be read from the tape, plain and streamed."""
    api = _api_of(path)
    answer = api.read(body)
    try:
        if is_too_deep(answer):
            raise ValueError(f"it is nested more than {MOST_DEPTH} levels deep")
        messages.to_answer(api.as_message(answer), Receipt())
        if status_of(answer) == 200:
            "".join(api.streamed(answer, {"include_usage": True}))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise not_read(body, f"one that {api.NAME} gives", error) from None
    return answer


def is_answer(path: str, body: bytes, status: int | None = None) -> bool:
    """Return whether a body is an answer of the API of a path, which can be recorded. status: None for any."""
    try:
        return status_of(check_answer(path, body)) == status or status is None
    except MalformedAnswer:
        return False


def status_of(answer: Mapping[str, Any]) -> int:
    """Return the status with which the server sent an answer."""
    return 400 if openai.is_filtered(answer) else 200


def to_answer(path: str, body: bytes, receipt: Receipt, prefill: str = "") -> Answer:
    """Return the answer in the body of a response. prefill: see messages.to_answer. Raises MalformedAnswer."""
    api = _api_of(path)
    read = api.read(body)
    answer = messages.to_answer(api.as_message(read), receipt, prefill)
    unknown = unread(read.get("usage") or read.get("usageMetadata")) if receipt.live else ()
    return replace(answer, unread_usage=tuple(unknown)) if unknown else answer


def _api_of(path: str) -> Api:
    api = api_at(path)
    if api is None:
        raise MalformedAnswer(f"no known API has the path {path[:80]!r}")
    return api
