"""What `window` and `chunks` share: their options, and the test that they write."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared_options import declare, next_command, print_at_once, settings_of
from longctx.config.arguments import number
from longctx.errors import UserError

if TYPE_CHECKING:
    from longctx.engine.run import Run


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that drafts questions and writes a test."""
    option = parser.add_argument
    option("--model", required=True, metavar="NAME", help="the model that drafts, and that the profile measures")
    option(
        "--number", type=number(int, 2), metavar="N", help="questions to draft (default: as many as the answer takes)"
    )
    option("--name", metavar="NAME", help="the name of the test and of the profile (default: that of the command)")
    option("--yes", action="store_true", help="send without confirmation")
    declare(parser, "base-url", "concurrency")
    declare(parser, "max-cost", help="spending cap of the drafting, in USD")
    option("--force", action="store_true", help="overwrite the test, its data and the profile")


def run_of(options: argparse.Namespace) -> Run:
    from longctx.engine.run import Run

    profile = {"models": [options.model]}  # a project may have several and no default, which drafting does not need
    settings = replace(settings_of(options), profile=profile, record="once", canary=False)
    return Run.with_settings(settings, options.workspace.root, say=_print_nothing)


def _print_nothing(_: str) -> None:
    """Print nothing: the command sums up what was sent."""


def confirmed(sentence: str, options: argparse.Namespace) -> bool:
    """Return whether a person confirms; print the sentence in any case. Raises UserError without a terminal."""
    if options.yes:
        print_at_once(sentence)
        return True
    try:
        answer = input(f"{sentence} Send? [y/N] ")
    except EOFError:
        raise UserError("not-confirmed", "No request was sent, because nobody could confirm it: add --yes.") from None
    if answer.strip().lower() in ("y", "yes"):
        return True
    print_at_once("Nothing was sent.")
    return False


@dataclass(frozen=True, slots=True)
class NewTest:
    """A test that a command writes, with its data and its profile."""

    root: Path
    name: str
    data: Path

    @classmethod
    def of(cls, options: argparse.Namespace, name: str, data: str) -> NewTest:
        """Return the test of a command. Raises UserError if one of its files exists, unless --force replaces it."""
        root, name = options.workspace.root, options.name or name
        new = cls(root, name, root / "tests_longctx" / name / data)
        for path in (new.test, new.profile, new.data):
            if path.exists() and not options.force:
                raise UserError(
                    "file-exists",
                    f"{path} already exists and may have been edited: choose another --name, or overwrite it with "
                    "--force.",
                )
        return new

    @property
    def test(self) -> Path:
        return self.root / "tests_longctx" / f"test_{self.name}.py"

    @property
    def profile(self) -> Path:
        return self.root / "fixtures" / "profiles" / f"{self.name}.toml"

    def write(self, lines: Sequence[Mapping[str, Any]], test: str, profile: str, beside: Mapping[str, str]) -> None:
        """Write its files, with their folders. beside: the contents of others beside the data, by their names."""
        from longctx.config.keeping import keep_default_profile
        from longctx.files import write_file
        from longctx.workspace import Workspace

        keep_default_profile(Workspace(self.root))  # before it has one more
        data = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        others = {self.data.parent / name: text for name, text in beside.items()}
        for path, text in {**others, self.data: data, self.test: test, self.profile: profile}.items():
            content = text.encode("utf-8", "surrogatepass")
            write_file(path, lambda part, content=content: part.write_bytes(content))  # type: ignore[misc]

    def recorded(self, base_url: str | None, usd: float | None) -> str:
        """Return the line on the command that records it. base_url: the server that the person named. usd: its price,
        and that of all thinking, without the prompt cache; None if prices are not known.
        """
        return next_command(["pytest", "--ctx-profile", self.name, "--ctx-record", "once"], base_url, usd or 0.0)

    def print_next_steps(self, kept: str, sizes: str, costs: str, command: str) -> None:
        """Say what was written, and how it is run. kept: a sentence. sizes: how many trials it has."""
        here = Path.cwd() == self.root
        data, test = (path.relative_to(self.root).as_posix() if here else str(path) for path in (self.data, self.test))
        print_at_once(f"{kept} Review: {data}")
        print_at_once(f"Wrote {test} and the profile {self.name}.")
        print_at_once(f"{command}    ({sizes}, {costs})")
