"""`serving`: did a server lose anything at long contexts that another one has? One model, two servers, by length."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared_options import declare, print_at_once, settings_of
from longctx.errors import UserError
from longctx.extras import writes_page
from longctx.files import check_free_folder, write_file
from longctx.registry import known_protocols

if TYPE_CHECKING:
    from longctx.engine.settings import Settings
    from longctx.gate.served import Served
    from longctx.workspace import Workspace

PROFILE = "serving"
"""The profile if none is given."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "serving",
        help="compare two servers of one model, by length",
        description="Sends the same requests to two servers of one model, and judges what was lost at which length. "
        "OLD and NEW are each a URL, the name of a recorded server, or a baseline; NAME=URL names a live server, whose "
        "answers are recorded under that name. A URL alone is always asked anew. Exit status: 0 pass, 10 regression, "
        "11 inconclusive, 12 invalid.",
    )
    option = parser.add_argument
    option("old", metavar="OLD", help="the server that is known to be good")
    option("new", metavar="NEW", help="the other one")
    option("--model", required=True, metavar="NAME", help="the model that both serve")
    declare(parser, "profile", help=f"profile: a file in fixtures/profiles/ or a path (default: {PROFILE})")
    declare(parser, "max-cost", "concurrency", "no-lock")
    option(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of index.html, serving.md and serving.json (default: reports/serving-…)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.engine.run_data import free_folder
    from longctx.engine.serving import Serving
    from longctx.engine.serving_sides import sides_of
    from longctx.extras import require
    from longctx.report.serving import exit_of, serving_lines

    workspace: Workspace = options.workspace
    if options.out:
        check_free_folder("--out", options.out)
    settings = _settings(options)
    default = free_folder(settings, workspace)
    out = (options.out or default.with_name(f"serving-{default.name}")).absolute()
    from longctx.engine.run_plan import Plan

    model = Plan(settings, workspace).model(options.model).model
    sides = sides_of(options.old, options.new, workspace, model)
    if any(side.url for side in sides):
        require("Asking a server", "anthropic")
    served = Serving(sides, settings, workspace.root, out, print_at_once).measure()
    report = _write(out, served, workspace)
    *lines, verdict = serving_lines(served)
    print("\n".join(["", *lines, f"Report: {report}", verdict]))
    return exit_of(served)


def _settings(options: argparse.Namespace) -> Settings:
    settings = settings_of(options)
    if any(name in vars(options).get("given", ()) for name in ("old", "new")) and not options.model.strip():
        raise UserError("no-model", "--model is empty: name the model that both servers serve.")
    return replace(settings, models=(options.model,), profile=settings.profile or PROFILE, looks=False, page=False)


def _write(out: Path, served: Served, workspace: Workspace) -> Path:
    """Write the comparison as text, as data and as a page, and return what to read. Raises UserError.

    Without what a page needs, that is the text.
    """
    from longctx.report.markdown_document import as_markdown
    from longctx.report.serving import serving_data
    from longctx.report.serving_page import serving_document, serving_page

    document = serving_document(served)
    texts = {
        "serving.md": as_markdown(document),
        "serving.json": json.dumps(serving_data(served), ensure_ascii=False, indent=1) + "\n",
    }
    if writes_page(True):
        texts["index.html"] = serving_page(served, document, known_protocols(workspace))
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_file(out / name, lambda part, text=text: part.write_text(text, "utf-8", "backslashreplace"))  # type: ignore[misc]
    return out / ("index.html" if "index.html" in texts else "serving.md")
