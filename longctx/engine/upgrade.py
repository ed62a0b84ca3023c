"""An upgrade: one profile asked of an old treatment and of candidates, and the gate's verdict on each candidate."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, get_args

from longctx import clocks
from longctx.compare.pairs import match_runs
from longctx.config.arguments import server_name
from longctx.config.models import ModelProfile
from longctx.engine.changed_texts import templates_of, text_changes
from longctx.engine.measure import MeasuredCell
from longctx.engine.run import Run
from longctx.engine.settings import Settings
from longctx.engine.terms import rules
from longctx.errors import UserError
from longctx.files import write_file
from longctx.gate.bands import ORDER, Verdict
from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.live.cost.estimate import Estimates
from longctx.live.cost.money import check_cap
from longctx.registry import known_protocols
from longctx.report.document import Document
from longctx.report.estimate_lines import IN_FULL, estimate_lines
from longctx.report.gate_lines import NONE_LOST, LostAnswers, Views, lost_answers
from longctx.report.markdown_document import as_markdown
from longctx.report.page.earlier_answers import Earlier, earlier_rows
from longctx.report.page.trials import shown_subject
from longctx.report.upgrade import UpgradeDecision, accuracy_chart, upgrade_data, upgrade_document
from longctx.report.verdict_blocks import TextChange
from longctx.results.answer_groups import with_answers
from longctx.results.row import Row
from longctx.results.sent_texts import KeptByDigest, SentTexts
from longctx.results.trial_view import View
from longctx.views.chart import Chart
from longctx.vocabulary.both import Both
from longctx.vocabulary.looks import AT_ONCE
from longctx.vocabulary.point import Templates, is_check
from longctx.vocabulary.shapes import SHAPES
from longctx.workspace import Workspace

NO_VIEW = View("")
"""The view of a trial whose texts are not kept."""
ENTRIES = ("effort", "prompts", "shape", "strategy", "server", "base_url")
"""The entries of a treatment besides its model."""
EFFORTS: tuple[str, ...] = tuple(
    level for part in get_args(ModelProfile.model_fields["effort"].annotation) for level in get_args(part)
)


@dataclass(frozen=True, slots=True)
class Treatment:
    """How items are sent: a model, by its id or the name of its profile, and what differs from that profile."""

    name: str
    """The treatment as the user wrote it; rows and pages show it as the model."""
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
                    f"{text!r} is not a treatment: write a model and, after commas, what differs, as in "
                    f"MODEL,effort={'|'.join(EFFORTS)},prompts=NAME,shape={'|'.join(SHAPES)},strategy=NAME,server=NAME,"
                    "base_url=URL.",
                )
        if not model or len(entries) < len(given):
            raise UserError(
                "bad-treatment",
                f"{text!r} has no model, or one entry twice: begin with a model, and use each entry once.",
            )
        if "server" in entries:
            server_name(entries["server"])
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
            strategies=(entries["strategy"],) if "strategy" in entries else common.strategies,
            base_url=entries.get("base_url", common.base_url),
            server=entries.get("server", common.server),
            model_profiles={**common.model_profiles, **effort},
        )


@dataclass(frozen=True, slots=True)
class TextsOfTreatment:
    """The texts that the requests of a treatment have. All treatments have the same documents."""

    templates: Mapping[str, Templates] = field(default_factory=dict)
    texts: KeptByDigest = field(default_factory=dict)
    documents: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MeasuredTreatment:
    """The measurements of one treatment. Its rows name it as their model."""

    treatment: Treatment
    rows: list[Row]
    views: list[View]
    empty: int = 0
    """How many of its cells have no question."""
    sent: TextsOfTreatment = TextsOfTreatment()

    @property
    def unrecorded(self) -> int:
        """How many trials have no recorded answer."""
        return sum(row.outcome == "not_asked" for row in self.rows)


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


class TreatmentTrials(Protocol):
    """The trials of an upgrade under one treatment. Every method raises UserError."""

    @property
    def run(self) -> Run:
        """The run that asks and measures them."""

    def estimated(self) -> Estimates:
        """Return what the requests of those that lack an answer would cost."""

    def ask(self, max_cost: float) -> float:
        """Ask what they lack within a cap in USD; return what was spent."""

    def measure(self) -> Sequence[MeasuredCell]:
        """Replay and judge what is recorded of them."""


@dataclass(frozen=True, slots=True)
class ProfileTrials:
    """The trials of all tests of a profile."""

    run: Run

    def estimated(self) -> Estimates:
        return self.run.estimated()

    def ask(self, max_cost: float) -> float:
        return self.run.ask(max_cost=max_cost).spent

    def measure(self) -> Sequence[MeasuredCell]:
        return self.run.measure().cells


class Upgrading:
    """Plans, asks and judges an upgrade. The settings' alpha is of all candidates together.

    The age of recordings has no limit: their dates are on the page.
    """

    def __init__(
        self,
        treatments: Sequence[Treatment],
        settings: Settings,
        root: Path,
        folder: Path,
        say: Callable[[str], object] = print,
        trials_of: Callable[[Run], TreatmentTrials] = ProfileTrials,
    ) -> None:
        """Take up the treatments.

        Args:
            treatments: The current treatment, then the candidates.
            settings: What all treatments share.
            root: The project's folder.
            folder: Where each run states why trials could not be sent.
            say: Prints a sentence.
            trials_of: Returns the trials of a run, by default those of its profile's tests.
        """
        names = [treatment.name for treatment in treatments]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UserError(
                "same-treatment-twice",
                f"{twice!r} is given twice: name each treatment once. Two servers of one model need names, as in "
                "MODEL,server=NAME,base_url=URL.",
            )
        self._alpha = settings.alpha / (len(treatments) - 1)
        self._say = say
        self._treatments = treatments
        self._trials = [
            trials_of(Run.with_settings(treatment.settings(settings), root, say=say, folder=folder / f"asking-{index}"))
            for index, treatment in enumerate(self._treatments)
        ]

    def estimate(self, in_full: bool = False) -> None:
        """Print how many answers each treatment lacks, and what they cost. in_full: in sentences."""
        self._say_estimate(zip(self._treatments, self._trials, strict=True), in_full)
        if not in_full:
            self._say(IN_FULL)

    def _say_estimate(self, treatments: Iterable[tuple[Treatment, TreatmentTrials]], in_full: bool = False) -> None:
        found = sum((trials.estimated().of(treatment.name) for treatment, trials in treatments), Estimates())
        for sentence in estimate_lines(found, self._trials[0].run.settings.batch, in_full=in_full):
            self._say(sentence)

    def measure(self, max_cost: float | None) -> Upgrade:
        """Ask what has no answer within a cap in USD, over all treatments; None sends no request. Raises UserError."""
        left = max_cost
        measured = [self._measured(*of) for of in zip(self._treatments, self._trials, strict=True)]
        for new in measured[1:]:
            _check_matched(measured[0], new)
        check_cap(
            max_cost, [model for found, of in zip(measured, self._trials, strict=True) for model in _asked(found, of)]
        )
        for index, (treatment, trials) in enumerate(zip(self._treatments, self._trials, strict=True)):
            found = measured[index]
            if found.unrecorded and left is not None:
                number = sum(not is_check(row.test) for row in found.rows)
                self._say(
                    f"{treatment.name}: {found.unrecorded:,} of {number:,} trials have no recording, and are sent"
                )
                left = max(0.0, left - trials.ask(left))
                measured[index] = self._measured(treatment, trials)
        if max_cost is None and (incomplete := [found for found in measured if found.unrecorded]):
            every = zip(measured, self._trials, strict=True)
            self._say_estimate((found.treatment, trials) for found, trials in every if found.unrecorded)
            number, names = sum(each.unrecorded for each in incomplete), [each.treatment.name for each in incomplete]
            raise UserError(
                "upgrade-not-recorded",
                f"{number:,} trials of {'; '.join(names)} have no recording; no requests were sent. Add --max-cost USD "
                "to record them.",
            )
        old, *others = measured
        runs = [trials.run for trials in self._trials[1:]]
        return Upgrade(old, tuple(self._judged(old, new, run) for new, run in zip(others, runs, strict=True)))

    def _measured(self, treatment: Treatment, trials: TreatmentTrials) -> MeasuredTreatment:
        cells = trials.measure()
        rows = with_answers([row for cell in cells for row in cell.rows])
        views = [view for cell in cells for view in cell.views]
        return MeasuredTreatment(
            treatment,
            [replace(row, model=treatment.name, server=None) for row in rows],
            [NO_VIEW] * len(rows) if trials.run.settings.no_text else views,
            sum(not cell.cell.size for cell in cells),
            TextsOfTreatment(
                templates_of(trials.run.workspace, rows), SentTexts(sent for cell in cells for sent in cell.texts).kept
            ),
        )

    def _judged(self, old: MeasuredTreatment, new: MeasuredTreatment, run: Run) -> Candidate:
        old_plan = self._trials[0].run.plan
        now = clocks.stamp()
        was, model = (plan.model(each.treatment.model).model for plan, each in ((old_plan, old), (run.plan, new)))
        own = [replace(row, model=model, server=run.settings.server) for row in new.rows]
        terms = rules(run, own, now, AT_ONCE)
        terms = replace(
            terms,
            alpha=self._alpha,
            age=None,
            left_out=0,  # each treatment was measured on what the user selected
            empty=new.empty,
            grids={(test, new.treatment.name): tables for (test, _), tables in terms.grids.items()},
        )
        verdict = give_verdict(old.rows, new.rows, terms, run.plan.tests)
        if verdict.usage and was == model:  # it has one tokenizer
            verdict = replace(verdict, usage=replace(verdict.usage, tokenizer=None))
        return Candidate(new, verdict)


def _asked(found: MeasuredTreatment, trials: TreatmentTrials) -> list[ModelProfile]:
    """Return the models that asking what a treatment lacks needs."""
    plan = trials.run.plan
    asked = [plan.model(found.treatment.model), *plan.helpers]
    return asked if found.unrecorded else []


def _check_matched(old: MeasuredTreatment, new: MeasuredTreatment) -> None:
    """Raise UserError if it is not clear which rows of the two are compared."""
    try:
        match_runs(old.rows, new.rows)
    except UserError:
        raise UserError(
            "unclear-upgrade",
            f"It is not clear what of {new.treatment.name!r} is compared with what of {old.treatment.name!r}, since "
            "one of them has several prompt sets, shapes or strategies: name one in both, as in "
            "MODEL,prompts=NAME,strategy=NAME.",
        ) from None


def write(out: Path, upgrade: Upgrade, workspace: Workspace, volume: int | None) -> Document:
    """Write index.html, upgrade.md and upgrade.json into a folder, and return the upgrade in words."""
    judged = [(candidate.name, candidate.verdict) for candidate in upgrade.candidates]
    after = {candidate.name: candidate.measured.rows for candidate in upgrade.candidates}
    old = upgrade.old.treatment.name
    texts = _changed_texts(upgrade, workspace)
    decision = UpgradeDecision(old, upgrade.old.rows, judged, after, upgrade.best.name, volume, _lost(upgrade), texts)
    document, chart = upgrade_document(decision), accuracy_chart(decision)
    files = {
        "index.html": _page(document, upgrade, workspace, [chart] if chart else []),
        "upgrade.md": as_markdown(document),
        "upgrade.json": json.dumps(upgrade_data(decision), ensure_ascii=False, indent=1, allow_nan=False) + "\n",
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_file(out / name, _writer(text))
    return document


def _changed_texts(upgrade: Upgrade, workspace: Workspace) -> Sequence[TextChange]:
    """Return in which texts the best candidate differs from the old treatment."""
    old, new = upgrade.old, upgrade.best.measured
    return text_changes(Both(old.sent, new.sent), Both(old.rows, new.rows), upgrade.best.verdict, workspace)


def _lost(upgrade: Upgrade) -> LostAnswers:
    """Return the answers that the best candidate lost; none if no texts are kept."""
    old, best = upgrade.old, upgrade.best
    texts = Both(old, best.measured).map(_texts)
    if not any(texts):
        return NONE_LOST
    return lost_answers(best.verdict, old.rows, best.measured.rows, lambda *_: texts)


def _texts(measured: MeasuredTreatment) -> Views:
    """Return what is kept of the trials of a treatment besides their rows."""
    return {
        row.identity: fields
        for row, view, fields in zip(measured.rows, measured.views, _fields(measured.views), strict=True)
        if view != NO_VIEW
    }


def _writer(text: str) -> Any:
    return lambda part: part.write_text(text, encoding="utf-8")


def _page(document: Document, upgrade: Upgrade, workspace: Workspace, figures: Sequence[Chart]) -> str:
    """Return the page: the decision with its charts, and the candidates' trials next to the old answers."""
    from longctx.report.page.page import ChangedTrials, changes_page

    known = known_protocols(workspace)
    views = {row.identity: view for row, view in zip(upgrade.old.rows, _fields(upgrade.old.views), strict=True)}
    rows: list[Row] = []
    texts: list[str] = []
    earlier: dict[tuple[object, ...], Earlier] = {}
    for candidate in upgrade.candidates:
        new = candidate.measured
        was = earlier_rows(upgrade.old.rows, new.rows, None, known)
        earlier |= {identity: Earlier(row, views[row.identity]) for identity, row in was.items()}
        rows += new.rows
        texts += [json.dumps(view) for view in _fields(new.views)]
    subject = shown_subject([*upgrade.old.rows, *rows])
    return changes_page(document, ChangedTrials(rows, texts, earlier, subject), known, figures)


def _fields(views: Sequence[Any]) -> list[dict[str, Any]]:
    return [json.loads(view.to_json()) for view in views]
