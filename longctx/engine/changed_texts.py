"""What changed in the texts that a run sends, as differences from those that its baseline sent.

A run keeps its templates by their digest, and so does a baseline saved from it. Those of an earlier baseline are found
if a prompt set of the project still has them. What else is compared is in the other modules changed_*.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from longctx.engine.changed_by_name import case_changes, changes_of_documents
from longctx.engine.changed_requests import request_changes
from longctx.engine.changed_strategies import strategy_changes
from longctx.engine.differences import difference, first_changed_line, signed
from longctx.errors import UserError
from longctx.functions.cells import wording_of
from longctx.gate.usage import NO_TEMPLATES
from longctx.gate.verdict import RunVerdict
from longctx.report.verdict_blocks import TextChange
from longctx.results.row import Row
from longctx.results.sent_texts import KeptByDigest, KnownTexts
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import Templates, is_check
from longctx.workspace import Workspace

MOST_LINES = 40
"""The most lines of all differences together."""
MOST_CHANGES = 10
"""The most differences."""
LONGEST_TEMPLATE = 20_000
"""A longer template is not kept."""


class KeptTexts(Protocol):
    """What is kept of the texts of a run, such as by its manifest."""

    @property
    def templates(self) -> Mapping[str, Templates]: ...

    @property
    def texts(self) -> KeptByDigest: ...

    @property
    def documents(self) -> Mapping[str, Mapping[str, str]]: ...


def templates_of(workspace: Workspace, rows: Sequence[Row]) -> dict[str, Templates]:
    """Return the templates of a run by their digest, except missing files and texts that are too long."""
    named = dict.fromkeys((row.test, row.prompt_set, row.prompt_digest) for row in rows if not is_check(row.test))
    found = ((digest, read_templates(workspace, test, prompts, digest)) for test, prompts, digest in named)
    return {
        digest: templates
        for digest, templates in found
        if templates and max(map(len, templates.values())) <= LONGEST_TEMPLATE
    }


def text_changes(
    kept: Both[KeptTexts], rows: Both[Sequence[Row]], verdict: RunVerdict, workspace: Workspace
) -> list[TextChange]:
    """Return what changed in the texts that were sent, in at most so many lines."""
    templates = _template_changes(kept.map(lambda of: of.templates), rows, verdict, workspace)
    known = kept.map(lambda of: KnownTexts(of.texts))
    others = (
        *request_changes(known, verdict),
        *case_changes(known, rows, verdict),
        *changes_of_documents(known, kept.map(lambda of: of.documents)),
        *strategy_changes(known, verdict),
    )
    return first_changes((*templates, *others))


def first_changes(found: Iterable[TextChange]) -> list[TextChange]:
    """Return the first changes, alike ones once, in at most so many lines: what short ones leave is for long ones."""
    alike: dict[tuple[str, ...], TextChange] = {}
    for change in found:
        alike.setdefault(signed(change.lines), change)
    changes, most = [*alike.values()][:MOST_CHANGES], MOST_LINES
    cut: dict[int, TextChange] = {}
    for done, index in enumerate(sorted(range(len(changes)), key=lambda index: len(changes[index].lines))):
        cut[index] = changes[index].cut(most // (len(changes) - done))
        most -= len(cut[index].lines)
    return [cut[index] for index in range(len(changes))]


def _template_changes(
    kept: Both[Mapping[str, Templates]], rows: Both[Sequence[Row]], verdict: RunVerdict, workspace: Workspace
) -> Iterator[TextChange]:
    """Yield what changed in the templates of each test. kept: the templates that both runs keep."""
    for test in dict.fromkeys(test.test for test in verdict.tests if not is_check(test.test)):
        before, after = (next((row for row in side if row.test == test), None) for side in rows)
        if before is None or after is None or before.prompt_digest == after.prompt_digest:
            continue
        was, now = (
            known.get(row.prompt_digest) or read_templates(workspace, test, row.prompt_set, row.prompt_digest)
            for known, row in zip(kept, (before, after), strict=True)
        )
        if was is not None and now is not None:
            yield from template_differences(test, after.prompt_set, Both(was, now), workspace)


def read_templates(workspace: Workspace, test: str, prompt_set: str, digest: str) -> Templates | None:
    """Return the templates of a test in a prompt set if they have this digest; else None."""
    if digest == NO_TEMPLATES:
        return None
    try:
        wording = wording_of(workspace, test, prompt_set)
    except (UserError, OSError, ValueError):
        return None
    return wording.templates if wording.digest == digest else None


def template_differences(
    test: str, prompt_set: str, templates: Both[Templates], workspace: Workspace
) -> Iterator[TextChange]:
    """Yield how each template of a test differs. prompt_set: the later one."""
    for name in sorted({*templates.before, *templates.after}):
        texts = Both(templates.before.get(name, ""), templates.after.get(name, ""))
        if lines := difference(texts):
            path = Path("fixtures/prompts") / prompt_set / test / f"{name}.txt"
            known = (workspace.root / path).is_file()
            yield TextChange(
                name=path.as_posix() if known else f"{prompt_set}/{test}/{name}",
                lines=lines,
                line=first_changed_line(texts),
                test=test,
                file=path.as_posix() if known else "",
                instead_of=f"prompt templates of {test}: ",
            )
