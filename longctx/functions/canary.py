"""The canary of test functions: if no reply of the first trials can be read, the function is not asked further.

It is that of families (live/canary.py), for trials that end one by one: three are asked first, then ten.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from longctx.functions.measure import JUDGE_ERROR, Result
from longctx.functions.trial import FunctionTrial
from longctx.live.canary import FEW, MORE, UNREADABLE
from longctx.live.failure import Failure
from longctx.live.outcomes import NOT_READ, SHOWN, Group
from longctx.live.waiting import Say
from longctx.visible import visible

KINDS = {"infra_error": JUDGE_ERROR, "error": "error of the test"}
"""How outcomes are named that no reply has."""


class FunctionCanary:
    """The canaries of one asking pass."""

    def __init__(self, sizes: Mapping[Group, int], say: Say | None, text: bool = True) -> None:
        """sizes: the trials of each function and model; those with no more than MORE have no canary.

        say: prints a sentence; None to switch the canaries off. text: whether replies may be shown.
        """
        self._say, self._text = say, text
        self._until = dict.fromkeys((group for group, size in sizes.items() if say and size > MORE), FEW)
        self._in_flight: Counter[Group] = Counter()
        self._kinds: defaultdict[Group, Counter[str]] = defaultdict(Counter)
        self._stopped: dict[Group, Failure] = {}

    def passed(self, group: Group) -> bool:
        """Return whether all trials of a function may be asked."""
        return group not in self._until and group not in self._stopped

    def may_start(self, group: Group) -> bool:
        """Return whether one more of its trials may be asked now."""
        most = self._until.get(group)
        if group in self._stopped:
            return False
        return most is None or self._in_flight[group] + self._kinds[group].total() < most

    def stopped(self, group: Group) -> Failure | None:
        """Return why no more trials of a function are asked; None if they are."""
        return self._stopped.get(group)

    def started(self, group: Group) -> None:
        """Note that a trial is asked."""
        self._in_flight[group] += 1

    def failed(self, group: Group) -> None:
        """Note that a request of such a trial was not answered."""
        self._in_flight[group] -= 1

    def ended(self, trial: FunctionTrial, result: Result) -> None:
        """Note how a trial that was asked has ended, and decide whether more are asked."""
        group = trial.case.scenario.family, trial.case.model.model
        self._in_flight[group] -= 1
        if group not in self._until or self._say is None or result.kind in ("suspended", "skipped"):
            return
        kind = KINDS.get(result.kind, result.kind)
        kinds = self._kinds[group]
        if not kinds:
            self._say(self._sample(group, trial, kind))
        kinds[kind] += 1
        if any(kind not in (*NOT_READ, *KINDS.values()) for kind in kinds):
            del self._until[group]
        elif kinds.total() >= MORE:
            del self._until[group]
            self._stop(group)
        elif kinds.total() >= FEW:
            self._until[group] = MORE

    def _stop(self, group: Group) -> None:
        function, model = group
        kinds = self._kinds[group]
        named = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
        why = (
            f"none of the first {kinds.total()} trials of {function} on {model} could be read ({named}), so no more "
            "of them were asked. Look at a reply, and change the test, its prompt or max_tokens; trial_run = false "
            "in [tool.longctx] asks all the same."
        )
        self._stopped[group] = Failure(UNREADABLE, why, fatal=True)
        assert self._say is not None
        self._say(f"Stopped {function} on {model}: {why}")

    def _sample(self, group: Group, trial: FunctionTrial, kind: str) -> str:
        text = " ".join(trial.last.text.split()) if trial.last and self._text else ""
        shown = f": {visible(text[:SHOWN])!r}{' …' if len(text) > SHOWN else ''}" if text else ""
        return f"The first trial of {group[0]} on {group[1]} is {kind}{shown}"
