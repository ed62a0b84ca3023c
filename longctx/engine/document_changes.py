"""What a change of documents makes of the trials of a profile: those that stay, that become stale, that come and go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from longctx.cases.case import Case, Question
from longctx.engine.plan import Plan
from longctx.live.cost.estimate import Estimate, estimate
from longctx.recording.request import digest_of


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """The trials about documents before and after a change, by what happens to them."""

    cases: tuple[Case, ...]
    """Those after the change."""
    unchanged: int
    stale: tuple[Question, ...]
    """The trials whose prompts hold what changed."""
    added: tuple[Question, ...]
    gone: tuple[Question, ...]

    @property
    def estimates(self) -> list[Estimate]:
        """What it costs to ask what is stale or added."""
        return estimate(self.cases, [*self.stale, *self.added])


def document_changes(before: Plan, after: Plan) -> DocumentChanges:
    """Compare the trials of one profile on two states of its documents. Raises UserError if one cannot be built."""
    old, new = dict(_built(before)), dict(_built(after))
    return DocumentChanges(
        tuple(_cases(after)),
        sum(key in old and old[key][1] == digest for key, (_, digest) in new.items()),
        tuple(question for key, (question, digest) in new.items() if key in old and old[key][1] != digest),
        tuple(question for key, (question, _) in new.items() if key not in old),
        tuple(question for key, (question, _) in old.items() if key not in new),
    )


def questions_by_item(questions: tuple[Question, ...]) -> Mapping[str, int]:
    """Return how many of these trials are about each question of the bank."""
    counts: dict[str, int] = {}
    for question in questions:
        name = str(question.identity.item).partition("@")[0]
        counts[name] = counts.get(name, 0) + 1
    return counts


def _cases(plan: Plan) -> Iterator[Case]:
    for name, family in plan.families.items():
        if family.documents:
            yield from (case.fitted() for case in plan.cases_of(name))


def _built(plan: Plan) -> Iterator[tuple[str, tuple[Question, str]]]:
    for case in _cases(plan):
        for question in case.questions():
            yield f"{case.file}/{question.key}", (question, digest_of(question.build(), case.model))
