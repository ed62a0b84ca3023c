"""The canary: a few trials of each family and model are asked before the rest, to see whether replies can be read.

If none of three, and then none of ten, can be read, that family is not asked further of that model. The shortest
scenarios are asked first, one trial each, of all prompt sets in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from longctx.cases.case import Question
from longctx.live.asking import Asked
from longctx.live.cost.sharing import shared
from longctx.live.failure import Failure
from longctx.live.outcomes import Group, Outcomes, group_of
from longctx.live.waiting import Say

FEW, MORE = 3, 10
"""The replies of which one must be readable: at the first look, and at the last."""
UNREADABLE = "unreadable"
"""The cause of trials that the canary leaves unasked."""


class Canary:
    """The canaries of one asking pass.

    questions: all that the pass may ask; a family with no more than MORE of them is asked without a canary. ask: asks
    some questions. say: prints a sentence; None to switch the canaries off.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        outcomes: Outcomes,
        ask: Callable[[Sequence[Question]], Awaitable[Asked]],
        say: Say | None,
    ) -> None:
        self._outcomes, self._ask, self._say = outcomes, ask, say
        sizes = Counter(map(group_of, questions))
        self._open = [] if say is None else [group for group, size in sizes.items() if size > MORE]
        self._stopped: dict[Group, Failure] = {}
        self._shown: set[Group] = set()

    async def first(self, questions: Sequence[Question]) -> tuple[Asked, list[Question]]:
        """Ask a few of each family and model of which no reply could be read yet; return what is left to ask."""
        asked, left = Asked(), list(questions)
        for until in (FEW, MORE):
            few = [question for group in self._open for question in self._few(left, group, until)]
            if few and asked.stopped is None:
                asked.add(await self._ask(shared(few)))
                keys = {question.key for question in few}
                left = [question for question in left if question.key not in keys]
                self._look()
        unasked = {question.key: self._stopped.get(group_of(question), asked.stopped) for question in left}
        asked.failures |= {key: why for key, why in unasked.items() if why}
        return asked, [question for question in left if not unasked[question.key]]

    def _few(self, questions: Sequence[Question], group: Group, until: int) -> list[Question]:
        """Return the questions of a group that bring its replies to this number."""
        wanted = until - self._outcomes.replies(group)
        return in_turn([question for question in questions if group_of(question) == group])[: max(wanted, 0)]

    def _look(self) -> None:
        """Show a reply of each group, and decide which are asked further."""
        assert self._say is not None
        for group in list(self._open):
            if group not in self._shown and (sample := self._outcomes.sample(group)):
                self._say(sample)
                self._shown.add(group)
            replies = self._outcomes.replies(group)
            if self._outcomes.readable(group):
                self._open.remove(group)
            elif replies >= MORE:
                self._open.remove(group)
                family, model = group
                why = (
                    f"none of the first {replies} replies of {model} to {family} could be read "
                    f"({self._outcomes.kinds(group)}), so no more of them were asked. Look at a reply, and change the "
                    "prompt set or max_tokens; trial_run = false in [tool.longctx] asks all the same (upgrade: "
                    "--no-canary)."
                )
                self._stopped[group] = Failure(UNREADABLE, why, fatal=True)
                self._say(f"Stopped {family} on {model}: {why}")


def in_turn(questions: Sequence[Question]) -> list[Question]:
    """Return questions of one family: first one of each scenario, the shortest first; prompts and shapes in turn."""
    seen: Counter[int] = Counter()
    cases: dict[tuple[str, str], dict[int, int]] = {}
    for question in questions:
        treatment = question.case.wording.prompt_set, question.case.shape
        cases.setdefault(treatment, {})[id(question.case)] = question.case.size_tokens
    place = {
        case: number for sizes in cases.values() for number, case in enumerate(sorted(sizes, key=sizes.__getitem__))
    }
    ranked = []
    for question in questions:
        case = id(question.case)
        ranked.append(((seen[case], place[case]), question))
        seen[case] += 1
    return [question for _, question in sorted(ranked, key=lambda pair: pair[0])]
