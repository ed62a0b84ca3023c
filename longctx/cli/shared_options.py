"""The options that commands share with pytest: declared, filled in from the project, and read as settings."""

from __future__ import annotations

import argparse
import math
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.config.project import project_settings
from longctx.engine.settings import GATE, OPTIONS, TERMS, Settings, fill_in
from longctx.engine.settings import settings_of as _settings_of
from longctx.gate.rules import DEFAULT_CAP

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.engine.run import Run


def declare(parser: argparse.ArgumentParser, *names: str, to: Any = None, **changed: Any) -> None:
    """Add options of pytest to a command. to: a group of its parser. changed: what differs, such as the help."""
    for name in names:
        OPTIONS[name].add((to or parser).add_argument, **changed)
    parser.set_defaults(shared=(*(parser.get_default("shared") or ()), *names))


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings that the declared options give."""
    return _settings_of(vars(options), names=options.shared)


def fill_from_project(options: argparse.Namespace) -> None:
    """Give declared options that were left out what [tool.longctx] of pyproject.toml states. Raises UserError.

    If LONGCTX_BASE names a branch or commit, the terms of a verdict are those of its file: a change cannot loosen them.
    """
    given = vars(options).get("given", ())
    shared = [OPTIONS[name] for name in getattr(options, "shared", ())]
    left_out = [each for each in shared if each.entry and each.key not in given]
    if not left_out:
        return
    here = there = project_settings(options.workspace.root)
    terms = [each for each in left_out if each.name in GATE]
    if getattr(options, "baseline", "") is None:
        left_out = [each for each in left_out if each not in terms]
    elif (base := os.environ.get("LONGCTX_BASE")) and any(getattr(here, name) is not None for name in TERMS):
        from longctx.engine.base_terms import project_settings_at

        there = project_settings_at(options.workspace, base)
    fill_in(options, {each.name: each.of_table(there if each in terms else here) for each in left_out})
    if any(each.name == "base-url" for each in left_out) and options.base_url:
        _confirm(options)


def _confirm(options: argparse.Namespace) -> None:
    """Raise UserError unless keys may be sent to the server that the file names."""
    from longctx.config.models import load_model
    from longctx.live.server.addresses import check_key_may_be_sent
    from longctx.live.server.client import provider_of

    given = vars(options)
    models = [given[name] for name in ("model", "name", "old") if given.get(name)][:1] + given.get("new", [])
    for name in models:
        model = load_model(options.workspace, name.partition(",")[0])
        check_key_may_be_sent(options.base_url, "[tool.longctx] of the project", provider=provider_of(model))


def add_task(tasks: Any, name: str, text: str, more: str = ".") -> argparse.ArgumentParser:
    """Add a command with the same text in the list of commands and in its own help. more: the end of the latter."""
    parser: argparse.ArgumentParser = tasks.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}{more}"
    )
    return parser


def add_question_file(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command about a file of questions."""
    parser.add_argument("questions", type=Path, metavar="FILE", help="JSON lines, one question each")
    OPTIONS["corpus"].add(parser.add_argument)


def add_bank_name(parser: argparse.ArgumentParser) -> None:
    from longctx.vocabulary.bank import SHIPPED

    parser.add_argument(
        "--bank", default=SHIPPED, metavar="NAME", help=f"documents and questions by their name (default: {SHIPPED})"
    )


def print_at_once(sentence: str) -> None:
    """Print a sentence at once, also if a program reads the output."""
    print(sentence, flush=True)


def print_estimate(run: Run, cells: Sequence[Cell] | None = None) -> None:
    """Print how many requests a run would send, and their price. cells: by default all cells of its plan."""
    from longctx.report.estimate_lines import estimate_lines

    for line in estimate_lines(run.estimated(cells), run.settings.batch):
        print_at_once(line)


def print_noticed(folder: Path) -> None:
    """Print which files of a folder of documents are not read, or copies, if there are any. Raises UserError."""
    from longctx.corpus.documents import noticed

    if sentence := noticed(folder):
        print(sentence, file=sys.stderr)


ROOM = 1.25
"""How many times its estimated price a printed command may spend."""


def next_command(words: Sequence[str], base_url: str | None = None, usd: float = 0.0) -> str:
    """Return the line that suggests the next command, ready to be pasted.

    words: the command. base_url: the server that the user named; it is added as --ctx-base-url. usd: the estimated
    cost of the run; if the default cap is too low for it, --ctx-max-cost is added.
    """
    served = [f"--ctx-base-url={base_url}"] if base_url else []
    capped = [f"--ctx-max-cost={math.ceil(ROOM * usd)}"] if ROOM * usd > DEFAULT_CAP else []
    return f"Next: {shlex.join([*words, *served, *capped])}"
