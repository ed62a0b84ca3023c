"""`compare`: compare runs on the same trials; the first is the reference."""

from __future__ import annotations

import argparse
import dataclasses
import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared import emit
from longctx.errors import UserError
from longctx.results.folder import find_run
from longctx.results.manifest import load_manifest
from longctx.visible import visible
from longctx.vocabulary.prompt_sets import PROTOCOL
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY, TEXT

if TYPE_CHECKING:
    from longctx.report.document import Document
    from longctx.results.row import Row
    from longctx.vocabulary.family import Family


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="runs side by side, trial by trial",
        description="Rates of each run, the difference to the first on the trials that both measured, and which "
        "answers changed. One RUN with --between compares the models, prompt sets, shapes or labels within it.",
    )
    parser.add_argument(
        "folders", type=Path, nargs="+", metavar="RUN", help="folders of runs; the first is the reference"
    )
    parser.add_argument("--between", metavar="WHAT", help="what changed: model, prompts, shape, or the name of a label")
    parser.add_argument(
        "--reference", metavar="VALUE", help="with one RUN: the model, prompt set or label to compare with"
    )
    parser.add_argument(
        "--across",
        metavar="PARAMETER",
        help="with one RUN: what a parameter costs, from its first value to each other: length, or its name",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=0.85,
        metavar="SHARE",
        help="the share of the rate at the shortest length that an effective length retains (0.85)",
    )
    parser.add_argument("--flips", type=int, default=20, metavar="N", help="changed answers listed of each family (20)")
    emit.add(parser)
    parser.set_defaults(run=run, passes_on=False)


def run(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.compare.runs import compare
    from longctx.registry import families
    from longctx.report.comparison import comparison

    emit.check(options)
    if options.flips < 0:
        raise UserError(
            "bad-flips", f"--flips {options.flips} is negative: give the number of answers to show, or 0 for none."
        )
    if not 0 < options.share <= 1:
        raise UserError("bad-share", f"--share {options.share:g} is not a share: give a number above 0 and at most 1.")
    if options.across is not None:
        return _across(options)
    if len(options.folders) == 1:
        about, parts = _within(options.folders[0], options.between, options.reference)
    else:
        about, parts = _runs(options.folders, options.reference)
    (reference, first), *others = parts
    known = families(options.workspace)
    comparisons = [(name, compare(first, rows, options.between, known)) for name, rows in others]
    document = comparison(reference, comparisons, about, options.flips)
    if len(options.folders) == 1:
        document = _with_lengths(document, [row for _, rows in parts for row in rows], known, options.share)
    emit.show(options, document, as_page=lambda: _page(options, document, first, others, known))
    return 0


def _with_lengths(document: Document, rows: Sequence[Row], families: Mapping[str, Family], share: float) -> Document:
    """Return the document with the effective length of each family and subject after its tables."""
    from longctx.compare.across import curves
    from longctx.report.across import effective_lengths

    found = curves([row for row in rows if row.measured], families, share=share)
    return dataclasses.replace(document, tables=(*document.tables, *effective_lengths(found, share)))


def _across(options: argparse.Namespace) -> int:
    """Show what a parameter costs within one run. Raises UserError."""
    from longctx.compare.across import curves
    from longctx.registry import families
    from longctx.report.across import across_document
    from longctx.results.store import load_rows

    if len(options.folders) > 1 or options.between or options.reference:
        raise UserError(
            "across-of-several-runs",
            "--across compares the values of a parameter within one RUN: leave out the others, --between and "
            "--reference.",
        )
    [path] = options.folders
    folder = find_run(path)
    rows = [row for row in load_rows(folder) if row.measured]
    found = curves(rows, families(options.workspace), options.across, options.share)
    if not found:
        names = sorted({name for row in rows for name in row.params})
        of_these = f", of {', '.join(names)}" if names else ""
        raise UserError(
            "nothing-across",
            f"{path} has no family with two values of {options.across!r}: give --across length, or a parameter "
            f"that has several{of_these}.",
        )
    emit.show(options, across_document(found, options.across, [f"Within {_about(path, folder)}"], options.share))
    return 0


def _page(
    options: argparse.Namespace,
    document: Document,
    before: Sequence[Row],
    others: Parts,
    families: Mapping[str, Family],
) -> str:
    """Return the page of a comparison: the trials of the later runs, each beside its earlier answer."""
    from longctx.report.page.earlier import Earlier, earlier_rows
    from longctx.report.page.page import changes_page
    from longctx.results.store import load

    views = {(row.run, row.identity): view for run in options.folders for row, view in load(find_run(run)).seen()}
    rows, texts, earlier = [], [], {}
    for name, of_run in others:
        known = earlier_rows(before, of_run, options.between, families)
        for row in of_run:
            named = replace(row, labels={**row.labels, "run": name}) if len(others) > 1 else row
            rows.append(named)
            texts.append(json.dumps(views.get((row.run, row.identity), {})))
            if row.identity in known:
                was = known[row.identity]
                earlier[named.identity] = Earlier(was, views.get((was.run, was.identity), {}))
    titles = {name: family.title for name, family in families.items()}
    return changes_page(document, rows, texts, earlier, lambda name: titles.get(name, name))


Parts = list[tuple[str, "list[Row]"]]
"""What is compared: short names with their rows."""


def _runs(paths: Sequence[Path], reference: str | None) -> tuple[list[str], Parts]:
    """Return a sentence on what each letter stands for, and the rows of each run by its letter."""
    from longctx.results.store import load_rows

    if reference is not None:
        raise UserError(
            "reference-without-between",
            "--reference needs one RUN and --between: of several runs, the first is the reference.",
        )
    if len(paths) > len(string.ascii_uppercase):
        raise UserError(
            "too-many-runs",
            f"{len(paths)} runs are too many to compare side by side: give at most {len(string.ascii_uppercase)}.",
        )
    folders = [find_run(path) for path in paths]
    named = zip(string.ascii_uppercase, paths, folders, strict=False)
    about = [f"{letter}: {_about(path, folder)}" for letter, path, folder in named]
    return about, [(letter, load_rows(folder)) for letter, folder in zip(string.ascii_uppercase, folders, strict=False)]


def _within(path: Path, between: str | None, reference: str | None) -> tuple[list[str], Parts]:
    """Return a sentence on one run, and its parts that differ in one thing, the reference first."""
    from longctx.compare.match import parts_of, what_differs
    from longctx.results.store import load_rows

    folder = find_run(path)
    rows = load_rows(folder)
    if between is None:
        between, *others = what_differs(rows) or [""]
        if others or not between:
            holds = f"It holds several of {', '.join([between, *others])}" if others else "It holds one of each"
            raise UserError(
                "one-run-to-compare",
                f"{path} is one run: give another to compare it with, or say what differs within it, with --between "
                f"model, prompts, shape or the name of a label. {holds}.",
            )
    parts = parts_of(rows, between)
    if set(parts) <= {""}:
        raise UserError(
            "unknown-label",
            f"{path} has no label {between!r}: give --between model, prompts, shape or the name of one of its labels.",
        )
    if len(parts) < 2:
        raise UserError(
            "one-value-of-label",
            f"{path} has only one {between}, {next(iter(parts), '')!r}: give another run to compare it with.",
        )
    if reference is None:
        usual = {"prompts": PROTOCOL, "shape": TEXT, STRATEGY: NO_STRATEGY}.get(between)
        reference = usual if usual is not None and usual in parts else next(iter(parts))
    if reference not in parts:
        raise UserError(
            "unknown-reference",
            f"{path} has no {between} {reference!r}: give --reference one of {', '.join(map(repr, parts))}.",
        )
    names = [reference, *(name for name in parts if name != reference)]
    return [f"Within {_about(path, folder)}, by {between}"], [(visible(name or "none"), parts[name]) for name in names]


def _about(path: Path, folder: Path) -> str:
    """Describe a run: as the user named it, with its profile, seed, labels and version."""
    try:
        manifest = load_manifest(folder)
    except FileNotFoundError:
        return str(path)
    name = [] if manifest.run == path.name else [f"run {manifest.run}"]
    labels = [f"{name}={value}" for name, value in manifest.labels.items()]
    seed = "several seeds" if manifest.seed is None else f"seed {manifest.seed}"
    parts = [*name, f"profile {manifest.profile}", seed, *labels, f"longctx {manifest.version}"]
    return f"{path} ({', '.join(parts)})"
