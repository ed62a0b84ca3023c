"""The canary: a few trials of each test and model are asked before the rest, to see whether replies can be read.

If none of three, and then none of ten, can be read, no more of that test is sent to that model.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence

from longctx.cells.cell import Group
from longctx.live.cost.prefixes import shared
from longctx.live.failure import Failure, SendResult
from longctx.live.watch import Say
from longctx.recording.request import Request
from longctx.text import visible

FEW, MORE = 3, 10
"""The trials of which one must be readable: at the first look, and at the last."""
UNREADABLE = "unreadable"
"""The cause of trials that the canary leaves unasked."""
NOT_READ = "unparseable", "truncated", "refusal"
"""The outcomes of replies in which no answer could be read."""
SHOWN_OF_REPLY = 200
"""The most characters of a reply that are shown."""
ERROR = "error of the test"
BROKEN = ERROR, "judge_error"
"""Stands for the outcome of a trial without one; such a trial reveals no more than an unreadable reply."""


class Canary:
    """The canaries of one live pass. A test that is not passed yet has room for a few trials."""

    def __init__(self, sizes: Mapping[Group, int], say: Say | None, text: bool = True) -> None:
        """sizes: the trials of each test and model that may be sent; those with no more than MORE have no canary.

        say: prints a sentence; None to switch the canaries off. text: whether replies may be shown.
        """
        self._say, self._text = say, text
        self._until = dict.fromkeys((group for group, size in sizes.items() if say and size > MORE), FEW)
        self._in_flight: Counter[Group] = Counter()
        self._kinds: defaultdict[Group, Counter[str]] = defaultdict(Counter)
        self._stopped: dict[Group, Failure] = {}

    @property
    def waiting(self) -> list[Group]:
        """The tests that are not decided yet."""
        return list(self._until)

    def passed(self, group: Group) -> bool:
        """Return whether all trials of a test may be asked."""
        return group not in self._until and group not in self._stopped

    def stopped(self, group: Group) -> Failure | None:
        """Return why the canary stopped a test; None if it did not."""
        return self._stopped.get(group)

    def room(self, group: Group) -> int:
        """Return how many more trials of a test that is not decided yet may start now."""
        return max(0, self._until[group] - self._in_flight[group] - self._kinds[group].total())

    def may_start(self, group: Group) -> bool:
        """Return whether one more trial of a test may start now."""
        return self.passed(group) or (group in self._until and self.room(group) > 0)

    def started(self, group: Group) -> None:
        """Note that a trial is sent."""
        self._in_flight[group] += 1

    def failed(self, group: Group) -> None:
        """Note that a request of such a trial was not answered, or that it ended without an outcome."""
        self._in_flight[group] = max(0, self._in_flight[group] - 1)

    def ended(self, group: Group, kind: str, text: str) -> None:
        """Note how a trial that was sent has ended; the first is shown.

        kind: its outcome, or one of BROKEN. text: its last reply.
        """
        self.failed(group)
        if group not in self._until or self._say is None:
            return
        if not self._kinds[group]:
            shown = " ".join(text.split()) if self._text else ""
            shown = (
                f": {visible(shown[:SHOWN_OF_REPLY])!r}{' …' if len(shown) > SHOWN_OF_REPLY else ''}" if shown else ""
            )
            self._say(f"The first trial of {group[0]} on {group[1]} is {kind}{shown}")
        self.recorded(group, kind)

    def passed_before(self, group: Group) -> None:
        """Note that a batch of an earlier run contains trials of this test, which that run's canary has let pass."""
        self._until.pop(group, None)

    def recorded(self, group: Group, kind: str) -> None:
        """Note how a trial has ended, asked by this run or recorded before, and decide whether more are asked."""
        if group not in self._until:
            return
        kinds = self._kinds[group]
        kinds[kind] += 1
        if any(kind not in (*NOT_READ, *BROKEN) for kind in kinds):
            del self._until[group]
        elif kinds.total() >= MORE:
            del self._until[group]
            self._stop(group)
        elif kinds.total() >= FEW:
            self._until[group] = MORE

    def _stop(self, group: Group) -> None:
        test, model = group
        kinds = self._kinds[group]
        named = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
        why = (
            f"none of the first {kinds.total()} trials of {test} on {model} could be parsed ({named}), so no more of "
            "them were sent. Look at a reply, and change the test, its prompt set or max_tokens; trial_run = false "
            "in [tool.longctx] continues anyway (upgrade: --no-canary)."
        )
        self._stopped[group] = Failure(UNREADABLE, why, fatal=True)
        assert self._say is not None
        self._say(f"Stopped {test} on {model}: {why}")


async def first(
    canary: Canary, requests: Sequence[Request], ask: Callable[[Sequence[Request]], Awaitable[SendResult]]
) -> tuple[SendResult, list[Request]]:
    """Send a few requests of each test that is not decided yet, the shortest first; return what is left to send.

    ask: sends some requests, and tells the canary how they end.
    """
    asked, left = SendResult(), list(requests)
    for _ in (FEW, MORE):
        few = [
            request
            for group in canary.waiting
            for request in in_turn([each for each in left if each.cell.group == group])[: canary.room(group)]
        ]
        if few and asked.stopped is None:
            for request in few:
                canary.started(request.cell.group)
            asked.add(await ask(shared(few)))
            keys = {request.key for request in few}
            left = [request for request in left if request.key not in keys]
    unasked = {request.key: canary.stopped(request.cell.group) or asked.stopped for request in left}
    asked.failures |= {key: why for key, why in unasked.items() if why}
    return asked, [request for request in left if not unasked[request.key]]


def in_turn(requests: Sequence[Request]) -> list[Request]:
    """Return requests of one test: first one of each cell, the shortest first; prompts and shapes in turn."""
    seen: Counter[int] = Counter()
    cells: dict[tuple[str, str], dict[int, int]] = {}
    for request in requests:
        treatment = request.cell.wording.prompt_set, request.cell.shape
        cells.setdefault(treatment, {})[id(request.cell)] = request.tokens.prompt
    place = {
        cell: number for sizes in cells.values() for number, cell in enumerate(sorted(sizes, key=sizes.__getitem__))
    }
    ranked = []
    for request in requests:
        cell = id(request.cell)
        ranked.append(((seen[cell], place[cell]), request))
        seen[cell] += 1
    return [request for _, request in sorted(ranked, key=lambda pair: pair[0])]
