"""Checks for faults of a question set that make it measure something other than reading."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from longctx.corpus.documents import Corpus
from longctx.corpus.question_bank import BankQuestion
from longctx.results.grouping import grouped
from longctx.text import visible
from longctx.vocabulary.bank import gives_away, numerical
from longctx.vocabulary.occurrence import content, core, occurs, occurs_verbatim, plain

ALIKE, NEARLY_ALL = 0.8, 0.95
"""The Jaccard similarity of words from which two questions that name the same things are near duplicates: with the same
right answer, and without."""
CHANCE = 0.01
"""The significance level of the binomial tests over a whole set."""
THING = "(?:document|notice|passage|section|record|rule|text|article|meeting|minutes|excerpt|order)s?"
POINTING = re.compile(
    rf"\b(?:this|these|the (?:above|present|following|given|provided)) {THING}\b|"
    rf"\baccording to the {THING}(?=,|\?|$)",
    re.IGNORECASE,
)
LETTER = re.compile(r"\(?[A-D][):]\s")
"""The beginning of an answer that has the letter of a choice."""
JOINERS = "\u200c\u200d\ufe0f"
"""Invisible characters that some scripts and emoji need."""
NUMERICAL = 1 / 5
"""The protocol's share of questions with a numerical answer."""


Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault."""

    kind: str
    question: str
    """The question's id, or `all` for a fault of the whole set."""
    what: str
    severity: Severity = "warning"
    """`error`: the question cannot be used as it is. `warning`: read it. `note`: of the whole set, and no fault of a
    question."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The plain text and the words of every section, and how many sections contain each word."""

    plain: dict[str, str]
    words: dict[str, frozenset[str]]
    sections_with: Counter[str]

    @classmethod
    def of(cls, corpus: Corpus) -> Texts:
        texts = {section.id: plain(section.text) for section in corpus.sections}
        words = {name: frozenset(text.split()) for name, text in texts.items()}
        return cls(texts, words, Counter(word for held in words.values() for word in held))

    def weight(self, asked: set[str], section: str) -> float:
        """Return the weight of the question's words that the section contains, by inverse document frequency."""
        return sum(math.log(len(self.words) / self.sections_with[word]) for word in asked & self.words[section])


def check(corpus: Corpus, questions: Sequence[BankQuestion], literal: bool = True) -> list[Finding]:
    """Return all findings, check by check. Every question must be about a section of the corpus (load_questions).

    literal: whether questions and right answers use the words of their section; without that, words do not tell
    whether a section contains its answer, and which section a question is about.

    A right answer that its section does not contain is an error if the question names something else, too: it is about
    another text, such as an example that its author was shown. A paraphrase alone is a warning.
    """
    texts = Texts.of(corpus)
    checks_of_set = (duplicates, length_of_set, numerical_share)
    checks_of_question: tuple[Callable[[BankQuestion, Texts], Iterator[Finding]], ...] = (
        characters,
        letters,
        pointing,
        length,
        right_nowhere,
        wrong_is_true,
        not_alone,
    )
    if not literal:
        checks_of_question = (characters, letters, pointing, length, wrong_is_true)
    found = [
        finding for check_one in checks_of_question for question in questions for finding in check_one(question, texts)
    ]
    kinds = ("right answer", "which section")
    strange = set.intersection(*({finding.question for finding in found if finding.kind == kind} for kind in kinds))
    return [
        *(finding for check_all in checks_of_set for finding in check_all(questions)),
        *(replace(f, severity="error") if f.kind == "right answer" and f.question in strange else f for f in found),
    ]


def duplicates(questions: Sequence[BankQuestion]) -> Iterator[Finding]:
    """Find questions that ask the same in the same or nearly the same words."""
    texts = [plain(question.question) for question in questions]
    words = [content(question.question) for question in questions]
    names = [specifics(question.question) for question in questions]
    for left, right in sorted({*_alike_in(texts), *_alike_in(names)}):
        first, second = questions[left], questions[right]
        if texts[left] == texts[right]:
            yield Finding("duplicate", second.id, f"the same question as {first.id}", "error")
        elif _alike(words[left], words[right], core(first.right) == core(second.right)):
            yield Finding("near duplicate", second.id, f"nearly the question {first.id}: {first.question!r}")


def _alike_in(values: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """Return the indices of every two values that are the same."""
    places = grouped(range(len(values)), values.__getitem__)
    return (pair for same in places.values() for pair in combinations(same, 2))


def _alike(left: set[str], right: set[str], same_answer: bool) -> bool:
    """Tell whether questions share nearly all words, or many words and the answer.

    The answer matters because “the first item” is not “the second”.
    """
    return len(left & right) >= (ALIKE if same_answer else NEARLY_ALL) * len(left | right)


def length_of_set(questions: Sequence[BankQuestion]) -> Iterator[Finding]:
    """Test whether choosing the longest or shortest answer would do better than chance (one-sided binomial test)."""
    extremes: Counter[str] = Counter()
    for question in questions:
        lengths = [len(answer) for answer in question.wrong]
        extremes["longest"] += len(question.right) > max(lengths)
        extremes["shortest"] += len(question.right) < min(lengths)
    for extreme, count in extremes.items():
        probability = at_least(count, len(questions), 0.25)
        if probability < CHANCE:
            yield Finding(
                "length",
                "all",
                f"the right answer is the {extreme} {count} times in {len(questions)}, which chance explains with "
                f"probability {probability:.1g}",
                "note",
            )


def numerical_share(questions: Sequence[BankQuestion]) -> Iterator[Finding]:
    """Test whether more right answers are numbers than the protocol requests (one-sided binomial test)."""
    count = sum(numerical(question.right) for question in questions)
    if at_least(count, len(questions), NUMERICAL) < CHANCE:
        yield Finding(
            "numerical", "all", f"{count} of {len(questions)} right answers are numbers, not one in five", "note"
        )


def characters(question: BankQuestion, _: Texts) -> Iterator[Finding]:
    for text in (question.question, *question.answers):
        if visible(text, JOINERS) != text:
            yield Finding("hidden characters", question.id, f"cannot be seen in {text!r}")


def letters(question: BankQuestion, _: Texts) -> Iterator[Finding]:
    for answer in question.answers:
        if LETTER.match(answer):
            yield Finding(
                "letter", question.id, f"{answer!r} begins with a letter, but each trial assigns its own letters"
            )


def pointing(question: BankQuestion, _: Texts) -> Iterator[Finding]:
    if match := POINTING.search(question.question):
        yield Finding(
            "points", question.id, f"refers to {match[0]!r}, which is ambiguous once the section is in a collage"
        )


def length(question: BankQuestion, _: Texts) -> Iterator[Finding]:
    if gives_away(question.right, question.wrong):
        lengths = ", ".join(str(len(answer)) for answer in question.wrong)
        yield Finding(
            "length", question.id, f"the right answer has {len(question.right)} characters, the wrong ones {lengths}"
        )


def right_nowhere(question: BankQuestion, texts: Texts) -> Iterator[Finding]:
    if not occurs(question.right, texts.plain[question.section]):
        elsewhere = [name for name, text in texts.plain.items() if occurs_verbatim(question.right, text)]
        where = f"but in {elsewhere[0]}" if elsewhere else "nor in any other"
        what = f"{question.right!r} is not in {question.section}, {where}"
        yield Finding("right answer", question.id, what, "error" if elsewhere else "warning")


def wrong_is_true(question: BankQuestion, texts: Texts) -> Iterator[Finding]:
    """Find wrong answers that may be true, as they occur in the section, or that equal the right one."""
    for answer in question.wrong:
        if core(answer) == core(question.right):
            yield Finding("wrong answer", question.id, f"{answer!r} means the same as the right answer", "error")
        elif occurs_verbatim(answer, texts.plain[question.section]):
            yield Finding("wrong answer", question.id, f"{answer!r} is in {question.section} too")


def not_alone(question: BankQuestion, texts: Texts) -> Iterator[Finding]:
    """Find a question that does not identify its section.

    It could also be about another section if that contains everything that the question names, and at least as much
    weight of the question's other words as its own section.
    """
    names = specifics(question.question)
    asked = content(question.question)
    if missing := sorted(names - texts.words[question.section]):
        yield Finding("which section", question.id, f"names {missing[0]!r}, which {question.section} does not contain")
        return
    right = texts.weight(asked, question.section)
    named = [name for name in phrases(question.question) if f" {name} " in f" {texts.plain[question.section]} "]
    words = {word for name in named for word in name.split()}
    for section, text in texts.plain.items():
        if section == question.section or not words <= texts.words[section]:
            continue
        holds_all = all(f" {name} " in f" {text} " for name in named)
        if holds_all and texts.weight(asked, section) >= right:
            yield Finding("which section", question.id, f"could be about {section} as well as about {question.section}")
            return


def specifics(question: str) -> frozenset[str]:
    """Return the words of a question that name something: those with a digit or, after the first, a capital letter."""
    return frozenset(" ".join(phrases(question)).split())


def phrases(question: str) -> list[str]:
    """Return the names in a question, adjacent words as one: `ullenby water power company`, `p-2385-040`."""
    runs: list[list[str]] = [[]]
    for index, word in enumerate(question.split()):
        if re.search(r"\d", word) or (index and re.match(r"\W*[^\W\d_a-z]", word)):
            runs[-1].append(word)
        else:
            runs.append([])
    return [name for run in runs if (name := plain(" ".join(run)))]


def at_least(count: int, of: int, chance: float) -> float:
    """Return the probability of `count` or more successes in `of` tries."""

    def probability(k: int) -> float:  # by logarithms: binomial coefficients of large sets are no floats
        ways = math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1)
        return math.exp(ways + k * math.log(chance) + (of - k) * math.log1p(-chance))

    return math.fsum(map(probability, range(count, of + 1)))
