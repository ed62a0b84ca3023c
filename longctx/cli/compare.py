"""`compare`: compare runs on the same trials; the first is the reference."""

from __future__ import annotations

import argparse
import dataclasses
import json
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli import emit
from longctx.errors import UserError
from longctx.results.manifest import Manifest, load_manifest
from longctx.results.run_folders import find_run
from longctx.results.store import RESULTS
from longctx.text import count, visible
from longctx.vocabulary.point import PROTOCOL
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY, TEXT

if TYPE_CHECKING:
    from longctx.report.document import Document
    from longctx.results.baseline_file import Baseline
    from longctx.results.row import Row
    from longctx.vocabulary.declaration import Protocol
    from longctx.workspace import Workspace

FLIPS = 20
"""The changed answers that are listed of each test, unless the user gives a number."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="compare runs side by side, trial by trial",
        description="Accuracy of each run, the difference to the first on the trials that both measured, and which "
        "answers changed. A baseline of several runs is compared by the mean of its answers to each trial. One RUN "
        "with --between compares the models, prompt sets, shapes, servers or labels within it.",
    )
    parser.add_argument(
        "folders",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="folders of runs, or names of baselines; the first is the reference",
    )
    parser.add_argument(
        "--between", metavar="WHAT", help="what changed: model, prompts, shape, server, or the name of a label"
    )
    parser.add_argument(
        "--reference", metavar="VALUE", help="with one RUN: the model, prompt set or label to compare with"
    )
    parser.add_argument(
        "--across",
        metavar="PARAMETER",
        help="with one RUN: the effect of a parameter, from its first value to each other: length, or its name",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=0.85,
        metavar="SHARE",
        help="the share of the accuracy at the shortest length that an effective length retains (0.85)",
    )
    parser.add_argument("--flips", type=int, metavar="N", help="changed answers to list per protocol (20 with -v)")
    emit.add(parser, "print every cell, and what is not compared")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.compare.runs import compare
    from longctx.registry import known_protocols
    from longctx.report.comparison import change_title, changes, comparison
    from longctx.summary.summary import pools

    emit.check(options)
    options.verbose |= options.flips is not None
    flips = FLIPS if options.flips is None else options.flips
    if flips < 0:
        raise UserError("bad-flips", f"--flips {flips} is negative: use the number of answers to show, or 0 for none.")
    if not 0 < options.share <= 1:
        raise UserError("bad-share", f"--share {options.share:g} is not a share: use a number above 0 and at most 1.")
    if options.across is not None:
        return _across(options)
    if len(options.folders) > 1:
        _check_runs(options)
    compared = [_load(options.workspace, path) for path in options.folders]
    if len(compared) == 1:
        about, parts = _within(compared[0], options.between, options.reference)
    else:
        named = list(zip(_headings(compared), compared, strict=True))
        about = [each.about if name == str(each.path) else f"{name}: {each.about}" for name, each in named]
        parts = [(name, each.rows) for name, each in named]
    (reference, first), *others = parts
    known = known_protocols(options.workspace)
    comparisons = [(name, compare(first, rows, options.between, known, pools)) for name, rows in others]
    document = comparison(reference, comparisons, about, flips)
    if len(options.folders) == 1:
        document = _with_lengths(document, [row for _, rows in parts for row in rows], known, options.share)
    shown = dataclasses.replace(
        document,
        change=change_title(_names(compared) if len(compared) > 1 else document.title, comparisons),
        lead="; ".join(_without_folder(note, compared) for note in about),
        notes=document.notes[len(about) :],
        picture=partial(changes, comparisons),
    )
    emit.show(options, document, as_page=lambda: _page(compared, options.between, shown, first, others, known))
    return 0


def _names(compared: Sequence[_Compared]) -> str:
    reference, *others = (each.name for each in compared)
    return f"{' and '.join(others)} against {reference}"


def _headings(compared: Sequence[_Compared]) -> list[str]:
    """Return the names of the sides in tables: the ends of their paths, or letters if they are long or not distinct."""
    from longctx.report.comparison import COLUMNS

    names = [visible(each.path.name.removesuffix(".jsonl")) for each in compared]
    most = 24 if len(names) == 2 else 12  # an accuracy with its interval has about 24 characters
    distinct = {*names} - {*COLUMNS}
    fit = len(distinct) == len(names) and all(0 < len(name) <= most for name in names)
    return names if fit else list(string.ascii_uppercase[: len(names)])


def _without_folder(note: str, compared: Sequence[_Compared]) -> str:
    """Return a note without the folders that runs are in on this machine, for a page that is passed on."""
    for each in compared:
        note = note.replace(str(each.path), each.name)
    return note


def _with_lengths(document: Document, rows: Sequence[Row], tests: Mapping[str, Protocol], share: float) -> Document:
    """Return the document with the effective length of each test and subject after its tables."""
    from longctx.compare.across import curves
    from longctx.report.effective_lengths import effective_lengths

    found = curves([row for row in rows if row.measured], tests, share=share)
    return dataclasses.replace(document, tables=(*document.tables, *effective_lengths(found, share)))


def _across(options: argparse.Namespace) -> int:
    """Show what a parameter costs within one run. Raises UserError."""
    from longctx.compare.across import curves
    from longctx.registry import known_protocols
    from longctx.report.effective_lengths import across_document

    if len(options.folders) > 1 or options.between or options.reference:
        raise UserError(
            "across-of-several-runs",
            "--across compares the values of a parameter within one RUN: leave out the others, --between and "
            "--reference.",
        )
    [path] = options.folders
    within = _load(options.workspace, path)
    rows = [row for row in within.rows if row.measured]
    found = curves(rows, known_protocols(options.workspace), options.across, options.share)
    if not found:
        names = sorted({name for row in rows for name in row.params})
        whose = f", of {', '.join(names)}" if names else ""
        raise UserError(
            "nothing-across",
            f"{path} has no test with two values of {options.across!r}: use --across length, or a parameter that has "
            f"several{whose}.",
        )
    emit.show(options, across_document(found, options.across, [f"Within {within.about}"], options.share))
    return 0


def _page(
    compared: Sequence[_Compared],
    between: str | None,
    document: Document,
    before: Sequence[Row],
    others: Parts,
    tests: Mapping[str, Protocol],
) -> str:
    """Return the page of a comparison: the trials of the later runs, each next to its earlier answer."""
    from longctx.report.page.earlier_answers import Earlier, earlier_rows
    from longctx.report.page.page import ChangedTrials, changes_page

    views = {key: view for each in compared for key, view in each.views().items()}
    rows, texts, earlier = [], [], {}
    for name, after in others:
        known = earlier_rows(before, after, between, tests)
        for row in after:
            named = replace(row, labels={**row.labels, "run": name}) if len(others) > 1 else row
            rows.append(named)
            texts.append(json.dumps(views.get((row.run, row.identity), {})))
            if row.identity in known:
                was = known[row.identity]
                earlier[named.identity] = Earlier(was, views.get((was.run, was.identity), {}))
    return changes_page(document, ChangedTrials(rows, texts, earlier), tests)


Parts = list[tuple[str, "list[Row]"]]
"""The comparison: short names with their rows."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Compared:
    """A run, or a baseline of runs."""

    path: Path
    """The name that the user gave."""
    about: str
    rows: list[Row]
    views: Callable[[], Mapping[tuple[str, tuple[object, ...]], Mapping[str, Any]]]
    """Loads the view of each row, by its run and its identity."""

    @property
    def name(self) -> str:
        """What a page calls it: a path that leads nowhere on another machine is left out."""
        return self.path.stem if self.path.is_absolute() or ".." in self.path.parts else str(self.path)


def _load(workspace: Workspace, path: Path) -> _Compared:
    """Load a run by its folder, or a baseline by its name or file. Raises UserError."""
    from longctx.results.store import load, load_rows

    if baseline := _baseline(workspace, path):
        runs = f"baseline of {count(baseline.runs, 'run')}"
        replies = {
            (row.run, row.identity): {"reply": baseline.replies[row.identity]}
            for row in baseline.rows
            if row.identity in baseline.replies
        }
        return _Compared(path, _about(path, baseline.manifest, [runs]), baseline.rows, lambda: replies)
    folder = find_run(path)
    try:
        manifest = load_manifest(folder)
        about = _about(path, manifest, [] if manifest.run == path.name else [f"run {manifest.run}"])
    except FileNotFoundError:
        about = str(path)
    return _Compared(
        path,
        about,
        load_rows(folder),
        lambda: {(row.run, row.identity): view for row, view in load(folder).seen()},
    )


def _baseline(workspace: Workspace, path: Path) -> Baseline | None:
    """Return the baseline of this name or in this file; None if there is none. Raises UserError."""
    from longctx.results.baseline_file import load_baseline
    from longctx.results.baseline_head import is_baseline

    own = next((file for file in workspace.baselines() if file.stem == str(path)), None)
    if own and not (path / RESULTS).is_file():
        return load_baseline(own)
    return load_baseline(path) if is_baseline(path) else None


def _check_runs(options: argparse.Namespace) -> None:
    """Raise UserError unless several runs can be compared."""
    if options.reference is not None:
        raise UserError(
            "reference-without-between",
            "--reference needs one RUN and --between: of several runs, the first is the reference.",
        )
    if len(options.folders) > len(string.ascii_uppercase):
        raise UserError(
            "too-many-runs",
            f"{len(options.folders)} runs are too many to compare side by side: use at most "
            f"{len(string.ascii_uppercase)}.",
        )


def _within(within: _Compared, between: str | None, reference: str | None) -> tuple[list[str], Parts]:
    """Return a sentence on one run, and its parts that differ in one thing, the reference first."""
    from longctx.compare.pairs import rows_by_treatment, what_differs

    path, rows = within.path, within.rows
    if between is None:
        between, *others = what_differs(rows) or [""]
        if others or not between:
            holds = f"It contains several of {', '.join([between, *others])}" if others else "It contains one of each"
            raise UserError(
                "one-run-to-compare",
                f"{path} is one run: add a second one, or name what differs within it with --between "
                f"model, prompts, shape, server or the name of a label. {holds}.",
            )
    parts = rows_by_treatment(rows, between)
    if set(parts) <= {""}:
        raise UserError(
            "unknown-label",
            f"{path} has no label {between!r}: use --between model, prompts, shape, server or one of its labels.",
        )
    if len(parts) < 2:
        raise UserError(
            "one-value-of-label",
            f"{path} has only one {between}, {next(iter(parts), '')!r}: add a second run to compare it with.",
        )
    if reference is None:
        usual = {"prompts": PROTOCOL, "shape": TEXT, STRATEGY: NO_STRATEGY}.get(between)
        reference = usual if usual is not None and usual in parts else next(iter(parts))
    if reference not in parts:
        raise UserError(
            "unknown-reference",
            f"{path} has no {between} {reference!r}: use --reference with one of {', '.join(map(repr, parts))}.",
        )
    names = [reference, *(name for name in parts if name != reference)]
    return [f"Within {within.about}, by {between}"], [(visible(name or "none"), parts[name]) for name in names]


def _about(path: Path, manifest: Manifest, what: Sequence[str]) -> str:
    """Describe a run or a baseline: as the user named it, with its profile, seed, labels and version."""
    labels = [f"{name}={value}" for name, value in manifest.labels.items()]
    seed = "several seeds" if manifest.seed is None else f"seed {manifest.seed}"
    parts = [*what, manifest.with_profile, seed, *labels, f"longctx {manifest.version}"]
    return f"{path} ({', '.join(parts)})"
