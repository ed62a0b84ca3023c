"""A question about a text, put to a model with that text alone, and without any: is it worth asking in a long context?

It is kept if it is right with its evidence alone and wrong without it. No test of the benchmark, as writing.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from longctx.config.prompts import Wording
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.point import BuiltTrial, Declaration, Identity, Outcome, Point, Templates

PROMPTS = {
    "evidence": "{evidence}\n\n{question}\nAnswer in a few words, with nothing but the answer.",
    "nothing": "{question}\nAnswer in a few words, with nothing but the answer. If you cannot know it, guess.",
}
WORDING = Wording("alone", hashlib.sha256("\0".join(PROMPTS.values()).encode()).hexdigest()[:12], PROMPTS)
ROOM = 60
"""The most tokens of an answer."""


@dataclass(frozen=True, slots=True)
class Alone(Point):
    """A question with its evidence, or with nothing. One trial, whatever the seed."""

    declared = Declaration(
        name="alone",
        parameters=("given",),
        templates=dict.fromkeys(PROMPTS, ("question",)),
        size=lambda cell, tokens: cell.reference_tokens * tokens["reference"],
    )

    given: str
    """`evidence` or `nothing`."""
    max_tokens: int = field(default=ROOM, kw_only=True)
    question: str = field(kw_only=True, repr=False)
    evidence: str = field(kw_only=True, repr=False)
    reference_tokens: int = field(kw_only=True, repr=False)
    """About those of the prompt, in the reference vocabulary."""

    def run(
        self, words: Templates, seed: int, index: int, repeat: int, answer: Callable[[BuiltTrial], Answer | None]
    ) -> tuple[BuiltTrial, Outcome | None]:
        """Return the trial, without an outcome: the probe grades the reply."""
        user = words[self.given].replace("{question}", self.question).replace("{evidence}", self.evidence)
        built = BuiltTrial(self.identity(seed, index, repeat), "", user, "", self.max_tokens, depth=0.0)
        answer(built)
        return built, None

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        text = "\0".join([self.question, self.evidence if self.given == "evidence" else ""])
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return replace(super(Alone, self).identity(0, 0, repeat), item=digest[:16])
