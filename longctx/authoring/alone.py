"""A question about a text, put to a model with that text alone, and without any: is it worth asking in a long context?

It is kept if it is right with its evidence alone and wrong without it. No test of the benchmark, as writing.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from longctx.config.prompts import Wording
from longctx.vocabulary.cell import BuiltTrial, Cell, Identity, Outcome, Reply, Words

PROMPTS = {
    "evidence": "{evidence}\n\n{question}\nAnswer in a few words, with nothing but the answer.",
    "nothing": "{question}\nAnswer in a few words, with nothing but the answer. If you cannot know it, guess.",
}
WORDING = Wording("alone", hashlib.sha256("\0".join(PROMPTS.values()).encode()).hexdigest()[:12], PROMPTS)
ROOM = 60
"""The most tokens of an answer."""


@dataclass(frozen=True, slots=True)
class Alone(Cell):
    """A question with its evidence, or with nothing. One trial, whatever the seed."""

    test: ClassVar[str] = "alone"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("given",)
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(PROMPTS, ("question",))

    given: str
    """`evidence` or `nothing`."""
    max_tokens: int = field(default=ROOM, kw_only=True)
    question: str = field(kw_only=True, repr=False)
    evidence: str = field(kw_only=True, repr=False)
    tokens: int = field(kw_only=True, repr=False)
    """About those of the prompt, in the reference vocabulary."""

    def run(
        self, words: Words, seed: int, index: int, repeat: int, answer: Callable[[BuiltTrial], Reply | None]
    ) -> tuple[BuiltTrial, Outcome | None]:
        """Return the trial, without an outcome: the probe grades the reply."""
        user = words[self.given].replace("{question}", self.question).replace("{evidence}", self.evidence)
        built = BuiltTrial(self.identity(seed, index, repeat), "", user, "", self.max_tokens, depth=0.0)
        answer(built)
        return built, None

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return int(self.tokens * tokens["reference"])

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        text = "\0".join([self.question, self.evidence if self.given == "evidence" else ""])
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return replace(super(Alone, self).identity(0, 0, repeat), item=digest[:16])
