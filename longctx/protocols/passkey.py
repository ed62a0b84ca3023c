"""Passkey retrieval: find a random 5-digit key in a long irrelevant text, k tokens before its end.

Source: S. Chen et al., "Extending Context Window of Large Language Models via Position Interpolation", 2023,
section 3.3 and Figure 3, https://arxiv.org/abs/2306.15595; prompt by A. Mohtashami and M. Jaggi, "Landmark
Attention", 2023, https://arxiv.org/abs/2305.16300. The line breaks in Figure 3 are not part of the prompt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from longctx import (
    Answer,
    Context,
    Count,
    Counts,
    Mark,
    Outcome,
    Piece,
    ProtocolAsk,
    ProtocolCell,
    ProtocolDraw,
    fill,
    mark,
    protocol,
    unanswered,
)
from longctx.vocabulary.counts import checked_counts
from longctx.vocabulary.grid import WindowAxes
from longctx.vocabulary.judging import cut_within, first_integer
from longctx.vocabulary.point import Templates


class PasskeyAxes(WindowAxes):
    """`distances` values of k, evenly spaced in each window (tokens)."""

    distances: Count = 32
    """The number of values of k in each window, evenly spaced."""
    max_tokens: Count = 16
    """The most tokens of a reply."""
    min_k_max: Count | None = None
    """The smallest k_max (tokens) that a gate accepts, in windows that are at least as large."""
    difficulty: ClassVar[str] = "windows"

    @property
    def minimums(self) -> int:
        return sum(self.min_k_max is not None and window >= self.min_k_max for window in self.windows)

    def minimum_of(self, window: int) -> int | None:
        """Return the stated minimum of k_max in a window; None if there is none, or the window is smaller."""
        asked = self.has_shares or window in self.windows  # shares give each model windows of its own
        stated = asked and self.min_k_max is not None and window >= self.min_k_max
        return self.min_k_max if stated else None

    def cells(self) -> Iterator[dict[str, object]]:
        for window in self.windows:
            for k in spaced(window, self.distances):
                yield {"window": window, "k": k}


def spaced(window: int, count: int) -> list[int]:
    """Return `count` distances k evenly spaced in the window, the largest being the window.

    Raises ValueError if the window has fewer tokens than distances.
    """
    if not 1 <= count <= window:
        raise ValueError(f"{count} distances do not fit in a window of {window} tokens.")
    return [round(window * step / count) for step in range(1, count + 1)]


def document(words: Templates, key: str, before: int, after: int) -> tuple[str, int]:
    """Return Figure 3 with the filler `before` and `after` times, and the offset where the key's last mention ends."""
    needle = fill(words["needle"], {"key": key})
    head = "".join(f"{part}\n" for part in (words["opening"], " ".join([words["filler"]] * before)) if part)
    tail = "".join(f"\n{part}" for part in (" ".join([words["filler"]] * after), words["question"]) if part)
    return head + needle + tail, len(head) + needle.rindex(key) + len(key)


def fillers(cell: ProtocolCell) -> tuple[int, int]:
    """Return how often the filler is repeated before (X) and after (Y) the key.

    Raises ValueError if the window is too small for the prompt's fixed text.
    """
    tokens = cell.counted
    room = cell.window - cell.max_tokens - int(tokens["fixed"])
    if room < 0:
        raise ValueError(
            f"a window of {cell.window} tokens is smaller than the prompt's fixed text of {tokens['fixed']:.0f} "
            f"and its answer of {cell.max_tokens}: use at least {tokens['fixed'] + cell.max_tokens:.0f}."
        )
    total = int(room / tokens["filler"])
    after = round((cell.k - int(tokens["after_key"])) / tokens["filler"])
    after = min(max(after, 0), total)
    return total - after, after


def _probes(words: Templates) -> dict[str, str]:
    key = "12345"
    text, key_ends = document(words, key, 0, 0)
    return {
        "fixed": text,
        "through_key": text[:key_ends],
        "10 fillers each": document(words, key, 10, 10)[0],
        "40 fillers each": document(words, key, 40, 40)[0],
    }


def _values(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the tokens of one filler, of everything else, and of what follows the key without filler."""
    filler = (counts["40 fillers each"] - counts["10 fillers each"]) / 60
    values = {
        "filler": round(filler, 4),
        "fixed": math.ceil(max(counts["fixed"], counts["10 fillers each"] - 20 * filler)),
        "after_key": counts["fixed"] - counts["through_key"],
    }
    return checked_counts(values)


def _validate(cell: ProtocolCell) -> None:
    if not 1 <= cell.k <= cell.window:
        raise ValueError(f"k {cell.k} does not lie in a window of {cell.window} tokens: give 1 to {cell.window}.")


@protocol(
    axes=PasskeyAxes,
    title="Passkey",
    templates={"system": (), "opening": (), "filler": (), "needle": ("key",), "question": ()},
    size=lambda cell, tokens: cell.window - cell.max_tokens,
    fills_window=True,
    length="k",
    context="window",
    counts=Counts(_probes, _values, ("filler", "fixed", "after_key"), fits=fillers),
    prefix=lambda cell, words, seed, index: f"passkey/{cell.window}/{fillers(cell)[0]:09d}",
    cluster=lambda cell, index: f"window-{cell.window}-k-{cell.k}",  # trials of a distance differ in their key alone
    pieces=lambda cell: 1,
    validate=_validate,
    report="longctx.protocols.reports.passkey_report:REPORT",
)
def passkey(ask: ProtocolAsk, draw: ProtocolDraw, words: Templates, cell: ProtocolCell, window: int, k: int) -> Outcome:
    """A key k tokens before the end of a prompt that fills `window` tokens, the reply's max_tokens included.

    The distance is counted from the last digit of the key's last mention, so that finding the key at k shows that the
    model reached back at least k tokens. The largest k is the window itself and means the farthest possible place: no
    filler before the key.
    """
    before, after = fillers(cell)
    key = str(draw.stream().randint(10_000, 100_000, dtype=np.int64))
    text, key_ends = document(words, key, before, after)
    tokens = ask.tokens()

    def pieces() -> Context:
        shown = text.removeprefix(words["opening"]).removesuffix(words["question"]).strip("\n")
        return Context((Piece(shown),), words["question"], words["opening"], needle=0, evidence=key)

    answer = ask(
        text,
        expected=key,
        depth=(key_ends - len(key)) / len(text),
        distance_from_end=round(after * tokens["filler"]) + int(tokens["after_key"]),
        params={"fillers_before": before, "fillers_after": after},
        pieces=pieces,
    )

    needle = mark("needle", text, fill(words["needle"], {"key": key}))
    return replace(
        judge_answer(answer, key), marks=[*needle, Mark("question", text.rindex(words["question"]), len(text))]
    )


def judge_answer(answer: Answer, key: str) -> Outcome:
    """Judge an answer by its first number."""
    number = first_integer(answer)
    if answer.stop_reason == "refusal" or number is None:
        return unanswered(answer)
    if number[0] == key:
        return Outcome("correct", number[0], "the key")
    if cut := cut_within(number, answer):
        return cut
    same = sum(a == b for a, b in zip(number[0], key, strict=False))
    why = f"{same} of {len(key)} digits are where the key has them"
    return Outcome("wrong", number[0], why, {"digits_right": same})


LINES = 100
"""The random lines by which two probes differ; their tokens are averaged."""


def one_piece(context: str, question: str) -> Context:
    """Return the parts of a user's text as a context in one piece and a question."""
    return Context((Piece(context.strip()),), question.strip(), needle=0)


def line_counts(prompt: Callable[[Templates, int], str], fits: Callable[[Any], object]) -> Counts:
    """Return what a protocol must know of a model's tokenizer if its lines take about the same number of tokens each.

    prompt: returns a prompt with 1 or LINES + 1 lines that is otherwise the same. fits: see Counts.
    """
    many = f"{LINES + 1} lines"

    def values(counts: Mapping[str, int]) -> dict[str, float]:
        line = (counts[many] - counts["1 line"]) / LINES
        checked = checked_counts({"line": line, "fixed": counts["1 line"] - line})
        return {name: round(value, 4) for name, value in checked.items()}

    return Counts(
        lambda words: {"1 line": prompt(words, 1), many: prompt(words, LINES + 1)}, values, ("line", "fixed"), fits
    )


def line_count(cell: ProtocolCell, least: int, spread: float) -> int:
    """Return how many lines fill the window of a cell. Raises ValueError if they are too few.

    least: the fewest lines of a prompt. spread: four standard deviations of the tokens of a line, so that prompts
    hardly ever exceed their window.
    """
    line, fixed = cell.counted["line"], cell.counted["fixed"] + cell.max_tokens
    # n lines and their deviation, spread * sqrt(n), take all of the room.
    root = (math.sqrt(spread**2 + 4 * line * max(cell.window - fixed, 0)) - spread) / (2 * line)
    if (lines := int(root * root)) >= least:
        return lines
    needed = math.ceil(fixed + least * line + spread * math.sqrt(least)) + 1
    raise ValueError(
        f"a window of {cell.window} tokens is too small for the {least} lines of {cell.slug}: use at least {needed}."
    )
