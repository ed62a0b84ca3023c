"""An upgrade: one profile asked of an old treatment and of candidates, and the gate's verdict on each candidate."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from longctx.config.models import ModelProfile
from longctx.engine.measure import Measurement
from longctx.engine.run import Run
from longctx.engine.settings import Settings
from longctx.engine.terms import rules
from longctx.errors import UserError
from longctx.gate.bands import ORDER, Verdict
from longctx.gate.validity import AgeLimit
from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.results.answers import with_answers
from longctx.results.row import Row
from longctx.results.view import View
from longctx.vocabulary.shapes import SHAPES

ENTRIES = ("effort", "prompts", "shape", "base_url")
"""What a treatment may name beside its model."""
EFFORTS: tuple[str, ...] = tuple(
    level for part in get_args(ModelProfile.model_fields["effort"].annotation) for level in get_args(part)
)


@dataclass(frozen=True, slots=True)
class Treatment:
    """How items are asked: a model, by its id or the name of its profile, and what differs from that profile."""

    name: str
    """As the user wrote it: rows and pages show it as the model."""
    model: str
    entries: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> Treatment:
        """Return the treatment in a text such as `MODEL,effort=high,prompts=mine`. Raises UserError."""
        model, *given = (part.strip() for part in text.split(","))
        entries = {name: value for name, _, value in (entry.partition("=") for entry in given)}
        allowed = {"effort": EFFORTS, "shape": SHAPES}
        for name, value in entries.items():
            if name not in ENTRIES or not value or value not in allowed.get(name, (value,)):
                raise UserError(
                    "bad-treatment",
                    f"{text!r} is not a treatment: write a model, and after commas what differs, as in "
                    f"MODEL,effort={'|'.join(EFFORTS)},prompts=NAME,shape={'|'.join(SHAPES)},base_url=URL.",
                )
        if not model or len(entries) < len(given):
            raise UserError("bad-treatment", f"{text!r} names no model, or one entry twice: begin with a model.")
        # A server's address is not a treatment, and may hold credentials.
        shown = [model, *(f"{name}={value}" for name, value in entries.items() if name != "base_url")]
        return cls(", ".join(shown), model, entries)

    def settings(self, common: Settings) -> Settings:
        """Return the settings of its run."""
        entries = self.entries
        effort = {self.model: {"effort": entries["effort"]}} if "effort" in entries else {}
        return replace(
            common,
            models=(self.model,),
            prompts=(entries["prompts"],) if "prompts" in entries else common.prompts,
            shapes=(entries["shape"],) if "shape" in entries else common.shapes,  # type: ignore[arg-type]
            base_url=entries.get("base_url", common.base_url),
            model_profiles={**common.model_profiles, **effort},
        )


@dataclass(frozen=True, slots=True)
class MeasuredTreatment:
    """What one treatment was measured at. Its rows name it as their model."""

    treatment: Treatment
    rows: list[Row]
    views: list[View]

    @property
    def lacking(self) -> int:
        return sum(not row.measured for row in self.rows)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate and the verdict on it."""

    measured: MeasuredTreatment
    verdict: RunVerdict

    @property
    def name(self) -> str:
        return self.measured.treatment.name

    @property
    def usd(self) -> float | None:
        """The price of a trial in USD."""
        return self.verdict.usage.after.usd if self.verdict.usage else None


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The old treatment and the candidates."""

    old: MeasuredTreatment
    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The candidate to look at first: of those with the best verdict the cheapest, then the first."""

        def rank(candidate: Candidate) -> tuple[int, float]:
            return -BEST.index(candidate.verdict.verdict), math.inf if candidate.usd is None else candidate.usd

        return min(self.candidates, key=rank)


BEST: tuple[Verdict, ...] = ("regression", "invalid", "inconclusive", "pass")
"""The verdicts from the worst to the best for a choice between candidates."""
assert set(BEST) == set(ORDER)


class Upgrading:
    """Plans, asks and judges an upgrade. settings: what all treatments share. root: the project's folder.

    folder: where each run says why trials could not be asked. The settings' alpha is of all candidates together. The
    age of recordings has no limit: their dates are on the page.
    """

    def __init__(
        self,
        old: Treatment,
        candidates: Sequence[Treatment],
        settings: Settings,
        root: Path,
        folder: Path,
        say: Callable[[str], object] = print,
    ) -> None:
        names = [treatment.name for treatment in (old, *candidates)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UserError("same-treatment-twice", f"{twice!r} is given twice: an upgrade compares what differs.")
        self._alpha = settings.alpha / len(candidates)
        self._say = say
        self._treatments = (old, *candidates)
        self.runs = [
            Run(settings=treatment.settings(settings), root=root, folder=folder / f"asking-{place}", say=say)
            for place, treatment in enumerate(self._treatments)
        ]

    def estimate(self) -> None:
        """Say what each treatment lacks, and what asking it costs."""
        for treatment, run in zip(self._treatments, self.runs, strict=True):
            self._say(f"{treatment.name}:")
            run.estimate()

    def measure(self, max_cost: float | None) -> Upgrade:
        """Ask what is lacking within a cap in USD, over all treatments; None asks nothing. Raises UserError."""
        left, measured = max_cost, []
        for treatment, run in zip(self._treatments, self.runs, strict=True):
            found = self._measured(treatment, run)
            if found.lacking and left is not None:
                self._say(f"{treatment.name}: asks what {found.lacking:,} of {len(found.rows):,} trials lack")
                done = run.ask(max_cost=left)
                left = max(0.0, left - done.spent)
                found = self._measured(treatment, run)
            measured.append(found)
        if max_cost is None and (lacking := [found for found in measured if found.lacking]):
            self.estimate()
            number = sum(found.lacking for found in lacking)
            raise UserError(
                "upgrade-not-recorded",
                f"{number:,} trials of {'; '.join(found.treatment.name for found in lacking)} have no recording, and "
                "nothing was asked: give --max-cost USD to ask them, which records every answer.",
            )
        old, *others = measured
        return Upgrade(old, tuple(self._judged(old, new, run) for new, run in zip(others, self.runs[1:], strict=True)))

    def _measured(self, treatment: Treatment, run: Run) -> MeasuredTreatment:
        result: Measurement = run.measure()
        rows = [replace(row, model=treatment.name) for row in with_answers(result.rows)]
        views = [view for case in result.cases for view in case.views]
        return MeasuredTreatment(treatment, rows, [View("")] * len(rows) if run.settings.no_text else views)

    def _judged(self, old: MeasuredTreatment, new: MeasuredTreatment, run: Run) -> Candidate:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        model = run.plan.model(new.treatment.model).model
        own = [replace(row, model=model) for row in new.rows]
        terms = rules(run, own, now, looks=False)
        terms = replace(
            terms,
            alpha=self._alpha,
            age=AgeLimit(now, math.inf),
            grids={(family, new.treatment.name): tables for (family, _), tables in terms.grids.items()},
        )
        return Candidate(new, give_verdict(old.rows, new.rows, terms, run.plan.families))


def as_data(
    upgrade: Upgrade, verdict_data: Callable[[RunVerdict, str, Sequence[str]], dict[str, Any]]
) -> dict[str, Any]:
    """Return the upgrade as JSON holds it. verdict_data: gives that of a verdict."""
    old = upgrade.old.treatment.name
    return {
        "old": old,
        "best": upgrade.best.name,
        "candidates": [
            {"name": candidate.name} | verdict_data(candidate.verdict, old, ()) for candidate in upgrade.candidates
        ],
    }
