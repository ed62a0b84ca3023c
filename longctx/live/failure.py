"""Why a trial was not measured: what the SDK's errors mean, in a sentence that says what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass

import anthropic
import httpx2

from longctx.live.server.enquiry import NoAnswer
from longctx.recording.reply import MalformedAnswer
from longctx.recording.tape import NotRecorded
from longctx.visible import visible

CAUSES = {408: "timeout", 429: "rate_limit", 504: "timeout", 529: "overloaded"}
"""Status -> cause, where the status says it all. What is below 500 and not named is a refused request."""

TOO_LONG = re.compile(r"too long|too large|context (window|length|size)|exceed\w* .*\bcontext|maximum .*tokens", re.I)
ADVICE = {
    r"prefill|assistant message": "Set prefill = false in the model's profile: the beginning of the answer is then "
    "asked for in words.",
    r"temperature|top_p|top_k": "Take it out of extra_body in the model's profile.",
    r"thinking|budget_tokens": "Mend the thinking settings in the model's profile.",
    r"max_tokens": "Set another max_tokens in the run's profile, or thinking_tokens in the model's.",
    r"cache_control": "Take the caching settings out of the model's profile.",
    r"credit|billing": "The account has no means left: nothing was wrong with the question.",
}
"""What a server's sentence about a refused request speaks of -> the setting to change."""
MOST_SAID = 500
"""Characters of what a server says that are passed on."""
NO_HEADER = "The key holds a character that no header may have, such as a space or the end of a line."


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a trial was not measured. `fatal`: no other trial would fare better, so asking stops."""

    cause: str
    message: str
    fatal: bool = False


def explain(error: Exception, base_url: object, asked: str = "") -> Failure:
    """What went wrong with a request to `base_url`, and whether asking on makes sense.

    asked: what was asked, in words that begin a clause, such as the name of a scenario.
    """
    if isinstance(error, anthropic.APIConnectionError) and isinstance(
        error.__cause__, MalformedAnswer | NotRecorded | httpx2.DecodingError
    ):
        error = error.__cause__  # raised by the transport, which the SDK takes for the network
    if isinstance(error, MalformedAnswer | httpx2.DecodingError):
        return Failure("malformed_answer", f"{error}.")
    if isinstance(error, NoAnswer):
        return Failure("timeout", f"{base_url} gave no answer {error}.")
    if isinstance(error, TimeoutError | anthropic.APITimeoutError):
        return Failure("timeout", f"{base_url} gave no answer in time (timeout_s in the model's profile).")
    if isinstance(error, NotRecorded):
        return Failure("not_recorded", str(error), fatal=True)
    if isinstance(error, anthropic.APIConnectionError):
        return _unconnected(error, base_url)
    if isinstance(error, anthropic.APIStatusError):
        return _refused(error, base_url, asked)
    return Failure("error", f"{type(error).__name__}: {error}")


def _unconnected(error: anthropic.APIConnectionError, base_url: object) -> Failure:
    cause = error.__cause__ or error
    if isinstance(cause, httpx2.ConnectError | anthropic.APIConnectionError):
        return Failure("connection", f"No connection to {base_url} ({cause}): is the server running?", fatal=True)
    if isinstance(cause, httpx2.LocalProtocolError):  # whose text would show the key
        return Failure("bad_key", f"{NO_HEADER} Set ANTHROPIC_API_KEY anew.", fatal=True)
    if not isinstance(cause, httpx2.TransportError):  # raised on the way to the network, which the SDK takes for it
        return Failure("error", f"{type(cause).__name__}: {cause}")
    return Failure("connection", f"{base_url} broke the connection off ({type(cause).__name__}: {cause}).")


def _refused(error: anthropic.APIStatusError, base_url: object, asked: str) -> Failure:
    if error.status_code < 400:
        where = f"{base_url} answered {error.status_code}, a redirection."
        return Failure("connection", f"{where} Give --ctx-base-url the address that it redirects to.", fatal=True)
    said = f"{base_url} answered {error.status_code}: {server_sentence(error.body)}."
    return by_status(error.status_code, said, asked)


def by_status(status: int, said: str, asked: str = "") -> Failure:
    """What a refusal means. said: the refusal, in a sentence. asked: as of `explain`."""
    if status in (401, 403):
        return Failure(
            "bad_key", f"{said} Check ANTHROPIC_API_KEY, or the credentials of the model's provider.", fatal=True
        )
    if status == 404:
        return Failure("no_such_model", f"{said} Check --ctx-model and --ctx-base-url.", fatal=True)
    if status in CAUSES:
        return Failure(CAUSES[status], said)
    if status >= 500:
        return Failure("server_error", said)
    where = f" It was {asked}." if asked else ""
    if status == 413 or TOO_LONG.search(said):
        advice = "Choose smaller sizes in the run's profile, or set window in the model's."
        return Failure("context_too_long", f"{said}{where} {advice}")
    advice = next((text for about, text in ADVICE.items() if re.search(about, said, re.I)), "")
    advice = advice or "The model profile's extra_body may ask for what it refuses."
    return Failure("refused_request", f"{said}{where} {advice}")


def server_sentence(said: object) -> str:
    """What the server gives as its reason in the body of an error, on one line."""
    if isinstance(said, dict):
        said = said.get("error", said)  # Bedrock's has no error around it
    if isinstance(said, dict):
        said = said.get("message", said)
    text = visible(" ".join(str(said or "no reason given").split()))
    return (text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}…").rstrip(".")
