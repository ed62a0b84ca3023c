"""Prompt sets: the wording of all families, a folder of templates under fixtures/prompts/ or a user's own."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from longctx.config.folders import read_text
from longctx.errors import UserError
from longctx.vocabulary.prompt_sets import EARLIER, PROTOCOL, present_name
from longctx.vocabulary.scenario import Scenario, Words
from longctx.workspace import Workspace

CALLED = {
    "the minutes of a government meeting": "the {document}",
    "section/minutes/government meeting": "section of the {document}",
    "notes produced by any other department/agency": "any other {document}",
    "government record": "{document}",
    "Government Record": "{Document}",
}
"""What the protocols call the documents -> how a corpus that has a word of its own is spoken of instead."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of one family in one prompt set. The digest changes with any template of the family.

    document: what the documents are called in it, where that is another word than the protocols'.
    """

    prompt_set: str
    digest: str
    words: Words
    document: str | None = None


@dataclass(frozen=True, slots=True)
class PromptSet:
    """A folder: <family>/<template>.txt.

    further: where families stand that the folder lacks. protocol: where a missing template may be copied from.
    """

    name: str
    folder: Path
    further: tuple[Path, ...] = ()
    protocol: tuple[Path, ...] = ()

    @classmethod
    def open(cls, workspace: Workspace, name: str) -> PromptSet:
        """The prompt set of that name in fixtures/prompts/, the project's own families in place of those of longctx; or
        the one in the folder of that path. Raises UserError."""
        protocol = _folders(workspace, PROTOCOL)
        for folders in (_folders(workspace, present_name(name)), [Path(name)]):
            if there := [folder for folder in folders if folder.is_dir()]:
                return cls(present_name(there[0].resolve().name), there[0], tuple(there[1:]), tuple(protocol))
        names = ", ".join(path.name for path in workspace.list("prompts", "*") if path.is_dir())
        raise UserError(
            "unknown-prompt-set",
            f"There is no prompt set {name!r}: choose one of {names}, or give the path of a folder of templates.",
        )

    def holds(self, family: type[Scenario]) -> bool:
        """Whether the set has templates of a family: it may be of some families only."""
        return any((folder / family.family).is_dir() for folder in (self.folder, *self.further))

    def wording(self, family: type[Scenario], document: str | None = None) -> Wording:
        """The checked templates of a family. Raises UserError naming the missing file or placeholder.

        document: what to call the documents; None: as the templates do.
        """
        words = {name: self._template(family, name, holds) for name, holds in family.templates.items()}
        called = {name: _called(document, text) for name, text in words.items()} if document else words
        document, words = (None if called == words else document), called
        content = "\0".join(f"{name}\0{text}" for name, text in sorted(words.items()))
        return Wording(self.name, hashlib.sha256(content.encode()).hexdigest()[:12], words, document)

    def _template(self, family: type[Scenario], name: str, holds: tuple[str, ...]) -> str:
        folders = (folder / family.family for folder in (self.folder, *self.further))
        path = next((folder for folder in folders if folder.is_dir()), self.folder / family.family) / f"{name}.txt"
        try:
            text = read_text(path).removesuffix("\n")
        except FileNotFoundError:
            raise UserError(
                "prompt-file-missing", f"The prompt set {self.name!r} lacks {path}: {self._instead(path, holds)}."
            ) from None
        placeholders = set(re.findall(r"\{(\w+)\}", text))
        if missing := sorted(set(holds) - placeholders):
            raise UserError(
                "placeholder-missing", f"{path} must contain {{{missing[0]}}}, which the suite fills in for each trial."
            )
        if unknown := sorted(placeholders - set(holds)):
            raise UserError(
                "unknown-placeholder",
                f"{path} contains {{{unknown[0]}}}, which the suite does not fill in: "
                f"it fills in {', '.join(f'{{{name}}}' for name in holds) or 'nothing'} there.",
            )
        return text

    def _instead(self, path: Path, holds: tuple[str, ...]) -> str:
        """What to do about a template that is missing."""
        copies = (folder / path.parent.name / path.name for folder in reversed(self.protocol))
        if there := next((copy.parent for copy in copies if copy.is_file() and copy != path), None):
            return f"copy it from {there}"
        return f"write it, with {' and '.join(f'{{{name}}}' for name in holds)} in it" if holds else "write it"


def _folders(workspace: Workspace, name: str) -> list[Path]:
    """Where the prompt set of a name may stand: the project's own folder first. A project may still call the protocols'
    own by its earlier name."""
    names = (PROTOCOL, EARLIER) if name == PROTOCOL else (name,)
    return [folder / name for folder in workspace.folders("prompts") for name in names]


def _called(document: str, text: str) -> str:
    """The text with the documents called so; in a tag, each word with a capital."""
    tag = " ".join(word[:1].upper() + word[1:] for word in document.split())
    for said, instead in CALLED.items():
        text = text.replace(said, instead.format(document=document, Document=tag))
    return text
