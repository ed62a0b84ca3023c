"""The terms of a verdict, and the cells of the grid that a run's rows lack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from longctx.cells.cell import Cell
from longctx.config.models import Prices
from longctx.config.profiles import Profile, load_profile, profile_path
from longctx.config.project_files import digest_of
from longctx.engine.base_terms import retired_cases, terms_at
from longctx.engine.places import place_of_row
from longctx.engine.servers import nothing_of_server
from longctx.errors import UserError
from longctx.gate.minimum import requirements_of, shortfalls
from longctx.gate.rules import MARGIN
from longctx.results.cell_names import cell_name, cell_names
from longctx.results.completeness import missing_shards
from longctx.results.manifest import Manifest
from longctx.results.row import EARLY_STOP, Row, Subject
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.looks import AT_ONCE, DEFAULT_LOOKS, LooksPlan, RunLooks
from longctx.vocabulary.point import is_check, name_of_test
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.engine.run_data import RunData
    from longctx.engine.settings import GateTerms
    from longctx.gate.verdict import Rules
    from longctx.results.baseline_file import Baseline


def left_out(run: RunData, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of the cells that the run did not measure, or measured one trial of."""
    if run.settings.only_trial is not None:
        return (*(name_in_run(run, cell) for cell in run.plan.cells), *run.functions)
    measured = cell_names(rows)
    protocol_cells = (name_in_run(run, cell) for cell in _without_rows(run, rows) if cell.size)
    return (*protocol_cells, *(name for name in run.functions if name not in measured))


def empty(run: RunData, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of the cells that have no question."""
    return tuple(name_in_run(run, cell) for cell in _without_rows(run, rows) if not cell.size)


def min_rates(run: RunData) -> dict[str, float]:
    """Return the minimum rates of a shard's cells by name; none if the run is whole and tests them itself."""
    if run.settings.shard is None:
        return {}
    stated = {name_in_run(run, cell): cell.min_rate for cell in run.plan.cells} | run.functions
    return {name: rate for name, rate in stated.items() if rate is not None}


def failures_of(manifest: Manifest, rows: Sequence[Row]) -> list[str]:
    """Return a sentence for each reason why the tests of merged runs would have failed in one run."""
    trials = [row for row in rows if not is_check(row.test)]
    missing = [row for row in trials if not row.measured and row.error != EARLY_STOP]
    reasons = [f"{len(missing):,} of {len(trials):,} trials were not measured."] if missing else []
    stated = {name: rate for part in manifest.parts for name, rate in part.get("min_rates", {}).items()}
    short = shortfalls(requirements_of(rows, stated).items())
    return [*reasons, *(f"{name}: {requirement}." for name, requirement in short)]


def _without_rows(run: RunData, rows: Sequence[Row]) -> list[Cell]:
    measured = cell_names(rows)
    return [cell for cell in run.plan.cells if name_in_run(run, cell) not in measured]


def name_in_run(run: RunData, cell: Cell) -> str:
    """Return the name of a cell in this run, as completeness and minimum rates know it."""
    subject = Subject.of(
        cell.model.model,
        cell.wording.prompt_set,
        {**dict(run.settings.labels), **cell.labels},
        cell.shape,
        cell.server,
    )
    return cell_name(cell.point.test, cell.point.slug, subject)


def looks_of(run: RunData, rows: Sequence[Row]) -> RunLooks:
    """Return the plans by which the gate judges these rows: those by which a run asked them, or left trials out.

    Recordings without looks are judged at once, however they are replayed.
    """
    if not run.settings.looks or run.settings.only_trial is not None:
        return AT_ONCE
    declared: list[Row] = []
    others: list[Row] = []
    for row in rows:
        (declared if name_of_test(row.test) in run.plan.tests else others).append(row)
    return RunLooks(_looks_of(run, declared), _looks_of(run, others))


def _looks_of(run: RunData, rows: Sequence[Row]) -> LooksPlan:
    recorded = run.recorded.looks_of(place_of_row(row) for row in rows if not is_check(row.test))
    return recorded or (looks_to_take(run) if any(row.error == EARLY_STOP for row in rows) else "once")


def looks_to_take(run: RunData) -> LooksPlan:
    """Return the plan by which a run asks what has not been asked in looks before."""
    if not run.settings.looks:
        return "once"
    return run.plan.own.looks if run.plan.own else DEFAULT_LOOKS


def with_other_hypotheses(terms: Rules, other: Baseline | None) -> Rules:
    """Return the terms of a verdict besides a comparison with another baseline: its bands and its run."""
    return replace(terms, other_hypotheses=other.bands + 1 if other else 0)


def rules(run: RunData, rows: Sequence[Row], now: str, looks: RunLooks) -> Rules:
    """Return the terms by which the gate judges these rows of a run. now: the time in ISO 8601."""
    settings, plan = run.settings, run.plan
    profiles = [(plan.terms, settings.models)] if plan.terms else []
    return replace(
        rules_of(settings.gate, profiles, plan.tests, now),
        left_out=len(left_out(run, rows)),
        cells=len(run.plan.cells) + len(run.functions),
        empty=len(empty(run, rows)),
        looks=looks,
        repriced=_repriced(run, rows),
        of_base=bool(settings.base),
        other_profile=_other_profile(run),
        retired=retired_cases(run.workspace, settings.base),
        reports=run.reports,
        unanswered=nothing_of_server(run, rows),
    )


def _repriced(run: RunData, rows: Sequence[Row]) -> tuple[str, ...]:
    if (baseline := run.plan.baseline) is None:
        return ()
    used = {name: run.plan.models.get(name) or run.plan.model(name) for name in {row.model for row in rows}}
    prices = {name: model.prices.model_dump() for name, model in used.items() if model.prices}
    return repriced(baseline.manifest.prices, prices)


def repriced(before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the models of which both runs know prices that differ, whenever they were valid."""
    shared = sorted(before.keys() & after.keys())
    return tuple(name for name in shared if _rates(before[name]) != _rates(after[name]))


def _rates(prices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rates in a manifest, which may be a stranger's."""
    try:
        return Prices.model_validate(prices).model_dump(exclude={"dated", "source"})
    except ValidationError:
        return dict(prices)


def _other_profile(run: RunData) -> bool:
    """Return whether the run has another profile than its baseline. One that a change brings along excuses nothing."""
    baseline, profile = run.plan.baseline, run.plan.profile_file[0]
    if run.settings.base or baseline is None or not profile:
        return False
    return baseline.manifest.profile not in ("", profile)


def merged_rules(
    gate: GateTerms,
    profiles: Sequence[tuple[Profile, Sequence[str]]],
    known: Iterable[str],
    manifest: Manifest,
    before: Manifest | None = None,
) -> Rules:
    """Return the terms by which the gate judges a merged run. profiles: see `rules_of`. before: the baseline's."""
    return replace(
        rules_of(gate, profiles, known, manifest.finished_at),
        left_out=len(manifest.left_out),
        empty=len(manifest.empty),
        looks=manifest.plans_of_looks if gate.looks else AT_ONCE,
        missing=tuple(missing_shards(manifest)),
        repriced=repriced(before.prices, manifest.prices) if before else (),
        of_base=any(part.get("base") for part in manifest.parts),
    )


def rules_of(
    gate: GateTerms, profiles: Sequence[tuple[Profile, Sequence[str]]], known: Iterable[str], now: str
) -> Rules:
    """Return the terms of a verdict that a person states; what the run itself tells is added to them.

    profiles: those of the run, each with the models that replace its own. known: the names of the tests. The margin
    is the user's, else the smallest of the profiles', else the default.
    """
    from longctx.gate.recording_age import AgeLimit
    from longctx.gate.usage import GrowthLimits
    from longctx.gate.verdict import Rules

    stated = [profile.margin for profile, _ in profiles if profile.margin is not None]
    stated_of_run = [profile.run_margin for profile, _ in profiles if profile.run_margin is not None]
    names = list(known)
    grids: dict[tuple[str, str], list[Axes]] = {}
    for profile, models in profiles:
        for key, tables in profile.grids_by_model(names, models).items():
            grids.setdefault(key, []).extend(tables)
    return Rules(
        margin=min(stated, default=MARGIN) if gate.margin is None else gate.margin,
        alpha=gate.alpha,
        age=AgeLimit(now, gate.max_age),
        grids=grids,
        run_margin=min(stated_of_run, default=None) if gate.run_margin is None else gate.run_margin,
        limits=GrowthLimits(
            *(
                min((limit for profile, _ in profiles if (limit := getattr(profile, name)) is not None), default=None)
                for name in ("max_cost_growth", "max_latency_growth")
            )
        ),
    )


def profiles_of(workspace: Workspace, manifest: Manifest) -> list[tuple[Profile, list[str]]]:
    """Return the profiles of merged runs, with the models that replaced the profiles' own.

    Raises UserError if a profile has changed since.
    """
    found = []
    for options, digest, base in dict.fromkeys(
        (tuple(part["options"]), part["profile_digest"], part.get("base", "")) for part in manifest.parts
    ):
        if not digest:  # test functions alone need no profile
            continue
        values = [option.partition("=") for option in options]
        name = next((value for option, _, value in values if option == "--ctx-profile"), None)
        path: Path = profile_path(workspace, name)
        if digest_of(path) != digest:
            raise UserError(
                "profile-changed",
                f"{path} has changed since the runs measured it: merge them with the file as it was, or run them "
                "again.",
            )
        models = [value for option, _, value in values if option == "--ctx-model"]
        own = load_profile(workspace, name)
        found.append((terms_at(workspace, name, base, own) if base else own, models))
    return found
