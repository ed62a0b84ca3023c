"""Rows, and what else is of a subject, in groups."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from operator import attrgetter
from typing import Protocol, TypeVar

from longctx.results.row import Row, Subject


class OfSubject(Protocol):
    """What is of a subject: a row, a cell of a summary, an analysis."""

    @property
    def subject(self) -> Subject: ...


Key = TypeVar("Key", bound=Hashable)
Member = TypeVar("Member")
MemberOfSubject = TypeVar("MemberOfSubject", bound=OfSubject)


def grouped(members: Iterable[Member], key: Callable[[Member], Key]) -> dict[Key, list[Member]]:
    """Group by a key."""
    groups: dict[Key, list[Member]] = {}
    last: object = groups
    group: list[Member] = []
    for member in members:
        if (own := key(member)) is not last:  # many rows in turn share one, whose hash takes most of the time
            last, group = own, groups.setdefault(own, [])
        group.append(member)
    return groups


def by_subject(members: Iterable[MemberOfSubject]) -> dict[Subject, list[MemberOfSubject]]:
    """Group by subject."""
    return grouped(members, attrgetter("subject"))


def by_test(rows: Sequence[Row], known: Collection[str] | None = None) -> dict[str, dict[Subject, list[Row]]]:
    """Group rows by test and subject; the tests are ordered as by registry.in_order, which explains `known`."""
    tests = grouped(rows, attrgetter("test"))
    if len(tests) > 1:
        from longctx.registry import in_order

        names = [*tests]
        tests = {names[place]: tests[names[place]] for place in in_order(names, known)}
    return {test: by_subject(group) for test, group in tests.items()}
