"""Long-context QA: a multiple-choice question about one section of a randomized collage of notices.

Source: the notebook "Experimentally Testing Claude's Long-Context QA Abilities" (Anthropic, 2023). Where its text and
its program differ, the text is followed: one copy of the needle section, the true middle, one answer per line, and no
examples from the needle's section.
"""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import ClassVar

from longctx import (
    Bank,
    Context,
    Identity,
    Mark,
    Outcome,
    Piece,
    Quote,
    Reply,
    Scenario,
    Trial,
    Words,
    fill,
    lexically_right,
    mark,
)
from longctx.families.long_context_qa import choices as multiple_choice
from longctx.families.long_context_qa import quotes
from longctx.families.long_context_qa.choices import Choices
from longctx.vocabulary.bank import Section, documents_digest, rank
from longctx.vocabulary.lexical import most_alike
from longctx.vocabulary.shapes import unwrapped

SEPARATOR = "\n\n\n\n"
MOST_DISTRACTORS = 16
"""The most sections of a collage that resemble its needle."""
SEPARATOR_TOKENS = 4  # at most, in any vocabulary
EXAMPLES = {"none": 0, "unrelated": 0, "two": 2, "five": 5}
"""How many examples each variant takes from the same collage. Each variant exists with and without a scratchpad."""
PREFILLS = {"none": "prefill", "unrelated": "unrelated_prefill", "examples": "examples_prefill"}
"""The template that begins the answer without a scratchpad. The notebook begins it only without examples."""
VARIANTS = tuple(f"{name}{pad}" for pad in ("", "_scratchpad") for name in EXAMPLES)
OTHER_TOKENS = 600
"""About the tokens of the prompt without its record."""
LOT = 6
"""About how many collages the items of a lot make, where several items share each."""
POSITIONS = {"beginning": 0, "middle": 50, "end": 100}


@dataclass(frozen=True, slots=True)
class Record:
    """A collage. text: its sections in order; sections: their ids; depth: the share of the text before the needle."""

    text: str
    sections: tuple[str, ...]
    depth: float


@dataclass(frozen=True, slots=True)
class CollageFacts:
    """The facts that a trial's judge needs, and its shapes."""

    index: int
    """The question's place in the bank."""
    choices: Choices
    record: str
    needle: str


@dataclass(frozen=True, slots=True)
class Collage(Scenario):
    """A collage of at most `budget` tokens with its needle at `depth` percent (0 = first section, 100 = last).

    variant: one of VARIANTS. longest: longer sections (tokens), and the questions about them, are left out. A question
    has the same collage in every variant, and at every depth, except that the needle moves.
    """

    family: ClassVar[str] = "collage"
    version: ClassVar[int] = 2
    identified_by: ClassVar[tuple[str, ...]] = ("budget", "longest", "depth", "variant", "questions", "distractors")
    treatments: ClassVar[tuple[str, ...]] = identified_by
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "prefill": (),
        "unrelated_prefill": (),
        "examples_prefill": (),
        "without_prefill": ("prefill",),
        "example": ("question", "answers", "correct_answer"),
        **{
            f"{name}{pad}": ("record", "question", "answers", *(["examples"] if name == "examples" else []))
            for name in ("none", "unrelated", "examples")
            for pad in ("", "_scratchpad")
        },
    }

    budget: int
    longest: int
    depth: int
    variant: str
    max_tokens: int = field(default=3000, kw_only=True)
    bank: Callable[[], Bank] = field(kw_only=True, repr=False, compare=False)
    """Loads the sections and questions when they are first needed, not when tests are collected."""
    share: tuple[int, int] | None = field(default=None, kw_only=True, compare=False)
    """(place, of): the scenario's index, from 0, among so many scenarios that share the questions out."""
    questions: int | None = field(default=None, kw_only=True)
    """How many trials ask about one collage, which holds the sections of all of them; None for one."""
    distractors: int | None = field(default=None, kw_only=True)
    """How many of the MOST_DISTRACTORS sections that share most words with the question, and do not answer it, the
    collage holds: it holds none of the others of these. None leaves it to chance."""

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(f"`variants`: there is no variant {self.variant!r}: choose from {', '.join(VARIANTS)}.")
        if not 1 <= self.longest <= self.budget:
            raise ValueError(
                f"sections of up to {self.longest} tokens (the entry `longest`) do not fit a collage of {self.budget} "
                f"(the entry `budgets`): set `longest` to a number from 1 to {self.budget}."
            )
        if self.distractors is not None and not 0 <= self.distractors <= MOST_DISTRACTORS:
            raise ValueError(f"`distractors`: give 0 to {MOST_DISTRACTORS}, not {self.distractors}.")
        if self.distractors is not None and self.questions is not None:
            raise ValueError("`distractors` resemble the section of one question: leave `questions` out.")
        if not 0 <= self.depth <= 100:
            raise ValueError(f"`depths`: {self.depth} is not a percentage: give 0 (beginning) to 100 (end).")

    @property
    def questions_per_context(self) -> int:
        return self.questions or 1

    def indices(self, trials: int) -> Sequence[int]:
        if self.distractors is not None:
            bank = self.bank()
            return list(islice((index for index in self._kept() if self._holds_distractors(bank, index)), trials))
        if self.questions is None:
            return self._kept()[:trials]
        return [index for context in self._contexts(self.bank()) for index in context][:trials]

    def _contexts(self, bank: Bank) -> tuple[tuple[int, ...], ...]:
        return contexts(bank, self._kept(), self.questions_per_context)

    def _together(self, bank: Bank, index: int) -> tuple[int, ...]:
        """Return the items that one collage is about. Raises ValueError if the scenario does not ask item `index`."""
        if self.questions is None:
            return (index,)
        for context in self._contexts(bank):
            if index in context:
                return context
        raise ValueError(f"question {index} is not among those that {self.slug} asks.")

    def _kept(self) -> tuple[int, ...]:
        """Return all items that the scenario may ask."""
        return kept(self.bank(), self.longest, self.share)

    def _holds_distractors(self, bank: Bank, index: int) -> bool:
        chosen = _alike(bank, index, self.longest)[: self.distractors]
        sizes = sum(section.tokens + SEPARATOR_TOKENS for section in chosen)
        return len(chosen) == self.distractors and bank.needle(index).tokens + sizes <= self.budget

    @property
    def run_facts(self) -> Mapping[str, int]:
        bank = self.bank()
        return {"filter_asked": bank.asked, "filter_kept": len(bank.kept)}

    @property
    def why_empty(self) -> str:
        if self.distractors and replace(self, distractors=None).indices(1):
            return (
                f"no collage of {self.budget:,} tokens holds {self.distractors} distractors of at most "
                f"{self.longest:,} tokens each"
            )
        return self.bank().why_none(self.longest, filtered=True)

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        bank = self.bank()
        record = self.record(index, seed)
        choices = multiple_choice.choices_in(bank, index, seed)
        name, _, pad = self.variant.partition("_")
        filled = {"record": record.text} | self._asked(bank, words, index, seed)
        kind = "examples" if EXAMPLES[name] else name
        template = self._template(words)
        user = fill(template, filled)
        begins = len(fill(template.partition("{record}")[0], filled))
        prefill = "" if pad else words[PREFILLS[kind]]
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=choices.right,
            max_tokens=self.max_tokens,
            depth=(begins + record.depth * len(record.text)) / len(user),
            prefix=self.prefix(words, seed, index),
            recorded={"sections": len(record.sections)},
            documents=documents_digest(bank, record.sections),
            prefill=prefill,
            without_prefill=fill(words["without_prefill"], {"prefill": prefill}),
            facts=CollageFacts(index, choices, record.text, bank.needle(index).text),
        )

    @property
    def piece_count(self) -> int:
        """About how many sections a record has, if sections are half as long as the longest on average."""
        return max(2 * self.budget // self.longest, 1)

    def in_pieces(self, words: Words, trial: Trial) -> Context:
        bank, seed, asked = self.bank(), trial.identity.seed, trial.facts
        index, choices = asked.index, asked.choices
        item = bank.items[index]
        sections = self.record(index, seed).sections
        opening, question = unwrapped(*around(self._template(words), self._asked(bank, words, index, seed)))
        return Context(
            pieces=tuple(Piece(bank.sections[section].text) for section in sections),
            question=question,
            opening=opening,
            needle=sections.index(item.section),
            evidence=evidence(choices.answer(choices.right), asked.needle),
        )

    def _template(self, words: Words) -> str:
        name, _, pad = self.variant.partition("_")
        kind = "examples" if EXAMPLES[name] else name
        return words[f"{kind}_{pad}" if pad else kind]

    def _asked(self, bank: Bank, words: Words, index: int, seed: int) -> dict[str, str]:
        """Return what fills a template beside the record."""
        item, (name, _, _) = bank.items[index], self.variant.partition("_")
        return {
            "question": item.question,
            "answers": str(multiple_choice.choices_in(bank, index, seed)),
            "examples": self._examples(bank, words, index, seed, EXAMPLES[name]),
        }

    def prefix(self, words: Words, seed: int, index: int) -> str:
        name, _, _ = self.variant.partition("_")
        kind = "examples" if EXAMPLES[name] else name
        first = self._together(self.bank(), index)[0] if self.questions else index
        collage = f"{first:06d}/{self.depth:03d}" + (f"/{self.questions}" if self.questions else "")
        return f"{self.family}/{self.budget}/{collage}/{EXAMPLES[name]}-{kind}"

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        outcome = multiple_choice.judge(trial.facts.choices, reply)
        if not self.variant.endswith("_scratchpad"):
            return outcome
        return replace(outcome, trace={**outcome.trace, **asdict(quotes.count(self.quotes(trial, reply)))})

    def lexical(self, trial: Trial) -> bool:
        """Return whether the lexical baseline answers a trial. Where its section is placed makes no difference."""
        return self.lexically_right(trial.facts.index, trial.identity.seed)

    def lexically_right(self, index: int, seed: int = 0) -> bool:
        """Return whether the lexical baseline answers item `index`."""
        bank = self.bank()
        others = self._others(bank, index, seed)
        needles = dict.fromkeys(bank.needle(each) for each in self._together(bank, index))
        return _lexically_right(bank, index, seed, (*others, *needles))

    def quotes(self, trial: Trial, reply: Reply) -> list[Quote]:
        asked: CollageFacts = trial.facts
        padded = self.variant.endswith("_scratchpad")
        return quotes.look_up(reply.text, asked.record, asked.needle) if padded else []

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        asked: CollageFacts = trial.facts
        marks = multiple_choice.marks(asked.choices, trial.user, outcome.returned)
        marks += mark("needle", trial.user, asked.needle)
        if outcome.kind == "wrong" and outcome.returned:
            answer = re.escape(asked.choices.answer(outcome.returned))
            if place := re.search(answer, asked.record, re.IGNORECASE):
                marks += mark("where the wrong answer is", trial.user, place[0])
        return marks

    @property
    def length(self) -> int:
        """The tokens of the record."""
        return self.budget

    def cluster(self, index: int) -> str:
        """Return the section that is asked about; of several in one collage, the first question's."""
        bank = self.bank()
        return bank.items[self._together(bank, index)[0]].section

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return int(self.budget * tokens["reference"]) + OTHER_TOKENS

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        return self.bank().named(super(Collage, self).identity(seed, index, repeat), index)

    def index_of(self, name: str) -> int:
        return self.bank().index_of(name)

    def record(self, index: int, seed: int) -> Record:
        """Return the collage of the needles of all questions about it, one after another, and other sections."""
        bank = self.bank()
        together = self._together(bank, index)
        needles = tuple(dict.fromkeys(bank.needle(each) for each in together))
        others = self._others(bank, index, seed)
        record = _placed(needles, others, round(self.depth / 100 * len(others)))
        if len(needles) == 1:
            return record
        return replace(record, depth=record.text.index(bank.needle(index).text) / len(record.text))

    def _others(self, bank: Bank, index: int, seed: int) -> tuple[Section, ...]:
        return _others(bank, self._together(bank, index), seed, self.budget, self.longest, self.distractors)

    def _examples(self, bank: Bank, words: Words, index: int, seed: int, count: int) -> str:
        """Return answered questions about other sections of the collage. Raises ValueError if there are too few."""
        together = self._together(bank, index)
        places = _example_places(bank, together, seed, self.budget, self.longest, self.distractors)
        if len(places) < count:
            raise ValueError(
                f"the collage of {bank.items[index].id} has questions for {len(places)} examples, not {count}."
            )
        filled = []
        for place in places[:count]:
            choices = multiple_choice.choices_in(bank, place, seed)
            question = bank.items[place].question
            answered = {"question": question, "answers": str(choices), "correct_answer": choices.right}
            filled.append(fill(words["example"], answered))
        return "\n".join(filled)


def around(template: str, filled: Mapping[str, str]) -> tuple[str, str]:
    """Return the text before the record and the text after it."""
    before, _, after = template.partition("{record}")
    return fill(before, filled), fill(after, filled)


def evidence(right: str, section: str) -> str:
    """Return the right answer if its section holds it, in upper or lower case; else nothing."""
    return right if right.casefold() in " ".join(section.split()).casefold() else ""


@functools.lru_cache(maxsize=2048)
def _lexically_right(bank: Bank, index: int, seed: int, sections: tuple[Section, ...]) -> bool:
    """Return whether the lexical baseline answers an item about one of these sections."""
    choices = multiple_choice.choices_in(bank, index, seed)
    texts = [section.text for section in sections]
    return lexically_right(texts, choices.question, choices.answer(choices.right), choices.answers)


@functools.lru_cache(maxsize=2048)
def _example_places(
    bank: Bank, together: tuple[int, ...], seed: int, budget: int, longest: int, distractors: int | None
) -> tuple[int, ...]:
    """Return the indices of the items about other sections of the collage, in random order."""
    item, others = bank.items[together[0]], _others(bank, together, seed, budget, longest, distractors)
    places = sorted(place for section in others for place in bank.places.get(section.id, ()))
    if bank.version > 1:
        return tuple(sorted(places, key=lambda place: rank("example", seed, item.id, bank.item_name(place))))
    return tuple(places[position] for position in bank.stream("examples", seed, item.id).permutation(len(places)))


@functools.lru_cache(maxsize=2048)
def _others(
    bank: Bank, together: tuple[int, ...], seed: int, budget: int, longest: int, distractors: int | None
) -> tuple[Section, ...]:
    """Return sections in random order that fit in the budget beside the needles. They are the same at every depth.

    together: the items whose sections are the needles; the first decides which others are drawn. With version 1 of a
    bank, the first section that does not fit is the last; with version 2, it is left out.
    """
    if distractors is not None:
        return _with_distractors(bank, together[0], seed, budget, longest, distractors)
    item, needles = bank.items[together[0]], {needle.id: needle for needle in map(bank.needle, together)}
    room = budget - sum(needle.tokens for needle in needles.values()) - SEPARATOR_TOKENS * (len(needles) - 1)
    if bank.version > 1:
        drawn = (section for section in bank.others(together[0], seed, longest) if section.id not in needles)
        return tuple(fitting(drawn, room))
    pool = [section for section in bank.sections.values() if section.tokens <= longest and section.id not in needles]
    order = bank.stream("record", seed, item.id, budget, longest).permutation(len(pool))
    others: list[Section] = []
    for section in (pool[place] for place in order):
        room -= section.tokens + SEPARATOR_TOKENS
        if room < 0:
            break
        others.append(section)
    return tuple(others)


def _with_distractors(bank: Bank, index: int, seed: int, budget: int, longest: int, number: int) -> tuple[Section, ...]:
    """Return so many sections that resemble the needle, and others that do not, in an order that is the same for any
    number: a distractor more takes the place of a section that resembles nothing."""
    item, alike = bank.items[index], _alike(bank, index, longest)
    room = budget - bank.needle(index).tokens - sum(each.tokens + SEPARATOR_TOKENS for each in alike[:number])
    others = (section for section in bank.others(index, seed, longest) if section not in alike)
    drawn = [*alike[:number], *fitting(others, room)]
    return tuple(sorted(drawn, key=lambda section: rank("distractors", seed, item.id, section.id)))


@functools.lru_cache(maxsize=2048)
def _alike(bank: Bank, index: int, longest: int) -> tuple[Section, ...]:
    """Return the sections that share most words with an item's question and do not answer it, the most alike first."""
    item = bank.items[index]
    others = [each for each in bank.sections.values() if each.tokens <= longest and each.id != item.section]
    places = most_alike([section.text for section in others], item.question, [item.right], MOST_DISTRACTORS)
    return tuple(others[place] for place in places)


def fitting(sections: Iterable[Section], room: int) -> Iterator[Section]:
    """Yield the sections that fit, in their order. One that does not fit changes nothing for the others."""
    for section in sections:
        if section.tokens + SEPARATOR_TOKENS <= room:
            room -= section.tokens + SEPARATOR_TOKENS
            yield section


@functools.lru_cache(maxsize=256)
def kept(bank: Bank, longest: int, share: tuple[int, int] | None) -> tuple[int, ...]:
    """Return the items that the filter keeps, about sections of at most `longest` tokens. share: which of how many."""
    items = tuple(index for index in bank.order(longest) if bank.keeps(index))
    if not share:
        return items
    place, of = share
    return items[place::of] if bank.version == 1 else tuple(each for each in items if dealt(bank, each, of) == place)


@functools.lru_cache(maxsize=256)
def contexts(bank: Bank, kept: tuple[int, ...], size: int) -> tuple[tuple[int, ...], ...]:
    """Group items by the collage that is asked about them, each about another section.

    With version 2, items are dealt by a hash to lots of about LOT collages and grouped there, so that another question
    in the bank changes the collages of its lot alone.
    """
    rounds: dict[int, list[int]] = defaultdict(list)
    seen: Counter[str] = Counter()
    for index in kept:
        section = bank.items[index].section
        rounds[seen[section]].append(index)
        seen[section] += 1
    found: list[tuple[int, ...]] = []
    for items in rounds.values():
        lots = 1 if bank.version == 1 else 1 << (max(1, len(items) // (LOT * size)).bit_length() - 1)
        of_lot: dict[int, list[int]] = defaultdict(list)
        for index in items:
            of_lot[int.from_bytes(rank("context", bank.item_name(index))) % lots].append(index)
        for _, in_lot in sorted(of_lot.items()):
            found += (tuple(in_lot[start : start + size]) for start in range(0, len(in_lot), size))
    return tuple(sorted(found, key=len, reverse=True))  # what a lot has left over comes last


def dealt(bank: Bank, index: int, of: int) -> int:
    """Return which of so many scenarios asks an item, whatever else the bank holds."""
    return int.from_bytes(rank("share", bank.item_name(index))) % of


@functools.lru_cache(maxsize=1)
def _placed(needles: tuple[Section, ...], others: tuple[Section, ...], place: int) -> Record:
    """Place the needles after `place` sections. The last result is cached, as a question's variants are neighbours."""
    placed = [*others[:place], *needles, *others[place:]]
    before = len(SEPARATOR.join(section.text for section in others[:place])) + (len(SEPARATOR) if place else 0)
    text = SEPARATOR.join(section.text for section in placed)
    return Record(text, tuple(section.id for section in placed), before / len(text))
