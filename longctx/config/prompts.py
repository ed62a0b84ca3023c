"""Prompt sets: the wording of all families, a folder of templates under fixtures/prompts/ or a user's own."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from longctx.config.folders import FIXTURES, read_text
from longctx.errors import UserError
from longctx.scenarios.base import Scenario, Words

PROMPTS = FIXTURES / "prompts"


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of one family in one prompt set. The digest changes with any template of the family."""

    prompt_set: str
    digest: str
    words: Words


@dataclass(frozen=True, slots=True)
class PromptSet:
    """A folder: <family>/<template>.txt."""

    name: str
    folder: Path

    @classmethod
    def open(cls, name: str) -> PromptSet:
        """The prompt set of that name in fixtures/prompts/, or in the folder of that path. Raises UserError."""
        for folder in (PROMPTS / name, Path(name)):
            if folder.is_dir():
                return cls(folder.resolve().name, folder)
        names = ", ".join(sorted(path.name for path in PROMPTS.iterdir() if path.is_dir()))
        raise UserError(f"No prompt set {name!r}: there are {names}. Or give the path of a folder of templates.")

    def wording(self, family: type[Scenario]) -> Wording:
        """The checked templates of a family. Raises UserError naming the missing file or placeholder."""
        words = {name: self._template(family, name, holds) for name, holds in family.templates.items()}
        content = "\0".join(f"{name}\0{text}" for name, text in sorted(words.items()))
        return Wording(self.name, hashlib.sha256(content.encode()).hexdigest()[:12], words)

    def _template(self, family: type[Scenario], name: str, holds: tuple[str, ...]) -> str:
        path = self.folder / family.family / f"{name}.txt"
        try:
            text = read_text(path).removesuffix("\n")
        except FileNotFoundError:
            raise UserError(
                f"The prompt set {self.name!r} lacks {path}: copy it from {PROMPTS / 'seed' / family.family}."
            ) from None
        found = set(re.findall(r"\{(\w+)\}", text))
        if missing := sorted(set(holds) - found):
            raise UserError(f"{path} must hold {{{missing[0]}}}, which the suite fills in for each trial.")
        if unknown := sorted(found - set(holds)):
            raise UserError(
                f"{path} holds {{{unknown[0]}}}, which the suite does not fill in: "
                f"it fills in {', '.join(f'{{{name}}}' for name in holds) or 'nothing'} there."
            )
        return text
