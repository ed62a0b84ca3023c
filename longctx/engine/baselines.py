"""Saves a finished run as a baseline, and reports on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from longctx.errors import UserError
from longctx.files import check_new, write_file
from longctx.gate.rules import MARGIN
from longctx.results.run_folders import find_run
from longctx.text import count, visible
from longctx.vocabulary.looks import DEFAULT_LOOKS
from longctx.vocabulary.point import is_check

if TYPE_CHECKING:
    from longctx.config.profiles import Profile
    from longctx.results.manifest import Manifest
    from longctx.results.row import Row
    from longctx.workspace import Workspace

NOISE = 0.1, 0.2
"""The shares of pairs that change by chance, for a single run: a cautious guess, and that of noisy models."""
LIVES = 0.02, 0.05, 0.1, 0.2
"""The shares of changing pairs for which many pull requests are simulated against one baseline."""
FEW = 4
"""The most tests or models that are named; of more, their number is given."""


def baseline_file(workspace: Workspace, name: str) -> Path:
    """Return the file of a baseline of the project. Raises UserError for an invalid name."""
    if not re.fullmatch(r"[\w.+-]+", name) or name.startswith("."):
        raise UserError(
            "bad-baseline-name",
            f"{name!r} is not a valid name for a baseline: use letters, digits, and . _ + -.",
        )
    return workspace.own("baselines", f"{name}.jsonl")


def save(
    workspace: Workspace,
    name: str,
    folder: Path | None = None,
    *,
    force: bool = False,
    add: bool = False,
    with_replies: bool = False,
) -> Iterator[str]:
    """Save a finished run as a baseline, and yield sentences on it. Raises UserError.

    folder: the run's; by default reports/latest. force: whether to replace a baseline of that name, and to save a run
    that is incomplete. add: whether to add the run to the baseline. with_replies: whether to keep the replies' text.
    """
    from longctx.gate.nothing_to_lose import vacuous_bands
    from longctx.registry import known_protocols
    from longctx.results.baseline_file import add_to_baseline, load_baseline, write_baseline
    from longctx.results.completeness import incomplete_sentences
    from longctx.results.further_run import check_not_stopped, new_rows
    from longctx.results.manifest import require_manifest
    from longctx.results.store import load_rows

    file = baseline_file(workspace, name)
    shown = file.relative_to(workspace.root)
    folder = find_run(folder or workspace.reports / "latest")
    if not add:
        check_new(file, force)
    elif not file.is_file():
        raise UserError("no-baseline-to-add-to", f"There is no baseline {file} yet: save its first run without --add.")
    manifest, rows = require_manifest(folder), load_rows(folder)
    check_not_stopped(manifest, rows)
    added = new_rows(file, manifest, rows) if add else []
    if missing := "; ".join(incomplete_sentences(manifest, rows)):
        why = f"The run {folder.name} is incomplete: {missing}. A gate against it judges only the rest."
        if not force:
            raise UserError(
                "run-incomplete",
                f"{why} Run all of it, without -k, -x, --lf and --ctx-only, until every trial is "
                "measured (recorded requests are not sent again); or save this run as it is, with --force.",
            )
        yield why
    if add:
        write_file(file, lambda part: add_to_baseline(part, file, folder, added, with_replies))
        runs = load_baseline(file).runs
        yield (f"{shown}: the run {folder.name} is added, {measured(added)}, {count(runs, 'run')} now. Commit it.")
        yield from _noise(workspace, load_baseline(file).rows, manifest)
        return
    write_file(file, lambda part: write_baseline(part, name, folder, with_replies))
    for why in vacuous_bands(rows, known_protocols(workspace), _margin(_profile(workspace, manifest))):
        yield (f"No run can pass against it: {why}.")
    yield (f"{shown}: the run {folder.name}, {measured(rows)}, {file.stat().st_size:,} bytes. Commit it.")
    yield from _noise(workspace, load_baseline(file).rows, manifest)


def _noise(workspace: Workspace, rows: Sequence[Row], manifest: Manifest) -> Iterator[str]:
    """Yield how often an unchanged model passes against a baseline, and against one of more runs."""
    from longctx.gate.power import (
        OFTEN,
        PULL_REQUESTS,
        Sized,
        Target,
        failing_once,
        in_bands,
        repeated,
        unlucky,
        whole_passing,
    )

    runs = max((row.repeat + 1 for row in rows), default=1)
    profile = _profile(workspace, manifest)
    looks, run_margin = (profile.looks, profile.run_margin) if profile else (DEFAULT_LOOKS, None)
    target = Target(_margin(profile), looks=looks, run_margin=run_margin)
    if not (bands := repeated(rows)):
        return

    def changing(share: float | None) -> list[Sized]:
        return [
            (trials, clusters, own if share is None else replace(own, discordance=share))
            for trials, clusters, own in bands
        ]

    for share in [None] if runs > 1 else NOISE:
        assumed = changing(share)
        numbers = range(runs, max(runs, 3) + 1)
        passes = "; ".join(
            f"{whole_passing(assumed, target, number):.0%} against {count(number, 'run')}" for number in numbers
        )
        lucks = ", ".join(
            f"{unlucky(assumed, target, number):.0%} of those of {count(number, 'run')}" for number in numbers
        )
        noise = f"if {share:.0%} of pairs change by chance" if share else "with the noise of these runs"
        yield (
            f"Probability that an unchanged model passes {in_bands(bands)} at a margin of {target.margin * 100:g}%, "
            f"{noise}: {passes}. That is the mean over all such baselines; it is below {OFTEN:.0%} for {lucks}."
        )
    shares = (None,) if runs > 1 else LIVES
    lives = (
        f"{' / '.join(f'{failing_once(changing(share), target, number):.0%}' for share in shares)} of those of "
        f"{count(number, 'run')}"
        for number in sorted({runs, max(runs, 3)})
    )
    noise = (
        "the noise of these runs" if runs > 1 else f"{' / '.join(f'{share:.0%}' for share in LIVES)} of pairs changing"
    )
    yield (
        f"Share of baselines against which at least one of {PULL_REQUESTS} unchanged pull requests does not pass, with "
        f"{noise}: {', '.join(lives)}."
    )


def measured(rows: Sequence[Row]) -> str:
    """Return what rows measure, such as `300 trials of line_retrieval on my-model`."""
    trials = [row for row in rows if row.measured and not is_check(row.test)]
    if not trials:
        return "no trial"
    names = dict.fromkeys(row.test for row in trials)
    models = dict.fromkeys(row.model for row in trials)
    named, on = (visible(", ".join(each)) if len(each) <= FEW else "" for each in (names, models))
    tests, on_models = named or count(len(names), "test"), on or count(len(models), "model")
    return f"{count(len(trials), 'trial')} of {tests} on {on_models}"


def _profile(workspace: Workspace, manifest: Manifest) -> Profile | None:
    """Return the profile of a run; None if it has none, or is no longer here."""
    from longctx.config.profiles import load_profile

    try:
        return load_profile(workspace, manifest.profile)
    except UserError:
        return None


def _margin(profile: Profile | None) -> float:
    return MARGIN if profile is None or profile.margin is None else profile.margin
