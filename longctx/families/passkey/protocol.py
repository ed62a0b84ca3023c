"""Passkey retrieval: find a random 5-digit key in a long irrelevant text, k tokens before its end.

Source: S. Chen et al., "Extending Context Window of Large Language Models via Position Interpolation", 2023,
section 3.3 and Figure 3, https://arxiv.org/abs/2306.15595; prompt by A. Mohtashami and M. Jaggi, "Landmark
Attention", 2023, https://arxiv.org/abs/2305.16300. The line breaks in Figure 3 are not part of the prompt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from longctx import Context, Mark, Outcome, Piece, Reply, Scenario, Trial, Words, first_integer, mark, unanswered
from longctx.vocabulary.judging import cut_within
from longctx.vocabulary.token_counts import check_profile, checked_counts


@dataclass(frozen=True, slots=True)
class FillerTokens:
    """The tokens of the wording in a model's tokenizer.

    filler: one repetition of the filler. fixed: everything else, chat template included.
    after_key: from the last mention of the key to the end of the text, without filler.
    """

    filler: float
    fixed: int
    after_key: int


@dataclass(frozen=True, slots=True)
class Passkey(Scenario):
    """A key k tokens before the end of a prompt that fills `window` tokens, the reply's max_tokens included.

    The distance is counted from the last digit of the key's last mention, so that finding the key at k shows that the
    model reached back at least k tokens. The largest k of a grid is the window itself and means the farthest possible
    place: no filler before the key.
    """

    family: ClassVar[str] = "passkey"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("window", "k")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "opening": (),
        "filler": (),
        "needle": ("key",),
        "question": (),
    }
    counts_system: ClassVar[bool] = True

    window: int
    k: int
    tokens: FillerTokens | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.window:
            raise ValueError(f"k {self.k} does not lie in a window of {self.window} tokens: give 1 to {self.window}.")

    @classmethod
    def probes(cls, words: Words) -> dict[str, str]:
        key = "12345"
        text, key_ends = document(words, key, 0, 0)
        return {
            "fixed": text,
            "through_key": text[:key_ends],
            "10 fillers each": document(words, key, 10, 10)[0],
            "40 fillers each": document(words, key, 40, 40)[0],
        }

    @classmethod
    def token_values(cls, counts: Mapping[str, int]) -> dict[str, float]:
        filler = (counts["40 fillers each"] - counts["10 fillers each"]) / 60
        values = {
            "filler": round(filler, 4),
            "fixed": math.ceil(max(counts["fixed"], counts["10 fillers each"] - 20 * filler)),
            "after_key": counts["fixed"] - counts["through_key"],
        }
        return checked_counts(values)

    def fit(self, values: Mapping[str, float]) -> Passkey:
        check_profile(values, ("filler", "fixed", "after_key"))
        tokens = FillerTokens(values["filler"], int(values["fixed"]), int(values["after_key"]))
        fitted = replace(self, tokens=tokens)
        fitted.fillers()
        return fitted

    def fillers(self) -> tuple[int, int]:
        """Return how often the filler is repeated before (X) and after (Y) the key.

        Raises ValueError if the window is too small for the prompt's fixed text.
        """
        if self.tokens is None:
            raise ValueError("the model's tokens per filler are not known.")
        room = self.window - self.max_tokens - self.tokens.fixed
        if room < 0:
            raise ValueError(
                f"a window of {self.window} tokens is smaller than the prompt's fixed text of {self.tokens.fixed} "
                f"and its answer of {self.max_tokens}: give at least {self.tokens.fixed + self.max_tokens}."
            )
        total = int(room / self.tokens.filler)
        after = round((self.k - self.tokens.after_key) / self.tokens.filler)
        after = min(max(after, 0), total)
        return total - after, after

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        before, after = self.fillers()
        key = str(self.stream(seed, index).randint(10_000, 100_000, dtype=np.int64))
        user, key_ends = document(words, key, before, after)
        assert self.tokens is not None
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=key,
            max_tokens=self.max_tokens,
            depth=(key_ends - len(key)) / len(user),
            distance_from_end=round(after * self.tokens.filler) + self.tokens.after_key,
            prefix=self.prefix(words, seed, index),
            recorded={"fillers_before": before, "fillers_after": after},
        )

    def prefix(self, words: Words, seed: int, index: int) -> str:
        return f"{self.family}/{self.window}/{self.fillers()[0]:09d}"

    def cluster(self, index: int) -> str:
        """Return the window and k: the trials of one distance differ in their key alone, and share the filler."""
        return f"window-{self.window}-k-{self.k}"

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        number = first_integer(reply)
        if reply.stop_reason == "refusal" or number is None:
            return unanswered(reply)
        if number[0] == trial.expected:
            return Outcome("correct", number[0], "the key")
        if cut := cut_within(number, reply):
            return cut
        same = sum(a == b for a, b in zip(number[0], trial.expected, strict=False))
        return Outcome(
            "wrong",
            number[0],
            f"{same} of {len(trial.expected)} digits are where the key has them",
            {"digits_right": same},
        )

    @property
    def piece_count(self) -> int:
        return 1

    def in_pieces(self, words: Words, trial: Trial) -> Context:
        text = trial.user.removeprefix(words["opening"]).removesuffix(words["question"]).strip("\n")
        return Context((Piece(text),), words["question"], words["opening"], needle=0, evidence=trial.expected)

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        needle = mark("needle", trial.user, words["needle"].replace("{key}", trial.expected))
        return [*needle, Mark("question", trial.user.rindex(words["question"]), len(trial.user))]

    @property
    def length(self) -> int:
        """The tokens from the passkey to the end."""
        return self.k

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return self.window - self.max_tokens


def document(words: Words, key: str, before: int, after: int) -> tuple[str, int]:
    """Return Figure 3 with the filler `before` and `after` times, and the offset where the key's last mention ends."""
    needle = words["needle"].replace("{key}", key)
    head = "".join(f"{part}\n" for part in (words["opening"], " ".join([words["filler"]] * before)) if part)
    tail = "".join(f"\n{part}" for part in (" ".join([words["filler"]] * after), words["question"]) if part)
    return head + needle + tail, len(head) + needle.rindex(key) + len(key)


def spaced(window: int, count: int) -> list[int]:
    """Return `count` distances k evenly spaced in the window, the largest being the window.

    Raises ValueError if the window has fewer tokens than distances.
    """
    if not 1 <= count <= window:
        raise ValueError(f"{count} distances do not fit in a window of {window} tokens.")
    return [round(window * step / count) for step in range(1, count + 1)]
