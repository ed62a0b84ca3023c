"""Questions that a model drafts about texts, and that are kept if they take reading: for `window` and `chunks`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared.options import declare, settings_of
from longctx.cli.shared.output import say
from longctx.config.arguments import number
from longctx.errors import UserError
from longctx.plural import count

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.config.models import ModelProfile
    from longctx.engine.run import Run
    from longctx.functions.transcript import Probe
    from longctx.recording.tape import Tape
    from longctx.vocabulary.bank import Section

PER_SECTION = 5
"""How many questions are drafted about a text, unless there are few texts."""
MOST_PER_SECTION = 20
TOKENS_A_QUESTION = 200
"""The most tokens of a question with its answers."""
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
    """The drafts that take reading, and how many do not."""

    drafts: tuple[Draft, ...]
    guessed: int
    """Right without the text."""
    unanswerable: int
    """Wrong with the text alone."""
    unasked: int
    """Not answered by the server."""

    def sentence(self, without: str) -> str:
        parts = [f"{len(self.drafts):,} kept"]
        parts += [f"{self.guessed:,} can be guessed without {without}"] if self.guessed else []
        parts += [f"{self.unanswerable:,} cannot be answered from their evidence"] if self.unanswerable else []
        parts += [f"{count(self.unasked, 'was', 'were')} not answered"] if self.unasked else []
        return f"{'; '.join(parts)}."


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that drafts questions and writes a test."""
    option = parser.add_argument
    option("--model", required=True, metavar="NAME", help="the model that drafts, and that the profile measures")
    option(
        "--number", type=number(int, 2), metavar="N", help="questions to draft (default: as many as the answer takes)"
    )
    option("--name", metavar="NAME", help="the name of the test and of the profile (default: that of the command)")
    option("--yes", action="store_true", help="send without asking")
    declare(parser, "base-url", "concurrency")
    declare(parser, "max-cost", help="spending cap of the drafting, in USD")
    option("--force", action="store_true", help="overwrite the test, its data and the profile")


def run_of(options: argparse.Namespace) -> Run:
    from longctx.engine.run import Run

    settings = replace(settings_of(options), record="once", canary=False)
    return Run(root=options.workspace.root, settings=settings, say=_nothing)


def _nothing(_: str) -> None:
    """Say nothing: the command sums up what was sent."""


def confirm(sentence: str, yes: bool) -> bool:
    """Return whether a person wants to send; print the sentence in any case. Raises UserError without a terminal."""
    if yes:
        say(sentence)
        return True
    try:
        answer = input(f"{sentence} Send? [y/N] ")
    except EOFError:
        raise UserError("not-confirmed", "Nothing was sent, since nobody could confirm it: give --yes.") from None
    return answer.strip().lower() in ("y", "yes")


def spread(sections: Sequence[Section], wanted: int) -> tuple[list[Section], int]:
    """Return sections from every part, and how many questions about each make as many as are wanted."""
    each = min(MOST_PER_SECTION, max(PER_SECTION, -(-wanted // len(sections))))
    chosen = min(len(sections), -(-wanted // each))
    return [sections[(2 * place + 1) * len(sections) // (2 * chosen)] for place in range(chosen)], each


class Drafting:
    """Has a model draft questions about some texts, and keeps those that take reading."""

    def __init__(self, run: Run, model: ModelProfile, sections: Sequence[Section], wanted: int, prompts: str) -> None:
        """prompts: the prompt set whose `writing` is used."""
        self._run, self._model, self._prompts = run, model, prompts
        self.sections, self._each = spread(sections, wanted)
        self.number = self._each * len(self.sections)

    @cached_property
    def _cases(self) -> list[Case]:
        from longctx.authoring.writing import Writing
        from longctx.cases.case import Case
        from longctx.config.prompts import PromptSet

        wording = PromptSet.open(self._run.workspace, self._prompts).wording(Writing)
        room = TOKENS_A_QUESTION * self._each
        return [
            Case(self._model, wording, Writing(self._each, max_tokens=room, section=section), seed=0, trials=1)
            for section in self.sections
        ]

    def drafted(self) -> list[Draft]:
        """Ask for the drafts and return them. Raises UserError."""
        from longctx.authoring.written import read_reply
        from longctx.functions.transcript import Probe

        drafts = []
        for case, reply in self._asked(self._cases):
            section = case.scenario.section  # type: ignore[attr-defined]
            if reply is not None:
                for question in read_reply(section.id, reply, self._each, "").questions:
                    kind = "number" if question.numerical else "fact"
                    probe = Probe(question.question, (question.right,), kind=kind)
                    drafts.append(Draft(question.id, section.id, probe, section.text))
        return drafts

    def kept(self, drafts: Sequence[Draft]) -> Tried:
        """Ask each draft with its evidence alone and with nothing. Raises UserError."""
        cases = [case for draft in drafts for case in self._alone(draft)]
        replies = [reply for _, reply in self._asked(cases)]
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
        return Tried(tuple(kept), guessed, unanswerable, unasked)

    def price(self, drafts: Sequence[Draft] = ()) -> str:
        """Return what is still to be paid, as the end of a sentence. drafts: if they are the user's own."""
        from longctx.authoring.alone import ROOM
        from longctx.live.cost.money import cost, usd

        model, prices = self._model, self._model.prices
        if prices is None:
            return f"its price is not known, since {model.model} has no prices"
        reference = model.tokens.reference
        requests = [] if drafts else [(case.size_tokens, TOKENS_A_QUESTION * self._each) for case in self._lacking()]
        texts = [draft.evidence for draft in drafts] or [each.text for each in self.sections for _ in range(self._each)]
        requests += [(round(len(text) / 4 * reference), ROOM // 4) for text in texts]
        requests += [(round(60 * reference), ROOM // 4) for _ in texts]
        usual, most = (
            sum(cost(prices, size, reply + thinking) for size, reply in requests)
            for thinking in (0, model.thinking_tokens)
        )
        return f"about {usd(usual)}" + (f", at most {usd(most)} if it thinks all it may" if most > usual else "")

    def _lacking(self) -> list[Case]:
        tape = self._run.tape("once")
        return [case for case in self._cases if not _has(tape, case)]

    def _alone(self, draft: Draft) -> list[Case]:
        from longctx.authoring.alone import WORDING, Alone
        from longctx.cases.case import Case

        return [
            Case(
                self._model,
                WORDING,
                Alone(given, question=draft.probe.question, evidence=draft.evidence, tokens=size),
                seed=0,
                trials=1,
            )
            for given, size in (("evidence", 60 + len(draft.evidence) // 4), ("nothing", 60))
        ]

    def _asked(self, cases: Sequence[Case]) -> list[tuple[Case, Any]]:
        """Ask what is not recorded, and return each case with its reply, None if there is none."""
        from longctx.recording.tape import Wanted

        self._run.ask(list({next(case.questions()).key: case for case in cases}.values()))
        tape = self._run.tape()
        answers = []
        for case in cases:
            [question] = case.questions()
            answers.append((case, tape.reply(Wanted.of(question, question.build()))))
        return answers


def _has(tape: Tape, case: Case) -> bool:
    from longctx.recording.tape import Wanted

    [question] = case.questions()
    return tape.reply(Wanted.of(question, question.build())) is not None


def check_free_names(paths: Sequence[Path], force: bool) -> None:
    """Raise UserError if a file that a command writes exists, unless `force` replaces it."""
    for path in paths:
        if path.exists() and not force:
            raise UserError(
                "file-exists",
                f"{path} already exists and may have been edited: give another --name, or --force to overwrite it.",
            )


def write_all(files: Mapping[Path, str]) -> None:
    """Write files, with their folders."""
    from longctx.files import write_file

    for path, text in files.items():
        content = text.encode("utf-8", "surrogatepass")
        write_file(path, lambda part, content=content: part.write_bytes(content))  # type: ignore[misc]
