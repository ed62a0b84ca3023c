"""Questions that a model drafts about texts, and that are kept if they need the text: the cases of a test function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.authoring.alone import ROOM, WORDING, Alone
from longctx.authoring.writing import Writing
from longctx.authoring.written import read_reply
from longctx.cells.cell import Cell
from longctx.config.prompts import PromptSet
from longctx.errors import UserError
from longctx.functions.cells import load_cases
from longctx.functions.transcript import Probe
from longctx.live.cost.money import cost
from longctx.recording.request import Place
from longctx.stats.losses import probes_needed
from longctx.text import count, usd

if TYPE_CHECKING:
    from longctx.config.models import ModelProfile
    from longctx.engine.run import Run
    from longctx.recording.tape import Tape
    from longctx.vocabulary.answer import Answer
    from longctx.vocabulary.bank import Section

PER_SECTION = 5
"""How many questions are drafted about a text, unless there are few texts."""
MOST_PER_SECTION = 20
TOKENS_A_QUESTION = 200
"""The most tokens of a question with its answers."""
PROMPTS = "session"
"""The prompt set whose `writing` drafts questions with short answers."""
CHANGING = 0.05
"""The assumed share of answers that change by chance from one context to another."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A question with the text that answers it."""

    id: str
    section: str
    probe: Probe
    evidence: str


@dataclass(frozen=True, slots=True)
class Tried:
    """The drafts that need the text, and how many do not."""

    drafts: tuple[Draft, ...]
    guessed: int
    """Right without the text."""
    unanswerable: int
    """Wrong with the text alone."""
    unasked: int
    """Not answered by the server."""
    replayed: int = 0
    """How many answers were recorded by an earlier run."""

    def sentence(self, without: str) -> str:
        parts = [f"{len(self.drafts):,} kept"]
        parts += [f"{self.guessed:,} can be guessed without {without}"] if self.guessed else []
        parts += [f"{self.unanswerable:,} cannot be answered from their evidence"] if self.unanswerable else []
        parts += [f"{count(self.unasked, 'was', 'were')} not answered"] if self.unasked else []
        if self.replayed:
            replayed = (
                f"{count(self.replayed, 'answer')} of an earlier run {'is' if self.replayed == 1 else 'are'} replayed"
            )
            parts.append(f"{replayed} (delete the model's folder `alone` in cassettes/ to ask again)")
        return f"{'; '.join(parts)}."


def spread(sections: Sequence[Section], number: int) -> tuple[list[Section], int]:
    """Return sections from every part, and how many questions about each make so many."""
    each = min(MOST_PER_SECTION, max(PER_SECTION, -(-number // len(sections))))
    chosen = min(len(sections), -(-number // each))
    return [sections[(2 * index + 1) * len(sections) // (2 * chosen)] for index in range(chosen)], each


class Drafting:
    """Has a model draft questions about some texts, and keeps those that need the text."""

    def __init__(self, run: Run, model: ModelProfile, sections: Sequence[Section], number: int | None) -> None:
        """number: how many questions; None for as many as the answer takes."""
        self._run, self._model = run, model
        self.sections, self._each = spread(sections, number or probes_needed(CHANGING))
        self.number = self._each * len(self.sections)

    @cached_property
    def _cases(self) -> list[Cell]:
        wording = PromptSet.open(self._run.workspace, PROMPTS).wording(Writing)
        room = TOKENS_A_QUESTION * self._each
        return [
            Cell(self._model, wording, Writing(self._each, max_tokens=room, section=section), seed=0, trials=1)
            for section in self.sections
        ]

    def drafted(self) -> list[Draft]:
        """Ask for the drafts and return them. Raises UserError."""
        drafts, replies = [], 0
        for cell, answer in self._asked(self._cases):
            replies += answer is not None
            section = cell.point.section  # type: ignore[attr-defined]
            if answer is not None:
                for question in read_reply(section.id, answer, self._each, "").questions:
                    kind = "number" if question.numerical else "fact"
                    probe = Probe(question.question, (question.right,), kind=kind)
                    drafts.append(Draft(question.id, section.id, probe, section.text))
        if replies and not drafts:
            raise UserError(
                "no-question-drafted",
                f"None of the {count(replies, 'reply', 'replies')} of {self._model.model} has a question in the format "
                "of the prompt: use another model.",
            )
        return drafts

    def doing(self, drafts: Sequence[Draft], noun: str) -> str:
        """Return a sentence on what is to be sent. drafts: if they are the user's own."""
        doing = f"Trying {count(len(drafts), noun)}" if drafts else f"Drafting {count(self.number, noun)}"
        return f"{doing}: {self._price(drafts)}."

    def kept(self, drafts: Sequence[Draft]) -> Tried:
        """Ask each draft with its evidence alone and with nothing. Raises UserError."""
        cells = [cell for draft in drafts for cell in self._alone(draft)]
        recorded = len(cells) - len(self._unanswered(cells))
        replies = [answer for _, answer in self._asked(cells)]
        kept, guessed, unanswerable, unasked = [], 0, 0, 0
        for draft, known, guess in zip(drafts, replies[::2], replies[1::2], strict=True):
            if known is None or guess is None:
                unasked += 1
            elif draft.probe.grade(guess.text) == "kept":
                guessed += 1
            elif draft.probe.grade(known.text) != "kept":
                unanswerable += 1
            else:
                kept.append(draft)
        return Tried(tuple(kept), guessed, unanswerable, unasked, recorded)

    def _price(self, drafts: Sequence[Draft]) -> str:
        """Return what is still to be paid, as the end of a sentence. drafts: if they are the user's own."""
        model, prices = self._model, self._model.prices
        if prices is None:
            return f"its price is not known, since {model.model} has no prices"
        reference = model.tokens.reference
        unanswered = [] if drafts else self._unanswered(self._cases)
        requests = [(cell.size_tokens, TOKENS_A_QUESTION * self._each) for cell in unanswered]
        texts = [draft.evidence for draft in drafts] or [each.text for each in self.sections for _ in range(self._each)]
        requests += [(round(len(text) / 4 * reference), ROOM // 4) for text in texts]
        requests += [(round(60 * reference), ROOM // 4) for _ in texts]
        return in_words(
            *(
                sum(cost(prices, size, reply + thinking) for size, reply in requests)
                for thinking in (0, model.thinking_tokens)
            )
        )

    def _unanswered(self, cells: Sequence[Cell]) -> list[Cell]:
        tape = self._run.tape("once")
        return [cell for cell in cells if reply_of(cell, tape) is None]

    def _alone(self, draft: Draft) -> list[Cell]:
        return [
            Cell(
                self._model,
                WORDING,
                Alone(given, question=draft.probe.question, evidence=draft.evidence, reference_tokens=size),
                seed=0,
                trials=1,
            )
            for given, size in (("evidence", 60 + len(draft.evidence) // 4), ("nothing", 60))
        ]

    def _asked(self, cells: Sequence[Cell]) -> list[tuple[Cell, Any]]:
        """Send the requests without a recorded answer; return each cell with its answer, None if there is none."""
        self._run.ask(list({next(cell.each_trial()).key: cell for cell in cells}.values()))
        tape = self._run.tape()
        return [(cell, reply_of(cell, tape)) for cell in cells]


def reply_of(cell: Cell, tape: Tape) -> Answer | None:
    """Return the recorded answer to the only trial of a cell. Raises TapeError."""
    [question] = cell.each_trial()
    return tape.reply(Place.of(question, question.build()))


def own_probes(path: Path, noun: str) -> Iterator[tuple[Mapping[str, Any], Probe]]:
    """Yield the user's own probes, each as it is in its file and read. Raises UserError."""
    for case in load_cases(path, None):
        try:
            yield case, Probe.of(case)
        except ValueError as error:
            raise UserError("bad-probe", f"{path}, the {noun} {case['id']}: {error}.") from None


def accepted(probe: Probe) -> list[Any]:
    """Return the accepted answers of a probe, as its file has them."""
    return [[*each] if isinstance(each, tuple) else each for each in probe.accept]


def in_words(usual: float, most: float) -> str:
    """Return a price in USD. most: that of replies which think all they may."""
    return f"about {usd(usual)}" + (f", at most {usd(most)} if it thinks all it may" if most > usual else "")
