"""Scores of raw answers against what is expected: `--score contains`, `share` or `exact`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from longctx.vocabulary.naming import folded, names
from longctx.vocabulary.reading import ungrouped


def _texts(value: object) -> list[str]:
    """Return what is expected as texts: one, or a list of them."""
    found = value if isinstance(value, list) else [value]
    return [str(text) for part in found for text in (_texts(part) if isinstance(part, list) else [part])]


def _contains(answer: str, expected: Sequence[str]) -> float:
    return float(any(names(answer, text) for text in expected))


def _share(answer: str, expected: Sequence[str]) -> float:
    return sum(names(answer, text) for text in expected) / len(expected)


def _exact(answer: str, expected: Sequence[str]) -> float:
    given = _bare(answer)
    return float(any(given in (_bare(text), ungrouped(_bare(text))) for text in map(folded, expected)))


def _bare(text: str) -> str:
    return text.strip(" .!?\"'`*")


SCORES: Mapping[str, Callable[[str, Sequence[str]], float]] = {
    "contains": _contains,
    "share": _share,
    "exact": _exact,
}
"""Whether an answer contains one of the expected texts; the share of them that it contains; whether it is one."""


def score(name: str, answer: Any, expected: Any) -> float | None:
    """Return the score of an answer; None without one. Raises ValueError if nothing is expected.

    Example:
        >>> score("contains", "It is in the garden.", ["garden"]), score("share", "7 and 12", ["7", "8"])
        (1.0, 0.5)
    """
    texts = [text for text in _texts(expected) if text.strip()] if expected is not None else []
    if not texts:
        raise ValueError("its expected answer is empty, so that --score cannot score it")
    if answer is None:
        return None
    given = _texts(answer)
    return SCORES[name](folded(" ".join(given)), texts)
