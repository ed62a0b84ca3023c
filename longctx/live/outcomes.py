"""The outcomes of an asking pass: each reply is judged and priced once, as it arrives."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from longctx.cases.case import Question
from longctx.live.cost.money import paid, usd
from longctx.live.failure import Failure
from longctx.live.tally import Tally
from longctx.plural import count
from longctx.stats.rates import Rate
from longctx.visible import visible
from longctx.vocabulary.scenario import Reply, Trial

if TYPE_CHECKING:
    from longctx.live.asking import Progress

Group = tuple[str, str]
"""A family and a model."""
NOT_READ = ("unparseable", "truncated", "refusal")
"""The outcomes of replies in which no answer could be read."""
NOT_JUDGED = "not judged"
"""What takes the place of an outcome for replies that cannot be judged, such as questions that a model wrote."""
SHOWN = 200
"""The most characters of a reply that are shown."""


def group_of(question: Question) -> Group:
    return question.case.scenario.family, question.case.model.model


class Outcomes:
    """A progress that counts outcomes, tokens and cost on a tally, and passes everything on to the one that shows it.

    text: whether replies may be shown.
    """

    def __init__(self, tally: Tally, shown: Progress, text: bool = True) -> None:
        self._tally, self._shown, self._text = tally, shown, text
        self._kinds: dict[Group, Counter[str]] = defaultdict(Counter)
        self._samples: dict[Group, str] = {}
        self.output_tokens: dict[Group, list[int]] = defaultdict(list)
        """The output tokens of each reply, thinking included."""

    def in_flight(self, number: int) -> None:
        self._shown.in_flight(number)

    def waiting(self, silent_s: float, what: str) -> None:
        self._shown.waiting(silent_s, what)

    def ended(self, question: Question, trial: Trial, result: Reply | Failure) -> None:
        tally = self._tally
        tally.done += 1
        tally.work_done += work(question)
        if isinstance(result, Reply):
            self._answered(question, trial, result)
        else:
            tally.failed += 1
        self._shown.ended(question, trial, result)

    def replies(self, group: Group) -> int:
        return self._kinds[group].total()

    def readable(self, group: Group) -> bool:
        """Return whether any reply could be read."""
        return any(kind not in NOT_READ for kind in self._kinds[group])

    def kinds(self, group: Group) -> str:
        """Return the numbers of the outcomes: `8 unparseable, 2 truncated`."""
        return ", ".join(f"{number:,} {kind}" for kind, number in self._kinds[group].most_common())

    def sample(self, group: Group) -> str | None:
        """Return a sentence that shows the group's first reply; None before there is one."""
        return self._samples.get(group)

    def sentences(self) -> Iterator[str]:
        """Yield the outcomes of each family and model, and what the answers cost."""
        for group, rate in self._tally.rates.items():
            others = Counter({kind: n for kind, n in self._kinds[group].items() if kind != "correct"})
            listed = ", ".join(f"{number:,} {kind}" for kind, number in others.most_common())
            family, model = group
            yield (
                f"{family} on {model}: {rate.correct:,} of {rate.n:,} correct, "
                f"{rate.rate:.2f} [{rate.lo:.2f}, {rate.hi:.2f}]{f'; {listed}' if listed else ''}."
            )
        number = sum(kinds.total() for kinds in self._kinds.values())
        if number:
            answers = count(number, "answer")
            cost = self._tally.cost
            yield f"What {answers} cost is not known." if cost is None else f"{answers} cost {usd(cost)}."

    def _answered(self, question: Question, trial: Trial, reply: Reply) -> None:
        tally, group = self._tally, group_of(question)
        tally.tokens += reply.input_tokens + reply.output_tokens
        self.output_tokens[group].append(reply.output_tokens)
        spent = paid(question.case.model.prices, reply)
        # If any price is unknown, no sum is shown: it would look like the whole cost.
        tally.cost = None if spent is None or tally.cost is None else tally.cost + spent
        # If judging an unforeseen reply raises, its test reports it, and the asking goes on.
        try:
            outcome = question.case.scenario.judge(trial, reply)
        except Exception:
            self._kinds[group][NOT_JUDGED] += 1
            return
        self._kinds[group][outcome.kind] += 1
        tally.add(*group, Rate(int(outcome.kind == "correct"), 1))
        if group not in self._samples:
            text = " ".join(reply.text.split())
            cut = " …" if len(text) > SHOWN else ""
            shown = f": {visible(text[:SHOWN])!r}{cut}" if self._text else ""
            family, model = group
            self._samples[group] = f"The first reply of {model} to {family} is {outcome.kind}{shown}"


def work(question: Question) -> int:
    """Return the tokens of a question's prompt and reply, as a measure of the time that asking takes."""
    return question.case.size_tokens + question.case.reply_tokens
