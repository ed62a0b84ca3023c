"""What [tool.longctx] of pyproject.toml states: commands take it if their own line says nothing, as pytest does."""

from __future__ import annotations

import argparse
import os

from longctx.config.project import TERMS, fill_in, project_settings


def take(options: argparse.Namespace) -> None:
    """Give options that were left out the entries that the command lists in `of_project`. Raises UserError.

    If LONGCTX_BASE names a branch or commit, the terms of a verdict are those of its file: a change cannot loosen them.
    """
    names = getattr(options, "of_project", ())
    if not names:
        return
    given = vars(options).get("given", ())
    here = project_settings(options.workspace.root)
    fill_in(options, here, [name for name in names if name not in TERMS], given.__contains__)
    terms = [name for name in names if name in TERMS]
    if getattr(options, "baseline", "") is not None and any(getattr(here, name) is not None for name in terms):
        if base := os.environ.get("LONGCTX_BASE"):
            from longctx.engine.base_terms import project_settings_at

            here = project_settings_at(options.workspace, base)
        fill_in(options, here, terms, given.__contains__)
    if "base_url" in names and "base_url" not in given and options.base_url:
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
