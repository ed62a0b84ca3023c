"""The sentence in which a reader states what it understood of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from longctx.results.foreign.choice import Choice
from longctx.results.foreign.result import ForeignResult, item_of
from longctx.results.foreign.values import listed, short
from longctx.text import count

MOST_ERRORS = 3
"""The most errors that are quoted."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What a reader understood of a file."""

    form: str
    """What the file is, such as `a report of deepeval`."""
    by: str
    """What identifies an item."""
    outcome: str
    unit: str = "item"
    also: Sequence[str] = ()
    """What else could have been chosen as the outcome."""
    repeats: Sequence[str] = ()
    """The fields that count repeats."""

    def sentence(self, name: str, results: Sequence[ForeignResult], choice: Choice) -> str:
        """Return the sentence about the chosen results of a file."""
        items = {*map(item_of, results)}
        many = count(len(items), self.unit)
        said = [f"{short(name)} is {self.form}: {many} by {self.by}, outcome {short(self.outcome)}"]
        if self.also:
            said.append(f"also there: {listed([*self.also])}")
        if len(items) < len(results):
            said += self._how_often([*Counter(map(item_of, results)).values()])
        said += _not_measured(results)
        if choice.scale.lower:
            said.append("turned round, since lower is better")
        if (choice.scale.lowest, choice.scale.highest) != (0, 1):
            said.append(f"{choice.scale.lowest:g} to {choice.scale.highest:g} become 0 to 1")
        return "; ".join(said)

    def _how_often(self, numbers: Sequence[int]) -> list[str]:
        most = max(numbers)
        by = f"by {', '.join(self.repeats)}" if self.repeats else "since no field tells them apart"
        often = f"{most:,}" if most == min(numbers) else f"up to {most:,}"
        return [f"{often} repeats of each, {by}, are averaged"]


def _not_measured(results: Sequence[ForeignResult]) -> list[str]:
    errors = Counter(result.error for result in results if result.error)
    without = sum(result.value is None for result in results if not result.error)
    said = []
    if errors:
        named = [short(error) for error, _ in errors.most_common(MOST_ERRORS)]
        quoted = ", ".join([*named, *(["…"] if len(errors) > MOST_ERRORS else [])])
        said.append(f"{errors.total():,} of {len(results):,} ended with an error ({quoted}) and are not measured")
    if without:
        said.append(f"{without:,} of {len(results):,} have no outcome and are not measured")
    return said
