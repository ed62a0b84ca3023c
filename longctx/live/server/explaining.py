"""The meaning of the SDK's errors: the cause why a trial was not measured, in a sentence that states what to do."""

from __future__ import annotations

import re
import urllib.request
from dataclasses import replace

import anthropic
import httpx2

from longctx.errors import UserError
from longctx.live.failure import Failure
from longctx.live.server.calls import NoAnswer
from longctx.live.server.credentials import NO_HEADER
from longctx.recording.answer_body import MalformedAnswer, ServerFailed
from longctx.recording.tape import NotRecorded
from longctx.redaction import redacted
from longctx.text import visible

CAUSES = {408: "timeout", 429: "rate_limit", 504: "timeout", 529: "overloaded"}
"""The causes that a status alone determines. Any other status below 500 is a refused request."""
AWAY = (502, 503, 529)
"""The statuses with which a server that is away is answered for, or answers itself."""

TOO_LONG = re.compile(r"too long|too large|context (window|length|size)|exceed\w* .*\bcontext|maximum .*tokens", re.I)
BAD_KEY = re.compile(r"API key (not valid|expired|not found)", re.I)
"""Messages of Gemini's API about a key, with the status 400."""
NO_CREDIT = "insufficient_quota"
"""The code of OpenAI's error that no later attempt gets around, though its status is that of a rate limit."""
ADVICE = {
    r"content management policy|content filter": "The server's filter blocks the prompt: its settings decide that.",
    r"prefill|assistant message": "Set prefill = false in the model's profile: the prompt then states how "
    "the answer must begin.",
    r"temperature|top_p|top_k": "Remove it from extra_body in the model's profile.",
    r"thinking|budget_tokens": "Correct the thinking settings in the model's profile.",
    r"max_tokens": "Set another max_tokens in the run's profile, or thinking_tokens in the model's.",
    r"cache_control": "Remove the caching settings from the model's profile.",
    r"credit|billing": "The account has no credit left.",
}
"""The setting to change, by a pattern of the server's message about a refused request."""
OTHER_API = (
    "A server that speaks OpenAI's or Gemini's API needs one line in the model's profile, fixtures/models/MODEL.toml: "
    'api = "openai-chat" or "gemini".'
)
MOST_SAID = 500
"""The most characters of a server's message that are shown."""


def explain(error: Exception, base_url: object, asked: str = "", key: str = "") -> Failure:
    """Explain why a request to `base_url` failed, without any key that is in its address.

    asked: what was asked, such as the name of a cell; it completes "It was …". key: the variable of the key, if it
    is not that of the Messages API.
    """
    failure = _explained(error, base_url, asked, key)
    return replace(failure, message=redacted(failure.message))


def _explained(error: Exception, base_url: object, asked: str, key: str) -> Failure:
    if isinstance(error, anthropic.APIConnectionError) and isinstance(
        error.__cause__, MalformedAnswer | NotRecorded | UserError | httpx2.DecodingError | RecursionError
    ):
        error = error.__cause__  # our transport raised it, and the SDK reports it as an error of the network
    if isinstance(error, RecursionError):
        return Failure("malformed_answer", f"{base_url} answered with JSON that is nested too deeply.")
    if isinstance(error, ServerFailed):
        return Failure("server_error", f"{visible(str(error))}.")
    if isinstance(error, MalformedAnswer | httpx2.DecodingError):
        return Failure("malformed_answer", f"{error}.")
    if isinstance(error, NoAnswer):
        return Failure("timeout", f"{base_url} gave no answer {error}.")
    if isinstance(error, TimeoutError | anthropic.APITimeoutError):
        return Failure("timeout", f"{base_url} gave no answer in time (timeout_s in the model's profile).")
    if isinstance(error, UserError):  # a hook of the project cannot rewrite the answer
        return Failure("error", str(error), fatal=True)
    if isinstance(error, NotRecorded):
        return Failure("not_recorded", str(error), fatal=True)
    if isinstance(error, anthropic.APIConnectionError):
        return _unconnected(error, base_url)
    if isinstance(error, anthropic.APIStatusError):
        return _refused(error, base_url, asked, key)
    return Failure("error", f"{type(error).__name__}: {error}")


def _unconnected(error: anthropic.APIConnectionError, base_url: object) -> Failure:
    cause = error.__cause__ or error
    if isinstance(cause, httpx2.ConnectError | anthropic.APIConnectionError):
        if proxy := proxy_of(str(base_url)):
            where = f"No connection to the proxy {proxy} ({cause}), through which requests to {base_url} go"
            advice = "Start it, or correct HTTPS_PROXY, HTTP_PROXY, ALL_PROXY or NO_PROXY."
            return Failure("connection", f"{where}. {advice}", fatal=True, outage=True)
        message = f"No connection to {base_url} ({cause}): is the server running?"
        return Failure("connection", message, fatal=True, outage=True)
    if isinstance(cause, httpx2.LocalProtocolError):  # its own text would show the key
        return Failure("bad_key", f"{NO_HEADER} Set ANTHROPIC_API_KEY again.", fatal=True)
    if not isinstance(cause, httpx2.TransportError):  # an error of this side, which the SDK reports as the network's
        return Failure("error", f"{type(cause).__name__}: {cause}")
    return Failure("connection", f"{base_url} closed the connection ({type(cause).__name__}: {cause}).")


def proxy_of(base_url: str) -> str:
    """Return the proxy of the environment for a server, without a password; empty if it is reached directly."""
    url = httpx2.URL(base_url)
    proxies = urllib.request.getproxies_environment()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass(url.host):
        return ""
    return re.sub(r"//[^/@]*@", "//", proxy)


def _refused(error: anthropic.APIStatusError, base_url: object, asked: str, key: str) -> Failure:
    if error.status_code < 400:
        where = f"{base_url} answered {error.status_code}, a redirection."
        return Failure("connection", f"{where} Set --ctx-base-url to the address that it redirects to.", fatal=True)
    refusal = f"{base_url} answered {error.status_code}: {server_sentence(error.body)}."
    if _code(error.body) == NO_CREDIT:
        return Failure("refused_request", f"{refusal} The account has no credit left.", fatal=True)
    return by_status(error.status_code, refusal, asked, key)


def _code(body: object) -> object:
    """Return the code of an error of OpenAI's APIs; the SDK gives its body with or without `error` around it."""
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner.get("code") if isinstance(inner, dict) else None


def by_status(status: int, refusal: str, asked: str = "", key: str = "") -> Failure:
    """Explain a refusal by its status. refusal: a sentence on what the server answered. asked, key: see `explain`."""
    if status in (401, 403) or (status == 400 and BAD_KEY.search(refusal)):
        key = key or "ANTHROPIC_API_KEY, or the credentials of the model's provider"
        return Failure("bad_key", f"{refusal} Check {key}.", fatal=True)
    if status == 404:
        return Failure("no_such_model", f"{refusal} Check --ctx-model and --ctx-base-url. {OTHER_API}", fatal=True)
    if status in CAUSES:
        return Failure(CAUSES[status], refusal, outage=status in AWAY)
    if status >= 500:
        return Failure("server_error", refusal, outage=status in AWAY)
    where = f" It was {asked}." if asked else ""
    if status == 413 or TOO_LONG.search(refusal):
        advice = "Choose smaller sizes in the run's profile, or set window in the model's."
        return Failure("context_too_long", f"{refusal}{where} {advice}")
    advice = next((text for about, text in ADVICE.items() if re.search(about, refusal, re.I)), "")
    advice = advice or "The model profile's extra_body may contain what it refuses."
    return Failure("refused_request", f"{refusal}{where} {advice}")


def server_sentence(body: object) -> str:
    """Return the reason in the body of a server's error, on one line."""
    if isinstance(body, dict):
        body = body.get("error", body)  # Bedrock's body has no `error` around the message
    if isinstance(body, dict):
        body = body.get("message", body)
    try:
        text = visible(" ".join(str(body or "no reason given").split()))
    except RecursionError:
        text = "a reason whose JSON is nested too deeply"
    return (text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}…").rstrip(".")
