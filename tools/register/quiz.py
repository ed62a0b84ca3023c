"""Questions about an issue, made from the facts of a document and of its siblings.

Each document has five, four not numerical and one numerical, as the protocol's prompt asks of its writer. A wrong
answer is the same fact of a sibling: it occurs in the record and tempts, but does not occur in the right document.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, groupby

from longctx.corpus.questions import BankQuestion
from longctx.errors import UserError
from longctx.vocabulary.occurrence import core, gives_away, occurs_verbatim, plain
from tools.register.issue import PROGRAM, VERSION, Issue, Notice
from tools.register.pen import Pen, capital
from tools.register.prose import Ask, Facts

NOT_NUMERICAL = 4


def questions(issue: Issue, sections: Sequence[tuple[str, str]], among_issues: bool = False) -> list[BankQuestion]:
    """Make five questions for each document that is no example. sections: (id, text) of the documents, in order.

    among_issues: whether documents of other issues may be in the same collage. Raises UserError for a seed whose facts
    do not give so many questions.
    """
    drawn = []
    for document, (section, text) in zip(issue.documents, sections, strict=True):
        if document.is_example:
            continue
        siblings = [other for other in issue.documents if other.genre is document.genre and other is not document]
        pen = issue.country.pen(document.genre.name, "questions", document.place)
        for number, (ask, wrong) in enumerate(_chosen(document, siblings, plain(text), pen), 1):
            drawn.append(
                BankQuestion(
                    id=f"{section}-q{number}",
                    section=section,
                    question=_question(pen, document, ask, among_issues),
                    right=pen.say(ask.right, document.facts),
                    wrong=(wrong[0], wrong[1], wrong[2]),
                    numerical=ask.numerical,
                    fact=f"{document.genre.name}.{ask.fact}",
                    provenance=f"made by {PROGRAM}, version {VERSION}, seed {issue.country.seed}",
                )
            )
    return drawn


def few(asked: Sequence[BankQuestion], each: int) -> list[BankQuestion]:
    """Draw at most `each` of the questions about each section, so that about a fifth of them stay numerical."""
    chosen = []
    for section, some in groupby(asked, key=lambda question: question.section):
        among = list(some)
        drawn = Pen("few-questions", section).deal(among, min(each, len(among)))
        chosen += [question for question in among if question in drawn]
    return chosen


def _question(pen: Pen, document: Notice, ask: Ask, among_issues: bool) -> str:
    names = (among_issues and document.genre.full_names) or document.genre.names
    name = pen.say(pen.pick(names), document.facts)
    return capital(pen.say(pen.pick(ask.forms), {**document.facts, "name": name}))


def _chosen(document: Notice, siblings: list[Notice], text: str, pen: Pen) -> list[tuple[Ask, list[str]]]:
    """Draw four asks that are not numerical and one that is, each with its wrong answers."""
    chosen: dict[bool, list[tuple[Ask, list[str]]]] = {False: [], True: []}
    for ask in pen.deal(document.genre.asks, len(document.genre.asks)):
        if wrong := _wrong(ask, document.facts, [sibling.facts for sibling in siblings], text, pen):
            chosen[ask.numerical].append((ask, wrong))
    if len(chosen[False]) < NOT_NUMERICAL or not chosen[True]:
        raise UserError(
            "too-few-facts",
            f"The issue of this seed has too few facts that differ enough for five questions about each document "
            f"({document.genre.name}, document {document.place + 1}): give another seed.",
        )
    return [*chosen[False][:NOT_NUMERICAL], chosen[True][0]]


def _wrong(ask: Ask, facts: Facts, siblings: list[Facts], text: str, pen: Pen) -> list[str]:
    """Draw three wrong answers whose lengths do not give away the right one; none if there are too few."""
    right = pen.say(ask.right, facts)
    templates = (ask.right, *ask.near)
    known = facts[ask.traps] if ask.traps else [pen.say(t, other) for other in siblings for t in templates]
    options: dict[str, str] = {}
    for answer in known:
        if core(answer) != core(right) and not occurs_verbatim(answer, text):
            options.setdefault(core(answer), capital(answer))
    answers = pen.deal(sorted(options.values()), len(options))
    for wrong in combinations(answers, 3):
        if not gives_away(right, wrong):
            return list(wrong)
    return []
