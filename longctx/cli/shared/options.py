"""The options that commands share with pytest: declared, filled in from the project, and read as settings."""

from __future__ import annotations

import argparse
import os
from typing import Any

from longctx.config.project import project_settings
from longctx.engine.settings import GATE, OPTIONS, TERMS, Settings, fill_in
from longctx.engine.settings import settings_of as _settings_of


def declare(parser: argparse.ArgumentParser, *names: str, to: Any = None, **changed: Any) -> None:
    """Add options of pytest to a command. to: a group of its parser. changed: what differs, such as the help."""
    for name in names:
        OPTIONS[name].add((to or parser).add_argument, **changed)
    parser.set_defaults(shared=(*(parser.get_default("shared") or ()), *names))


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings that the declared options give."""
    return _settings_of(vars(options), names=options.shared)


def take(options: argparse.Namespace) -> None:
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
        from longctx.engine.terms import project_settings_at

        there = project_settings_at(options.workspace, base)
    fill_in(options, {each.name: each.of_table(there if each in terms else here) for each in left_out})
    if any(each.name == "base-url" for each in left_out) and options.base_url:
        _confirm(options)


def _confirm(options: argparse.Namespace) -> None:
    """Raise UserError unless keys may be sent to the server that the file names."""
    from longctx.config.models import load_model
    from longctx.live.server.address import confirm
    from longctx.live.server.providers import provider_of

    given = vars(options)
    models = [given[name] for name in ("model", "name", "old") if given.get(name)][:1] + given.get("new", [])
    for name in models:
        model = load_model(options.workspace, name.partition(",")[0])
        confirm(options.base_url, "[tool.longctx] of the project", provider=provider_of(model))
