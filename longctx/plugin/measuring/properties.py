"""The result of a test as properties of its report: `--junitxml` shows them, and workers send them with the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from longctx.plugin.session import state_of
from longctx.stats.rates import Rate

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.results.row import Row

FIRST = "family"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case."""

    test: str
    cell: str
    model: str
    prompt_set: str
    rate: Rate
    tokens: int
    """The input and output tokens of its measured trials."""
    minimum: float | None = None
    """The minimum rate, if it is tested against one."""

    @classmethod
    def of(cls, case: Case, rows: Sequence[Row], minimum: float | None) -> CaseResult:
        from longctx.stats.rates import rate_of

        return cls(
            test=case.cell.test,
            cell=case.cell.slug,
            model=case.model.model,
            prompt_set=case.wording.prompt_set,
            rate=rate_of(row for row in rows if row.measured),
            tokens=sum((row.input_tokens or 0) + (row.output_tokens or 0) for row in rows),
            minimum=minimum,
        )

    def attach(self, item: pytest.Item) -> None:
        """Add the result to the properties of the test's report. Without a measured trial it has no rate."""
        rate = self.rate
        properties: list[tuple[str, object]] = [
            (FIRST, self.test),
            ("scenario", self.cell),
            ("model", self.model),
            ("prompt_set", self.prompt_set),
            ("n", rate.n),
            ("correct", rate.correct),
            ("tokens", self.tokens),
        ]
        if rate.n:
            properties += [("rate", round(rate.rate, 6)), ("lo", round(rate.lo, 6)), ("hi", round(rate.hi, 6))]
        if self.minimum is not None:
            properties += [("minimum", self.minimum), ("design_effect", rate.effect)]
        item.user_properties += properties


def forget(item: pytest.Item) -> None:
    """Forget the properties of an earlier run of the test: a plugin may run a failed one again."""
    state = state_of(item)
    if state.own_properties is None:
        state.own_properties = len(item.user_properties)
    del item.user_properties[state.own_properties :]


def read(report: pytest.TestReport) -> Iterator[CaseResult]:
    """Yield the results that `attach` added. A test may measure several cases, and have other properties too."""
    cases: list[dict[str, object]] = []
    for name, value in report.user_properties:
        if name == FIRST:
            cases.append({})
        if cases:
            cases[-1].setdefault(name, value)
    for case in cases:
        match case:
            case {
                "family": str(test),
                "scenario": str(cell),
                "model": str(model),
                "prompt_set": str(prompt_set),
                "n": int(n),
                "correct": int(correct),
                "tokens": int(tokens),
            }:
                minimum, effect = case.get("minimum"), case.get("design_effect", 1.0)
                required = float(minimum) if isinstance(minimum, int | float) else None
                rate = Rate(correct, n, float(effect) if isinstance(effect, int | float) else 1.0)
                yield CaseResult(test, cell, model, prompt_set, rate, tokens, required)
