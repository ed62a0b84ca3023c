"""Text without the values of keys: what people and files must never be shown."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from longctx.own_environment import variable

REDACTED = "[redacted]"
SHORTEST = 8
"""The fewest characters of a credential: a shorter one would be found in any text."""
SECRET = re.compile(r"auth|key|token|secret|passw|credential|cookie|signature", re.I)
"""The names of headers that hold credentials, wherever they come from."""
IN_URL = re.compile(
    r"([?&](?:amp;)?[\w.-]{0,64}(?:auth|key|token|secret|passw|credential|signature)[\w.-]{0,64}=)[^&#\s\"'<>\\)\]]+",
    re.I,
)
"""A parameter of an address whose name says that its value is a credential."""
KEY = re.compile(
    r"\b(?:sk-[\w-]{8,}|[rs]k_(?:live|test)_\w{10,}|AKIA[0-9A-Z]{12,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}"
    r"|hf_\w{20,}|xox[abprs]-[\w-]{10,}|AIza[\w-]{20,}|eyJ[\w-]{10,1000}+\.[\w-]{10,4000}+\.[\w-]+)"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
    r"|(?i:(?<=bearer )|(?<=api[_-]key[=:]))[\w.~+/-]{12,}"
)
"""What looks like a key by itself."""
TEXT_FILES = (".md", ".html", ".csv", ".svg")
"""How the names of files end whose text may be replaced wherever it stands; in others a value may be a name, too."""

_sources: list[Callable[[], Iterable[str]]] = []
_patterns: list[re.Pattern[str]] = []


def keep_out(variables: Callable[[], Iterable[str]]) -> None:
    """Let no text of this process show the values of environment variables. variables: returns their names.

    It is called when text is first redacted, since it may read files.
    """
    _sources[:] = [variables]


def keep_matches_out(pattern: re.Pattern[str]) -> None:
    """Let no text of this process show what the pattern matches, such as an address with a secret in it."""
    _patterns.append(pattern)


def values() -> tuple[str, ...]:
    """Return the values of the variables, the longest first: one may contain another."""
    found = {value.strip() for names in _sources for name in names() for value in _in_variable(name)}
    return longest_first(found)


def _in_variable(name: str) -> Iterator[str]:
    """Yield the credentials in an environment variable: its value, or those of headers, one a line."""
    value = variable(name)
    if not name.endswith("_HEADERS"):
        yield value
        return
    for line in value.splitlines():
        header, _, header_value = line.partition(":")
        if SECRET.search(header):
            yield header_value.strip()
            yield from header_value.split()


def longest_first(found: Iterable[str]) -> tuple[str, ...]:
    """Return the values that are long enough; one that contains another comes before it."""
    return tuple(sorted((value for value in set(found) if len(value) >= SHORTEST), key=lambda it: (-len(it), it)))


def spellings(value: str) -> Iterator[str]:
    """Yield a credential as it may be in text, JSON, HTML or a URL."""
    escaped = json.dumps(value)[1:-1]
    codes = re.sub(r"[^\w.\\-]", lambda match: f"\\u{ord(match[0]):04x}", value)
    yield from dict.fromkeys((value, escaped, escaped.replace("/", "\\/"), codes, quote(value, safe="")))


@functools.lru_cache(maxsize=8)
def _spelled(found: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(spelling for value in found for spelling in spellings(value))


def redacted(text: str) -> str:
    """Return the text without the values of keys, and without those in addresses such as `?key=…`."""
    for spelling in _spelled(values()):
        text = text.replace(spelling, REDACTED)
    for pattern in _patterns:
        text = pattern.sub(REDACTED, text)
    return IN_URL.sub(rf"\1{REDACTED}", text)


def without_keys(text: str) -> str:
    """Return the text without what `redacted` leaves out, and without all that looks like a key."""
    return KEY.sub(REDACTED, redacted(text))


def redacted_data(value: Any) -> Any:
    """Return data, as JSON has it, with every text in it redacted; the names of its fields stay."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {name: redacted_data(entry) for name, entry in value.items()}
    return [redacted_data(entry) for entry in value] if isinstance(value, list) else value


def redacted_json(line: str) -> str:
    """Return a line of JSON with every text in it redacted."""
    if redacted(line) == line:
        return line
    return json.dumps(redacted_data(json.loads(line)), ensure_ascii=False, separators=(",", ":"))


def redact_files(folder: Path) -> None:
    """Redact the files of a report, whose texts may come from elsewhere than its rows."""
    if not (values() or _patterns):
        return
    for path in folder.rglob("*"):
        if path.suffix in TEXT_FILES and path.is_file() and not path.is_symlink():
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            if (clean := redacted(text)) != text:
                path.write_text(clean, encoding="utf-8", errors="surrogateescape")
        elif path.suffix == ".json" and path.is_file() and not path.is_symlink():
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            if redacted(text) != text:
                clean = json.dumps(redacted_data(json.loads(text)), ensure_ascii=False, indent=1)
                path.write_text(f"{clean}\n", encoding="utf-8", errors="surrogateescape")
