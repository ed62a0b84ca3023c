"""Credentials: which parts of a request must never be shown."""

from __future__ import annotations

import base64
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Self
from urllib.parse import unquote

import httpx2

from longctx.redaction import REDACTED, SECRET, longest_first, spellings, values

NO_HEADER = "The key contains a character that no header may have, such as a space or the end of a line."
PUBLIC = re.compile(
    r"host|accept(-encoding)?|connection|user-agent|content-(length|type|encoding)|transfer-encoding"
    r"|anthropic-(version|beta|dangerous-.*)|x-stainless-.*|x-amz-(date|content-sha256)|idempotency-key"
)
"""The headers of the SDK and of HTTP that hold no secret. All others are credentials, or were set by the user."""


SCHEMES = {"bearer", "basic", "digest", "negotiate", "token", "aws4-hmac-sha256"}


@dataclass(frozen=True, slots=True)
class Credentials:
    """What must not be repeated."""

    secret: tuple[str, ...]
    """The values of headers and of parameters of the URL with a name such as `x-api-key`, the URL's userinfo, and the
    keys in the environment."""
    own: tuple[str, ...] = ()
    """The values of the user's other headers."""

    @classmethod
    def of(cls, request: httpx2.Request) -> Self:
        """Return the credentials in a request's headers and URL."""
        secret = {unquote(part) for part in request.url.userinfo.decode("ascii", "replace").split(":", 1)}
        secret |= {value for name, value in request.url.params.multi_items() if _is_secret(name)}
        secret |= {*values()}
        own: set[str] = set()
        for name, value in request.headers.items():
            if _is_secret(name):
                secret |= {value, *_parts(value)}
            elif not _is_public(name):
                own.add(value)
        return cls(longest_first(secret), longest_first(own - secret))

    def in_replies(self) -> Credentials:
        """Return the credentials to look for in the reply of a model.

        The user's other headers, such as the name of a provider, may be ordinary words, and a reply is not changed for
        these.
        """
        return Credentials(self.secret)

    @property
    def longest(self) -> int:
        """The bytes of the longest spelling of a credential; 0 if there is none."""
        return max(map(len, _spelled(self.secret + self.own)), default=0)

    def redacted(self, text: str) -> str:
        return self.redacted_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def redacted_bytes(self, body: bytes) -> bytes:
        for spelling in _spelled(self.secret + self.own):
            body = body.replace(spelling, REDACTED.encode())
        return body


@lru_cache(maxsize=64)
def _spelled(credentials: tuple[str, ...]) -> tuple[bytes, ...]:
    """Return each credential as it may be in JSON, HTML or a URL."""
    return tuple(spelling.encode("utf-8", "surrogatepass") for value in credentials for spelling in spellings(value))


@lru_cache(maxsize=256)
def _is_secret(name: str) -> bool:
    """Return whether a header or a parameter of the URL with this name is a credential."""
    return SECRET.search(name) is not None


@lru_cache(maxsize=256)
def _is_public(header: str) -> bool:
    return PUBLIC.fullmatch(header) is not None


def _parts(value: str) -> Iterator[str]:
    """Yield the credentials inside a header such as `Bearer …` or `session=…; other=…`."""
    words = re.split(r"[\s,;]+", value)
    if words[0].lower() == "basic":
        with contextlib.suppress(ValueError):
            yield from base64.b64decode(words[-1]).decode().split(":", 1)
    for word in words:
        if word.lower() not in SCHEMES:
            yield word
            yield word.partition("=")[2].rstrip("=")
