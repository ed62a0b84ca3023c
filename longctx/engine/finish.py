"""The end of a run: its rows in order, its summary, its verdict and its report, written completely or not at all.

A run and the merging of several runs end in the same way.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import longctx
from longctx import clocks
from longctx.config.models import header_lines
from longctx.config.project import project_settings
from longctx.engine import by_base_file
from longctx.engine.changed_texts import templates_of, text_changes
from longctx.engine.judging_code import JudgingCode
from longctx.engine.memory import Past, judged_against, keep, remembered
from longctx.engine.servers import says_of, server_notes
from longctx.engine.terms import empty, left_out, looks_of, min_rates, rules
from longctx.errors import UserError
from longctx.files import whole_folder, write_file
from longctx.gate.bands import Verdict
from longctx.gate.changed import changed, changed_terms
from longctx.gate.judged_by_base import JudgedByBase
from longctx.gate.verdict import Rules, RunVerdict
from longctx.recording.base import Base
from longctx.report.document import Document
from longctx.report.gate_lines import Views, ViewsOfRows, lost_answers
from longctx.report.headline import headline, why_each_band_fails
from longctx.report.run_folder import add_step_summary, write_report, write_verdict
from longctx.report.run_report import RunReport
from longctx.report.verdict_document import answer_notes, verdict_document
from longctx.results import store
from longctx.results.baseline_file import Baseline, load_baseline
from longctx.results.labels import read_labels
from longctx.results.manifest import Manifest, RecordedTerms
from longctx.results.origin import origin
from longctx.results.row import Row
from longctx.results.run_folders import remove_old_runs
from longctx.results.sent_texts import SentText, SentTexts, shortened
from longctx.results.store import FinishedRun
from longctx.summary.summary import Summary, summarize
from longctx.views.reporting import Reports, adds_to_gate
from longctx.vocabulary.both import Both
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.looks import AT_ONCE, LooksPlan, RunLooks
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.corpus.filters import Filter
    from longctx.engine.run_data import RunData
    from longctx.vocabulary.bank import Bank


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished run."""

    record: store.FinishedRun = field(repr=False)
    manifest: Manifest = field(repr=False)
    summary: Summary = field(repr=False)
    verdict: Verdict | None
    """None without a baseline, and for a shard, which is judged when it is merged with the others."""
    headline: str
    """The verdict and where it was given, in a few words; empty without one."""
    document: Document | None = field(repr=False)
    """The verdict in words."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """What each band that does not pass failed at, by its name."""
    warnings: tuple[str, ...] = ()
    """Sentences on what failed without losing anything."""


@dataclass(frozen=True, slots=True)
class ReportInputs:
    """What the end of a run needs besides its rows."""

    manifest: Manifest
    tests: Mapping[str, Protocol]
    """The tests by name."""
    baseline: Baseline | None
    """What the run is judged against; None if it is not judged."""
    terms: Rules | None
    """The terms of the verdict; None without a baseline."""
    page: bool
    """Whether to write the page and the charts."""
    parquet: bool
    """Whether to write results.parquet."""
    workspace: Workspace
    """The project, in whose recordings earlier replies are looked up, and in whose prompt sets earlier wordings."""
    reports: Reports = field(default_factory=dict)
    """The reports of test functions."""
    names: tuple[str, str] = ("BASELINE", "RUN")
    """The baseline and the run's folder, as commands name them."""
    passes: Sequence[str] = ("pass",)
    """The verdicts of which no band counts as failed."""
    notes: Sequence[str] = ()
    """Sentences on the server that answered."""
    past: Past | None = None
    """Where the earlier runs of its change are; None if its verdict does not take them."""
    code: JudgingCode | None = None
    """The run's test code beside that of the base branch; None if that is not known."""
    by_base: JudgedByBase | None = None
    """What the base's test code makes of the run's answers; None if that judges nothing."""


def finish(
    run: RunData,
    facts: Mapping[str, Mapping[str, int]],
    texts: SentTexts,
    judged: Callable[[Finished], object] = lambda _: None,
    tests: Mapping[str, int] | None = None,
) -> Finished:
    """Write the folder of a run from the rows that were appended to it, and let reports/latest lead to it.

    Raises UserError.

    facts: the facts of each cell, by its name. texts: those that its tests sent. judged: called with summary
    and verdict before the report is written, so that a full disk does not hide them. tests: pytest's counts, by
    outcome.
    """
    with whole_folder(run.folder, store.RESULTS) as folder:
        record = store.finish(run.folder, folder)
        if isinstance(run.settings.profile, Mapping):
            name, content = run.plan.profile_file
            (folder / f"{name}.toml").write_bytes(content)
        manifest = manifest_of(run, record.rows, facts, texts, tests)
        gated = run.settings.baseline is not None and not run.settings.shard
        baseline = run.plan.baseline if gated else None
        terms = _rules(run, record.rows, manifest.finished_at, manifest.plans_of_looks) if gated else None
        names = run.settings.baseline or "", os.path.relpath(run.folder)
        writes = run.settings.page, run.settings.parquet
        passes = ("pass", "inconclusive")[: 1 + (run.settings.on_inconclusive == "pass")]
        reports = run.reports
        notes, past = tuple(server_notes(run, record.rows)), past_of(run) if gated else None
        ending = ReportInputs(
            manifest, run.plan.tests, baseline, terms, *writes, run.workspace, reports, names, passes, notes, past
        )
        ending = dataclasses.replace(ending, code=run.judging_code, by_base=run.judged_by_base)
        done = _written(folder, record, ending, judged)
    store.drop_unfinished(run.folder)
    done = _moved(done, run.folder)
    if run.settings.report is not None or run.folder.parent != run.workspace.reports:
        return done
    if warning := point_latest_to(run.folder):
        done = dataclasses.replace(done, warnings=(*done.warnings, warning))
    against = [run.workspace.find_baseline(names[0])] if baseline else []
    remove_old_runs(run.workspace.reports, project_settings(run.workspace.root).keep_runs, against)
    return done


def merge(folder: Path, pairs: Iterable[tuple[str, str]], ending: ReportInputs) -> Finished:
    """Write the folder of a merged run from the rows of its parts, as `store.write` takes them. Raises UserError."""
    with whole_folder(folder, store.RESULTS) as part:
        done = _written(part, store.write(part, pairs), ending)
    return _moved(done, folder)


def _moved(done: Finished, folder: Path) -> Finished:
    """Return the run with the folder that it is in now, from which views are read."""
    return dataclasses.replace(done, record=dataclasses.replace(done.record, folder=folder))


def _written(
    folder: Path,
    record: store.FinishedRun,
    ending: ReportInputs,
    judged: Callable[[Finished], object] = lambda _: None,
) -> Finished:
    """Summarize and judge a run, and write its report into `folder`."""
    manifest, known, baseline = ending.manifest, ending.tests, ending.baseline
    summary = summarize(record.rows, manifest.prices_of, manifest.sent_as, known, manifest.facts, ending.reports)
    verdict, document, said = None, None, ""
    failed: Mapping[str, str] = {}
    warnings: list[str] = []
    if ending.by_base:
        by_base_file.write(folder, ending.by_base)
    if baseline and ending.terms:
        judgement, document = judge(folder, baseline, record, ending, ending.terms, warnings)
        verdict, said = judgement.verdict, headline(judgement)
        if verdict not in ending.passes:
            failed = why_each_band_fails(judgement)
    done = Finished(record, manifest, summary, verdict, said, document, failed)
    judged(done)
    earlier = None
    if baseline:
        text = (folder / store.VIEWS).exists()
        from longctx.engine.earlier import earlier_answers

        earlier = partial(earlier_answers, baseline, record.rows, ending.workspace.cassettes, text, known)
    write_report(
        folder, RunReport(record, summary, manifest, document, len(failed)), ending.page, ending.parquet, earlier
    )
    warnings.append(add_step_summary(folder) or "")
    return dataclasses.replace(done, warnings=tuple(filter(None, warnings)))


def judge(
    folder: Path,
    baseline: Baseline,
    record: store.FinishedRun,
    ending: ReportInputs,
    terms: Rules,
    warnings: list[str],
) -> tuple[RunVerdict, Document]:
    """Judge a run against its baseline, write gate.md and gate.json, and return the verdict, also in words.

    warnings: takes sentences on what failed without losing anything.
    """
    manifest, by_base = ending.manifest, ending.by_base
    rows = by_base.judged(record.rows) if by_base else record.rows
    terms = dataclasses.replace(terms, unjudged=tuple(by_base.reasons)) if by_base else terms
    notes: Sequence[str] = ()
    if ending.past is None:
        verdict = judged_against(baseline, rows, terms, ending.tests)
    else:
        known = remembered(baseline, manifest.run, rows, terms, ending.past, ending.tests)
        verdict, notes = known.verdict, known.notes
        warnings.append(keep(known, ending.past.cassettes))
    differences = [
        *changed(Both(baseline.manifest, manifest), Both(baseline.rows, rows), verdict),
        *(changed_terms(baseline.manifest.terms, manifest.terms) if manifest.base and manifest.terms else ()),
        *phrases_of_base(ending),
    ]
    texts = texts_of(baseline, record, ending.workspace.cassettes)
    lost = lost_answers(verdict, baseline.rows, rows, texts, command_for_all(*ending.names))
    of_base = by_base.sentences(record.rows) if by_base else ()
    answers = *of_base, *notes, *ending.notes, *answer_notes(rows, manifest.base)
    changes = text_changes(Both(baseline.manifest, manifest), Both(baseline.rows, rows), verdict, ending.workspace)
    shown = verdict_document(verdict, baseline.name, differences, answers, lost, changes)
    write_verdict(folder, verdict, (baseline.name, baseline.manifest.run), differences, shown)
    return verdict, shown


def phrases_of_base(ending: ReportInputs) -> Iterable[str]:
    """Yield phrases on how test code and baseline differ from those of the base branch. Raises UserError."""
    revision, workspace = ending.manifest.base, ending.workspace
    if not revision:
        return
    base = Base(revision, workspace.root, workspace.cassettes)
    yield from (ending.code or JudgingCode.of(base)).phrases
    name, _ = ending.names
    file = workspace.find_baseline(name)
    there = base.file(file.absolute()) if file.is_file() else None
    if there is not None and there != file.read_bytes():
        yield f"the baseline {name} differs from that of {revision}"


def command_for_all(named: str, folder: str) -> list[str]:
    """Return the command that lists all lost answers, without their number. folder: that of the run."""
    return [shlex.join(["python", "-m", "longctx", "compare", named, folder, "--flips"])]


def verdict_on(run: RunData, rows: Sequence[Row], baseline: str | None = None) -> RunVerdict:
    """Return the gate's verdict on these rows of a run. baseline: by default that of the settings. Raises UserError."""
    against = run.plan.baseline if baseline is None else load_baseline(run.workspace.find_baseline(baseline))
    if against is None:
        raise UserError("no-baseline", "A verdict needs an earlier run to compare with: name a baseline.")
    now = clocks.stamp()
    terms = _rules(run, rows, now, looks_of(run, rows))
    return remembered(against, run.name, rows, terms, past_of(run), run.plan.tests).verdict


def _rules(run: RunData, rows: Sequence[Row], now: str, looks: RunLooks) -> Rules:
    """Return the terms of the verdict on a whole run, with the labels of its answers if there are some."""
    file = run.settings.judge_labels
    return dataclasses.replace(rules(run, rows, now, looks), labels=read_labels(file) if file else None)


def past_of(run: RunData) -> Past:
    return Past(run.recorded, run.workspace.cassettes, run.settings.fresh)


def manifest_of(
    run: RunData,
    rows: Sequence[Row],
    facts: Mapping[str, Mapping[str, int]],
    texts: SentTexts,
    tests: Mapping[str, int] | None = None,
) -> Manifest:
    """Return what is known of a run besides its rows."""
    settings, plan = run.settings, run.plan
    profile, content = plan.profile_file
    if isinstance(settings.profile, Mapping):
        settings = dataclasses.replace(settings, profile=os.path.relpath(run.folder / f"{profile}.toml"))
    measured = {row.model for row in rows}
    models = [plan.models.get(name) or plan.model(name) for name in sorted(measured)]
    gated, banks = settings.baseline is not None, banks_of(run, rows)
    looks = looks_of(run, rows) if gated else AT_ONCE
    commit, ci_run = origin(os.environ)
    return Manifest(
        run=run.name,
        version=longctx.__version__,
        profile=profile,
        profile_digest=hashlib.sha256(content).hexdigest() if profile else "",
        about=plan.own.about if plan.own else "",
        seed=plan.seed,
        labels=dict(settings.labels),
        options=settings.repeating_options(),
        prices={
            model.model: model.prices.model_dump(mode="json", exclude_none=True) for model in models if model.prices
        },
        sent_as={model.model: model.sent_as for model in models if model.sent_as != model.model},
        headers={model.model: header_lines(model.treatments) for model in models if model.treatments},
        base=settings.base or "",
        hooks=run.rewriting.names if run.rewriting else (),
        documents={name: bank.digests for name, bank in banks.items()},
        templates=templates_of(run.workspace, rows),
        texts=SentTexts([*texts, *(document_texts(banks) if settings.corpus and not settings.no_text else ())]).kept,
        filters=tuple(used.model_dump(mode="json") for used in filters_used(run, rows)),
        facts=dict(sorted(facts.items())),
        looks=_named(looks.declared),
        functions_looks=_named(looks.others),
        terms=RecordedTerms(margin=plan.margin, alpha=settings.alpha, run_margin=plan.run_margin),
        left_out=left_out(run, rows),
        empty=empty(run, rows),
        fresh=settings.fresh,
        shard=str(settings.shard or ""),
        min_rates=min_rates(run),
        reports=dict(sorted(_declared(run.reports, rows).items())),
        commit=commit,
        ci_run=ci_run,
        tests=dict(tests or {}),
        servers=says_of(run, rows),
        finished_at=clocks.stamp(),
    )


def _declared(reports: Reports, rows: Sequence[Row]) -> dict[str, bool]:
    """Return the measured tests that declare a report, and whether it adds to the gate."""
    measured = {row.test for row in rows}
    return {name: adds_to_gate(of) for name, of in reports.items() if name in measured}


def _named(plan: LooksPlan) -> str:
    """Return a plan as a manifest has it."""
    return "" if plan == "once" else plan


LONGEST_DOCUMENT = 4000
"""The most characters that are kept of a document."""


def document_texts(banks: Mapping[str, Bank]) -> Iterator[SentText]:
    """Yield the texts of the sections of the project's own documents; those that longctx ships do not change."""
    for name, bank in banks.items():
        for section, digest in bank.digests.items():
            text = shortened(bank.sections[section].text, LONGEST_DOCUMENT)
            yield SentText("document", digest, text, f"{name} {section}")


def banks_of(run: RunData, rows: Sequence[Row]) -> dict[str, Bank]:
    """Return each bank whose documents trials name by their digests."""
    asked = {(row.test, row.model) for row in rows if row.documents}
    grids = run.plan.grids() if asked else {}
    banks = {(model, grid.draws_on) for test, model in sorted(asked) for grid in grids.get((test, model), ())}
    own = run.settings.corpus
    return {own.name if own else name: run.plan.bank(model, name) for model, name in sorted(banks)}


def filters_used(run: RunData, rows: Sequence[Row]) -> list[Filter]:
    """Return the "too hard" filters of a run: those of its baseline if it has one, so that both ask the same."""
    from longctx.corpus.filters import choose_filter, question_of

    filtered = {name for name, test in run.plan.tests.items() if test.filtered}
    names = {(row.model, question_of(row.item, row.version)[1]) for row in rows if row.test in filtered}
    filters = [choose_filter(run.workspace, run.plan.filters, model, bank) for model, bank in sorted(names)]
    return [chosen for chosen in filters if chosen is not None]


def point_latest_to(folder: Path) -> str | None:
    """Make reports/latest a link to the run, or a file with its name if links are not allowed.

    Returns a warning if neither can be made.
    """
    latest = folder.parent / "latest"

    def write(part: Path) -> None:
        try:
            part.symlink_to(folder.name, target_is_directory=True)
        except OSError:
            part.write_text(folder.name, encoding="utf-8")

    try:
        write_file(latest, write)
    except UserError as error:
        return f"{error.sentence} It does not point to this run."
    return None


def texts_of(baseline: Baseline, record: FinishedRun, cassettes: Path) -> ViewsOfRows:
    """Return the function that looks up texts. cassettes: where replies are that the baseline does not contain."""

    def texts(before: Sequence[Row], after: Sequence[Row]) -> tuple[Views, Views]:
        from longctx.engine.earlier import views_of

        views = {row.identity: view for row, view in record.seen()}
        return views_of(baseline, before, cassettes) if any(views.values()) else {}, views

    return texts
