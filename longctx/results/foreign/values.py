"""Values in the records of other tools' files, as they can be kept of many results."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from longctx.text import visible

MOST_NAMED = 20
"""The most values that an error lists."""
LONGEST = 60
"""The length at which an error cuts a value."""
PLAIN = str, int, float
"""What a score is, and a field that may be a band or a cluster."""
LONGEST_ANSWER = 1000
"""The most characters that are kept of an answer."""
QUESTIONS = "question", "query", "problem", "user_input"
"""The fields that hold what is asked, the likeliest first."""
PERCENT = 100
LONGEST_NAME = 80
"""The length from which on the text that identifies an item is cut."""
NO_ERROR = frozenset(("", "none", "null", "nan", "false", "no", "0", "ok", "success", "succeeded", "completed", "done"))
"""What a field of errors holds if there was none."""


def plain(value: object) -> object:
    """Return a score as it can be kept of many results."""
    if value is True or value is False:
        return value
    if isinstance(value, str):
        return value[: LONGEST + 1]
    return value if value is None or isinstance(value, PLAIN) else "neither a text nor a number"


def shown(value: object) -> str | None:
    """Return the beginning of an answer; None if there is none."""
    if type(value) is str:
        return value[:LONGEST_ANSWER] or None
    if isinstance(value, list):
        value = " | ".join(str(part)[:LONGEST_ANSWER] for part in value[:MOST_NAMED] if isinstance(part, PLAIN))
    return str(value)[:LONGEST_ANSWER] if isinstance(value, PLAIN) and value != "" else None


def question_in(fields: Mapping[str, Any]) -> str | None:
    """Return what an item asks; None if no field with a usual name has it."""
    return next((shown(fields[name]) for name in QUESTIONS if isinstance(fields.get(name), str)), None)


def depth_in(value: object) -> float | None:
    """Return where in the context the answer stands, from 0 to 1 or in percent; None if it is no such number."""
    try:
        depth = math.nan if isinstance(value, bool) or not isinstance(value, PLAIN) else float(value)
    except (ValueError, OverflowError):
        return None
    return depth if 0 <= depth <= PERCENT else None


def text_in(content: object, name: str) -> str | None:
    """Return the beginning of a text in an object of another tool's file; None if there is none."""
    text = content.get(name) if isinstance(content, dict) else None
    return text[:LONGEST_ANSWER] if isinstance(text, str) else None


def name_of(text: str) -> str:
    """Return a text as what identifies an item: a long one is cut, and ends with its digest."""
    if len(text) <= LONGEST_NAME:
        return text
    return f"{text[:LONGEST_NAME]}… {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def name_in(fields: Mapping[str, Any], name: str) -> str:
    """Return the text or number in a field that groups or identifies items. Raises ValueError."""
    value = fields[name] if name in fields else value_in(fields, name)
    if type(value) is str and 0 < len(value) <= LONGEST_NAME:
        return sys.intern(value)
    if not isinstance(value, PLAIN) or isinstance(value, bool) or value == "":
        raise ValueError(f"its field {name!r} is neither a text nor a number")
    return sys.intern(name_of(str(value)))  # both files have it, and many rows a band's


def value_in(fields: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, or of one deeper down: `scores.f1`. Raises ValueError.

    Of a list of objects that have a `name`, a part of the name chooses the object: `metrics.Correctness.success`.
    """
    if name in fields:
        return fields[name]
    found = _deeper(fields, name.split("."))
    if found is _NOTHING:
        raise ValueError(f"it has no field {short(name)!r}, only {listed([*fields]) or 'none'}")
    return found


_NOTHING = object()


def _deeper(found: Any, parts: Sequence[str]) -> Any:
    """Return what the parts of a name lead to; several of them may be one key or name that contains dots."""
    if not parts:
        return found
    named = found if isinstance(found, dict) else _by_name(found)
    for end in range(1, len(parts) + 1):
        if (key := ".".join(parts[:end])) in named and (deeper := _deeper(named[key], parts[end:])) is not _NOTHING:
            return deeper
    return _NOTHING


def _by_name(found: Any) -> dict[str, Any]:
    """Return the objects of a list by their `name`; the first of equal ones."""
    objects: list[Any] = found if isinstance(found, list) else []
    return {one["name"]: one for one in reversed(objects) if isinstance(one, dict) and isinstance(one.get("name"), str)}


def error_in(value: object) -> str | None:
    """Return the beginning of the error in a field; None if there was none. A number is a measurement."""
    if isinstance(value, dict):
        value = value.get("message") or value.get("type") or ("an error" if value else "")
    if isinstance(value, list):
        value = next(filter(None, value), "")
    if value is True:
        return "an error"
    if not isinstance(value, str) or value.strip().lower() in NO_ERROR:
        return None
    return " ".join(value[: 4 * LONGEST].split())[:LONGEST]


def digest_of(asked: Sequence[object]) -> str | None:
    """Return a digest of a question's values; None if they contain no text or number."""
    texts = [str(value) for value in asked if isinstance(value, PLAIN)]
    return hashlib.sha256("/".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16] if texts else None


def listed(names: Sequence[str]) -> str:
    """Return the first of some names, so that they can be printed."""
    return ", ".join([*map(short, names[:MOST_NAMED]), *(["…"] if len(names) > MOST_NAMED else [])])


def short(text: str) -> str:
    """Return the beginning of a text, so that it can be printed."""
    return visible(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
