"""The verdict on a merged run: its options, which are pytest's without their prefix, and its terms."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from longctx.cli.shared.options import declare
from longctx.engine.options import GATE
from longctx.errors import UserError

if TYPE_CHECKING:
    from longctx.config.profiles import Profile
    from longctx.gate.verdict import Rules
    from longctx.results.manifest import Manifest
    from longctx.workspace import Workspace


def add(parser: argparse.ArgumentParser) -> None:
    declare(parser, "baseline", help="give a verdict on the merged run against an earlier one, as pytest does")
    declare(parser, *GATE, "no-looks")


def rules(options: argparse.Namespace, manifest: Manifest) -> Rules:
    """Return the terms of the verdict, from the options and the manifest. Raises UserError."""
    from longctx.engine.settings import GateTerms
    from longctx.engine.terms import merged_rules
    from longctx.registry import families

    gate = GateTerms(margin=options.margin, alpha=options.alpha, max_age=options.max_age, looks=not options.no_looks)
    profiles = list(_profiles(options.workspace, manifest))
    return merged_rules(gate, profiles, families(options.workspace), manifest)


def _profiles(workspace: Workspace, manifest: Manifest) -> Iterator[tuple[Profile, list[str]]]:
    """Yield the profiles of the runs, with the models that replaced the profiles' own.

    Raises UserError if a profile has changed since.
    """
    from longctx.config.profiles import load_profile, profile_path
    from longctx.config.text_files import digest_of
    from longctx.engine.base_terms import terms_at

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
        yield terms_at(workspace, name, base, own) if base else own, models
