"""What changed in a request since it was recorded, so that its recording is stale.

Cassettes keep digests only; the texts come from the baselines and earlier runs that keep them under these digests.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longctx.cells.cell import Cell
from longctx.engine.changed_requests import NAMES
from longctx.engine.changed_texts import read_templates, template_differences
from longctx.engine.differences import difference
from longctx.errors import UserError
from longctx.report.verdict_blocks import TextChange
from longctx.results.baseline_file import load_manifest_of
from longctx.results.manifest import MANIFEST, Manifest, load_manifest
from longctx.results.request_parts import as_mapping, parts_that_differ
from longctx.results.sent_texts import KnownTexts, SentText, TextKind
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import Templates
from longctx.workspace import Workspace

MOST_RUNS = 10
"""The most earlier runs whose texts are read, the latest first."""


@dataclass(frozen=True, slots=True)
class StaleRequest:
    """A request without an answer, in whose place another one was recorded."""

    cell: Cell
    recorded: Mapping[str, str]
    """The recorded prompt set, and the digest of its templates."""
    parts: Both[str]
    """The digests of the parts of the recorded request, empty if they are not known, and of that which is sent now."""
    texts: Sequence[SentText]
    """The texts of that which is sent now."""


class RecordedTexts:
    """The texts that the project's baselines and its earlier runs keep; they are read when they are first needed."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def text(self, kind: TextKind, digest: str | None) -> str | None:
        """Return the text of a digest: empty without a digest, None if no run keeps it."""
        if digest is None:
            return ""
        found = (known.text(kind, digest) for _, known in self._kept)
        return next((text for text in found if text is not None), None)

    def templates(self, test: str, prompt_set: str, digest: str) -> Templates | None:
        """Return the templates of a test with this digest; None if neither a run nor this prompt set has them."""
        found = (manifest.templates.get(digest) for manifest, _ in self._kept)
        return next(filter(None, found), None) or read_templates(self._workspace, test, prompt_set, digest)

    def changes(self, stale: StaleRequest) -> Iterator[TextChange]:
        """Yield what changed since the recording in the templates, the system prompt, the tools and the parameters."""
        test, wording = stale.cell.point.test, stale.cell.wording
        if (digest := stale.recorded.get("digest", "")) != wording.digest:
            before = self.templates(test, stale.recorded.get("prompt_set", ""), digest)
            if before is not None:
                both = Both[Templates](before, wording.templates)
                yield from template_differences(test, wording.prompt_set, both, self._workspace)
        differ, was = parts_that_differ(*stale.parts), as_mapping(stale.parts.before)
        now = {sent.kind: sent.text for sent in stale.texts}
        for kind, name in NAMES.items():
            if not differ.get(kind):
                continue
            old, new = self.text(kind, was.get(kind)), now.get(kind, "")
            if old is not None and (lines := difference(Both(old, new))):
                yield TextChange(f"{name} of {test}", lines, test=test)

    @functools.cached_property
    def _kept(self) -> list[tuple[Manifest, KnownTexts]]:
        return [(manifest, KnownTexts(manifest.texts)) for manifest in self._manifests()]

    def _manifests(self) -> Iterator[Manifest]:
        manifests = self._workspace.reports.glob(f"*/{MANIFEST}")
        runs = sorted((path.parent for path in manifests if not path.parent.is_symlink()), reverse=True)
        for path in (*self._workspace.baselines(), *runs[:MOST_RUNS]):
            try:
                yield load_manifest(path) if path in runs else load_manifest_of(path)
            except (UserError, OSError):  # a damaged one is reported where it is used
                continue
