"""`history`: show the kept runs of a project in the order of their dates, and where the level of a rate shifted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from longctx.cli.shared import emit
from longctx.config.arguments import share
from longctx.errors import UserError
from longctx.gate.defaults import ALPHA, MARGIN
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.results.baseline import Baseline


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "history",
        help="rates of each band over the saved runs, and where a level shifted",
        description="Families and bands over dates, models, prompts and versions, with intervals, the gate's verdict "
        "on each run against the one before, and where a level shifted.",
    )
    option = parser.add_argument
    option(
        "sources",
        nargs="*",
        metavar="RUN|BASELINE",
        help="names of baselines, their files, or folders of runs (default: all baselines of the project)",
    )
    option(
        "--alpha",
        type=share(),
        default=ALPHA,
        metavar="P",
        help=f"the chance that any shift is a false alarm, and that of each verdict ({ALPHA})",
    )
    option(
        "--margin",
        type=share(),
        default=MARGIN,
        metavar="SHARE",
        help=f"a drop that does not matter to a verdict ({MARGIN})",
    )
    emit.add(parser)
    parser.set_defaults(run=run, passes_on=False)


def run(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.gate.verdict import Rules
    from longctx.history.document import charts, document
    from longctx.history.levels import level_shifts
    from longctx.history.tracks import tracks
    from longctx.registry import families

    emit.check(options)
    known = families(options.workspace)
    tracked = tracks(_kept(options.workspace, options.sources), Rules(options.margin, options.alpha), known)
    levels = level_shifts(tracked, options.alpha)
    history = document(tracked, levels, options.margin, options.alpha)
    emit.show(options, history, list(charts(tracked, levels, known)))
    return 0


def _kept(workspace: Workspace, sources: Sequence[str]) -> list[Baseline]:
    """Load runs and baselines in the order of their ends; baselines have the names of their files. Raises UserError."""
    from longctx.results.baseline import load_baseline

    paths = [workspace.find_baseline(source) for source in sources] or workspace.baselines()
    if not paths:
        raise UserError(
            "no-baselines",
            "There is no baseline yet: save one with longctx baseline save NAME, or give the folders of runs.",
        )
    loaded = {path.resolve(): load_baseline(path) for path in paths}
    runs = [replace(run, name=path.stem) if path.is_file() else run for path, run in loaded.items()]
    return sorted(runs, key=lambda run: (run.manifest.finished_at, run.name))
