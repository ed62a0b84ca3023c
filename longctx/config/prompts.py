"""Prompt sets: the wording of tests, in a folder of templates under fixtures/prompts/ or elsewhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from longctx.config.project_files import read_text
from longctx.errors import UserError, did_you_mean
from longctx.links import inside
from longctx.vocabulary.point import PROTOCOL, Point, Templates
from longctx.workspace import Workspace

REPLACED = {
    "the minutes of a government meeting": "the {document}",
    "section/minutes/government meeting": "section of the {document}",
    "notes produced by any other department/agency": "any other {document}",
    "government record": "{document}",
    "Government Record": "{Document}",
}
"""The protocols' words for the documents, and what replaces them for a corpus with its own word."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of one test in one prompt set."""

    prompt_set: str
    digest: str
    """The digest of its templates."""
    templates: Templates
    document: str | None = None
    """The word for the documents, if it is not the protocols'."""


@dataclass(frozen=True, slots=True)
class PromptSet:
    """A prompt set."""

    name: str
    folder: Path
    """Its folder, which contains TEST/TEMPLATE.txt."""
    root: Path
    """The project, which links in it may not leave."""
    further: tuple[Path, ...] = ()
    """Folders with the tests that it lacks."""
    protocol: tuple[Path, ...] = ()
    """Folders from which a missing template can be copied."""

    @classmethod
    def open(cls, workspace: Workspace, name: str, typed: bool = True) -> PromptSet:
        """Open a prompt set by its name in fixtures/prompts/, or by the path of its folder. Raises UserError.

        Tests in the project's own set of that name replace those in longctx's. typed: whether the person gave the
        name; a file, such as a profile, names no folder outside the project.
        """
        protocol = _folders(workspace, PROTOCOL)
        own = [] if Path(name).is_absolute() else _folders(workspace, name)
        for folders in (own, [Path(name)]):
            if existing := [folder for folder in folders if folder.is_dir()]:
                first, *further = existing
                if not typed and first == Path(name):
                    inside(first, workspace.root)
                return cls(first.resolve().name, first, workspace.root, tuple(further), tuple(protocol))
        names = [path.name for path in workspace.list("prompts", "*") if path.is_dir()]
        raise UserError(
            "unknown-prompt-set",
            f"There is no prompt set {name!r}. {did_you_mean(name, names)} Or use the path of a folder of templates.",
        )

    def holds(self, test: type[Point]) -> bool:
        """Return whether the set has templates of a test; a set may have some tests only."""
        return any((folder / test.declared.name).is_dir() for folder in (self.folder, *self.further))

    def wording(self, test: type[Point], document: str | None = None) -> Wording:
        """Return the checked templates of a test. Raises UserError, which names a file or placeholder that is missing
        or unknown.

        document: the word for the documents; None to keep the templates' own.
        """
        folder = self._folder_of(test)
        _check_names(folder, test.declared.name, test.declared.templates)
        templates = {name: self._template(folder, name, expected) for name, expected in test.declared.templates.items()}
        renamed = {name: _with_document(document, text) for name, text in templates.items()} if document else templates
        document, templates = (None if renamed == templates else document), renamed
        content = "\0".join(f"{name}\0{text}" for name, text in sorted(templates.items()))
        return Wording(self.name, hashlib.sha256(content.encode()).hexdigest()[:12], templates, document)

    def _folder_of(self, test: type[Point]) -> Path:
        folders = (folder / test.declared.name for folder in (self.folder, *self.further))
        return next((folder for folder in folders if folder.is_dir()), self.folder / test.declared.name)

    def _template(self, folder: Path, name: str, placeholders: tuple[str, ...]) -> str:
        path = folder / f"{name}.txt"
        try:
            text = read_text(inside(path, self.root, self.folder, *self.further)).removesuffix("\n")
        except FileNotFoundError:
            raise UserError(
                "prompt-file-missing",
                f"The prompt set {self.name!r} lacks {path}: {self._instead(path, placeholders)}.",
            ) from None
        present = set(re.findall(r"\{(\w+)\}", text))
        if missing := sorted(set(placeholders) - present):
            raise UserError(
                "placeholder-missing", f"{path} must contain {{{missing[0]}}}, which is filled in for each trial."
            )
        if unknown := sorted(present - set(placeholders)):
            raise UserError(
                "unknown-placeholder",
                f"{path} contains {{{unknown[0]}}}, which the suite does not fill in: "
                f"it fills in {', '.join(f'{{{name}}}' for name in placeholders) or 'nothing'} there.",
            )
        return text

    def _instead(self, path: Path, placeholders: tuple[str, ...]) -> str:
        """Return what to do about a missing template."""
        copies = (folder / path.parent.name / path.name for folder in reversed(self.protocol))
        if source := next((copy.parent for copy in copies if copy.is_file() and copy != path), None):
            return f"copy it from {source}"
        if not placeholders:
            return "write it"
        return f"write it, with {' and '.join(f'{{{name}}}' for name in placeholders)} in it"


def _folders(workspace: Workspace, name: str) -> list[Path]:
    """Return the folders that a prompt set may have, the project's own first; they need not exist."""
    own, shipped = workspace.folders("prompts")
    return [inside(own / name, workspace.root), shipped / name]


def _check_names(folder: Path, test: str, templates: Iterable[str]) -> None:
    """Raise UserError if a folder has a template that its test does not use: its name was probably mistyped."""
    names = [f"{name}.txt" for name in templates]
    if unknown := sorted({path.name for path in folder.glob("*.txt")} - {*names}):
        raise UserError(
            "unknown-template",
            f"{folder / unknown[0]} is not a template of {test}, so it would never be sent. "
            f"{did_you_mean(unknown[0], names)} Rename the file, or move it out of the folder.",
        )


def _with_document(document: str, text: str) -> str:
    """Return a template with another word for the documents; in a tag, its words are capitalized."""
    tag = " ".join(word[:1].upper() + word[1:] for word in document.split())
    for words, replacement in REPLACED.items():
        text = text.replace(words, replacement.format(document=document, Document=tag))
    return text
