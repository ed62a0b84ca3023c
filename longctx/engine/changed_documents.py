"""What changed in the documents that protocols put into their prompts."""

from __future__ import annotations

from collections.abc import Iterator

from longctx.engine.differences import first_differences
from longctx.report.verdict_blocks import TextChange
from longctx.results.manifest import Manifest
from longctx.results.sent_texts import KnownTexts
from longctx.vocabulary.both import Both

MOST_DOCUMENTS = 3
"""The most documents of a bank that are shown."""


def changes_of_documents(known: Both[KnownTexts], manifests: Both[Manifest]) -> Iterator[TextChange]:
    """Yield what changed in the first documents of each bank whose texts both runs keep, alike changes once."""
    for bank, later in manifests.after.documents.items():
        earlier = manifests.before.documents.get(bank, {})
        changed = [name for name, digest in later.items() if earlier.get(name, digest) != digest]
        which = f", 1 of {len(changed):,} that changed" if len(changed) > 1 else ""
        texts = (
            (name, Both(known.before.text("document", earlier[name]), known.after.text("document", later[name])))
            for name in changed
        )
        for name, lines in first_differences(texts, MOST_DOCUMENTS):
            yield TextChange(f"document {name} of {bank}{which}", lines)
