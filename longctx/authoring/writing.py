"""Writing the questions of long-context QA: a model is shown one section, and two examples of how it is done.

Source: the notebook "Experimentally Testing Claude's Long-Context QA Abilities" (Anthropic, 2023), its two-shot prompt.
Its examples are real notices; here they are the two sections of the shipped register that are kept out of the test.
No test of the benchmark: there is no answer that could be right. It is a cell so that a tape can hold it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from longctx.vocabulary.answer import Answer
from longctx.vocabulary.bank import Section
from longctx.vocabulary.point import BuiltTrial, Declaration, Identity, Outcome, Point, Templates
from longctx.vocabulary.text import fill

MOST_QUESTIONS = 20
NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
PROMPT_TOKENS = 3600
"""The tokens of the prompt set `protocol` without the section, in the reference vocabulary."""


@dataclass(frozen=True, slots=True)
class Writing(Point):
    """`per_section` questions about one section, the last of them numerical. One trial, whatever the seed.

    The trial is identified by the section's id and text, so that it stays the same when other documents come or go.
    """

    declared = Declaration(
        name="writing",
        parameters=("per_section",),
        templates={
            "system": (),
            "prompt": ("number", "others", "passage", "passage1", "questions1", "passage2", "questions2"),
            "passage1": (),
            "questions1": (),
            "passage2": (),
            "questions2": (),
            "prefill": (),
            "without_prefill": ("prefill",),
        },
        size=lambda cell, tokens: (PROMPT_TOKENS + cell.section.tokens) * tokens["reference"],
    )

    per_section: int
    max_tokens: int = field(default=3000, kw_only=True)
    section: Section = field(kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if not 2 <= self.per_section <= MOST_QUESTIONS:
            raise ValueError(f"--per-section {self.per_section} is not possible: use 2 to {MOST_QUESTIONS}.")

    def run(
        self, words: Templates, seed: int, index: int, repeat: int, answer: Callable[[BuiltTrial], Answer | None]
    ) -> tuple[BuiltTrial, Outcome | None]:
        """Return the trial, without an outcome: what was written is read and checked, not judged."""
        number = {"number": NUMBERS[self.per_section], "others": str(self.per_section - 1)}
        user = fill(words["prompt"], {**words, **number, "passage": self.section.text})
        built = BuiltTrial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected="",
            max_tokens=self.max_tokens,
            depth=user.rindex(self.section.text) / len(user),
            prefix=self.test,
            prefill=words["prefill"],
            without_prefill=fill(words["without_prefill"], {"prefill": words["prefill"]}),
        )
        answer(built)
        return built, None

    @property
    def id(self) -> str:
        return f"{self.slug}-{self.section.id}"

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        text = hashlib.sha256(self.section.text.encode("utf-8", "surrogatepass")).hexdigest()
        item = f"{self.section.id}@{text[:12]}"
        return replace(super(Writing, self).identity(0, 0, repeat), item=item)
