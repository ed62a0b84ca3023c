"""SDK clients on the recordings, so that a product's own code is under test unchanged.

What the code sends is what is recorded and compared; a streamed answer is made from the recorded one.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import httpx2

from longctx.config.models import BETA, VERSION, ModelProfile, custom_headers, treatments
from longctx.errors import UserError
from longctx.functions.trial import FunctionTrial, TestMistake, mistake
from longctx.recording.apis import (
    APIS,
    Api,
    api_at,
    api_of,
    canonical_path,
    gemini,
    messages,
    status_of,
    streams,
    with_model,
)
from longctx.recording.request import is_messages_path, messages_body
from longctx.recording.trials import Exchange

BASE_URL = "http://recordings.invalid"
"""The address of the clients; nothing is sent there."""
NAMES = {"anthropic": "Anthropic", "openai": "OpenAI", "google": "Client"}
"""The client of each SDK."""
MODULES = {"anthropic": "anthropic", "openai": "openai", "google": "google.genai"}
ROOT_PATHS = {"anthropic": "", "openai": "/v1", "google": ""}
"""Where the base URL of each SDK ends."""
ON_HTTPX2 = {"anthropic": "anthropic>=2.12", "openai": "openai>=3"}
"""The versions of SDKs whose clients take one of httpx2, as those here are; earlier ones are built on httpx."""
AS_ARRAY = "as_array"
"""Marks a stream of Gemini's API that was not asked for as events, and so is a JSON array."""
Client = TypeVar("Client")


class AskOfTrial(Protocol):
    """What a client needs of the fixture `ask`."""

    @property
    def trial(self) -> FunctionTrial: ...

    def model(self, name: str) -> ModelProfile: ...


def client(ask: AskOfTrial, sdk: str, model: str | None, asynchronous: bool = False) -> Any:
    """Return an SDK's client whose requests are answered from the recordings of the current trial."""
    _check_sdk(ask, sdk, model)
    module = importlib.import_module(MODULES[sdk])
    if sdk == "google":
        made = _google(ask, module.Client, module.types.HttpOptions(), False, model)
        return made.aio if asynchronous else made
    _check_built_on_httpx2(ask, sdk, module.DefaultHttpxClient)
    settings: dict[str, Any] = {"api_key": "not-needed", "base_url": f"{BASE_URL}{ROOT_PATHS[sdk]}", "max_retries": 0}
    if not asynchronous:
        http = module.DefaultHttpxClient(transport=_Transport(ask, model))
        return getattr(module, NAMES[sdk])(**settings, http_client=http)
    http = module.DefaultAsyncHttpxClient(transport=_AsyncTransport(ask, model))
    return _threadless(getattr(module, f"Async{NAMES[sdk]}"))(**settings, http_client=http)


def client_like(ask: AskOfTrial, like: Client, model: str | None) -> Client:
    """Return a copy of a client, with its class, headers and retries, on the recordings. Raises TestMistake."""
    if any(each.__module__.startswith("google.genai.") for each in type(like).__mro__):
        client: Client = _google_like(ask, like, model)
        return client
    copied = getattr(like, "with_options", None)
    if copied is not None and (sdk := type(like).__module__.partition(".")[0]) in ON_HTTPX2:
        _check_built_on_httpx2(ask, sdk, importlib.import_module(sdk).DefaultHttpxClient)
    try:
        http = like._client  # type: ignore[attr-defined]
        asynchronous = isinstance(http, httpx2.AsyncClient)
        if copied is None or not isinstance(http, httpx2.Client | httpx2.AsyncClient):
            raise AttributeError
        new = async_http_client(ask, model) if asynchronous else http_client(ask, model)
        made: Client = copied(http_client=new)
    except (AttributeError, TypeError):
        raise mistake(
            "client-without-transport",
            f"{ask.trial.cell.id}: a {type(like).__name__} cannot be copied to the recordings: build it with "
            "http_client=ask.http_client(), or the argument by which its SDK takes an httpx2 client.",
        ) from None
    if asynchronous:
        made.__class__ = _threadless(type(made))
        made.__dict__["_platform"] = _platform_of(type(made))
    return made


def _google(ask: AskOfTrial, kind: type[Any], options: Any, vertex: bool, model: str | None) -> Any:
    """Return a client of Google's SDK, which has its asynchronous form in it. options: its HttpOptions."""
    on_recordings = {"httpx_client": http_client(ask, model), "httpx_async_client": async_http_client(ask, model)}
    changed = options.model_copy(update={"base_url": BASE_URL, "aiohttp_client": None, **on_recordings})
    return kind(api_key="not-needed", vertexai=vertex, http_options=changed)


def _google_like(ask: AskOfTrial, like: Any, model: str | None) -> Any:
    known = like._api_client
    kind = importlib.import_module("google.genai").Client
    synchronous = isinstance(like, kind)
    made = _google(ask, type(like) if synchronous else kind, known._http_options, bool(known.vertexai), model)
    return made if synchronous else made.aio


def http_client(ask: AskOfTrial, model: str | None) -> httpx2.Client:
    """Return a plain client on the recordings."""
    return httpx2.Client(transport=_Transport(ask, model), base_url=BASE_URL)


def async_http_client(ask: AskOfTrial, model: str | None) -> httpx2.AsyncClient:
    """Return the same as an asynchronous client."""
    return httpx2.AsyncClient(transport=_AsyncTransport(ask, model), base_url=BASE_URL)


class _Transport(httpx2.BaseTransport):
    def __init__(self, ask: AskOfTrial, model: str | None) -> None:
        self._ask, self._model = ask, model

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        trial = self._ask.trial
        issued, options = issued_for(self._ask, self._model, request, request.read())
        return response_to(issued, trial.receive(issued), options)


class _AsyncTransport(httpx2.AsyncBaseTransport):
    def __init__(self, ask: AskOfTrial, model: str | None) -> None:
        self._ask, self._model = ask, model

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        trial = self._ask.trial
        issued, options = issued_for(self._ask, self._model, request, await request.aread())
        await asyncio.sleep(0)  # what runs beside it sends its requests before this reply is there
        return response_to(issued, trial.receive(issued), options)


def _threadless(kind: type[Client]) -> type[Client]:
    """Return a class of asynchronous clients that never wait for a thread: requests at the same time keep their order.

    The SDK would find out the platform in a thread.
    """
    platform = _platform_of(kind)

    def begin(self: Any, *given: Any, **options: Any) -> None:
        kind.__init__(self, *given, **options)
        self._platform = platform

    return type(kind.__name__, (kind,), {"__init__": begin})


def _platform_of(kind: type) -> Any:
    base = next(each.__module__ for each in kind.__mro__ if each.__name__ == "AsyncAPIClient")
    return importlib.import_module(base).get_platform()


def _check_sdk(ask: AskOfTrial, sdk: str, model: str | None) -> None:
    if sdk not in NAMES:
        named = f"ask.client(model={sdk!r})"
        raise mistake(
            "unknown-sdk",
            f"{ask.trial.cell.id}: ask.client({sdk!r}) is not an SDK: use 'anthropic', 'openai' or 'google', or "
            f"{named} if that is a model; for any other SDK there is ask.http_client().",
        )
    asked = ask.trial.cell.model if model is None else ask.model(model)
    if sdk != api_of(asked).VENDOR:
        raise TestMistake(_other_api(ask, asked, f"the SDK {sdk}"))


def _check_built_on_httpx2(ask: AskOfTrial, sdk: str, built_on: type) -> None:
    """Raise TestMistake before anything is sent: an SDK on httpx would take no reply, once it is paid for."""
    if not issubclass(built_on, httpx2.Client):
        installed = importlib.import_module(sdk).__version__
        raise mistake(
            "sdk-on-httpx",
            f"{ask.trial.cell.id}: the installed {sdk} {installed} is built on httpx, but a client on the recordings "
            f"needs one that is built on httpx2: pip install '{ON_HTTPX2[sdk]}', or let the local endpoint answer any "
            "version: longctx_endpoint = true in the settings of pytest.",
        )


def _other_api(ask: AskOfTrial, model: ModelProfile, what: str) -> UserError:
    return UserError(
        "other-api",
        f"{ask.trial.cell.id}: the code under test uses {what}, but {model.model} uses the API {model.api} (api in its "
        "profile): choose the client by ask.api, or use a model with that API. With the local endpoint, product_models "
        "of the profile may name one.",
    )


def issued_for(
    ask: AskOfTrial, named: str | Mapping[str, str] | None, request: httpx2.Request, content: bytes
) -> tuple[Exchange, Any]:
    """Return a request of the SDK with its answer, and its stream_options; None for these if it is not streamed.

    named: the model that the test names, or those that names in requests mean; None for the model under test.
    """
    told = request.url.path
    path = messages.PATH if is_messages_path(told) else canonical_path(told)
    api = api_at(path)
    if request.method != "POST" or api is None:
        raise mistake(
            "request-not-recordable",
            f"{ask.trial.cell.id}: the code under test sends {request.method} {told}, but only {_recordable()} can be "
            "recorded: replace this call in the test, or send it to its own server, and allow that host: "
            "allowed_hosts in the test's marker.",
        )
    body = _body(ask, told, content, request.headers.get(BETA, ""))
    if isinstance(named, Mapping):
        named = named.get(str(with_model(told, body).get("model"))) if named else None
    model = ask.trial.cell.model if named is None else ask.model(named)
    if api.VENDOR != api_of(model).VENDOR:
        raise TestMistake(_other_api(ask, model, f"{request.method} {told}"))
    sent = {**body, "model": model.model}
    streamed = streams(told, body)
    sent.pop("stream", None)
    options = sent.pop("stream_options", None) or {}
    if told.endswith(gemini.STREAM) and request.url.params.get("alt") != "sse":
        options = {**options, AS_ARRAY: True}
    custom = {name.lower() for name, _ in custom_headers()}  # the environment's own are checked when a run asks
    given = (item for item in request.headers.multi_items() if item[0].lower() not in {*custom, VERSION})
    headers = treatments([*model.treatments.items(), *given])
    issued = ask.trial.issue(sent, headers, model, path=path)
    return issued, options if streamed else None


def _body(ask: AskOfTrial, path: str, content: bytes, betas: str) -> dict[str, Any]:
    """Return the body of a request, which Anthropic's clients of Bedrock and Vertex have rewritten."""
    try:
        body = messages_body(path, content, betas) if is_messages_path(path) else json.loads(content)
        if isinstance(body, dict):
            return body
    except (ValueError, RecursionError, AttributeError, TypeError):  # a list has another `pop`
        pass
    raise mistake(
        "request-without-json",
        f"{ask.trial.cell.id}: the code under test sends POST {path} with a body that is not a JSON object: send "
        "what the API takes.",
    )


def _recordable() -> str:
    return ", ".join(path for api in APIS.values() for path in (api.PATH, api.COUNT_PATH) if path)


def response_to(issued: Exchange, answer: Any, options: Any) -> httpx2.Response:
    """Return an answer as the server would send it. options: those of its stream; None for none."""
    api: Api | None = api_at(issued.place.path)
    if (status := status_of(answer)) != 200:
        return httpx2.Response(status, json=dict(answer))
    if api is not None and options is not None:
        if options.get(AS_ARRAY):
            return httpx2.Response(200, json=list(gemini.chunks_of(answer)))
        events = "".join(api.streamed(answer, options))
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=events.encode())
    return httpx2.Response(200, json=dict(answer))
