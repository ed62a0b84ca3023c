"""What changed in the texts that a run sends, as differences: the templates that its baseline sent, and those of now.

A run keeps its templates by their digest, and so does a baseline saved from it. Those of an earlier baseline are found
if a prompt set of the project still has them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from longctx.errors import UserError
from longctx.functions.cells import wording_of
from longctx.gate.usage import NO_TEMPLATES
from longctx.gate.verdict import RunVerdict
from longctx.redaction import REDACTED
from longctx.report.verdict_blocks import TextChange
from longctx.results.row import Row
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import Templates, is_check
from longctx.workspace import Workspace

MOST_LINES = 40
"""The most lines of all differences together."""
AROUND = 1
"""The unchanged lines that are shown before and after a change."""
LONGEST_LINE = 300
"""The most characters of a line."""
LONGEST_TEMPLATE = 20_000
"""A longer template is not kept."""
SECRET = re.compile(
    r"\b(sk-[\w-]{8,}|AKIA[0-9A-Z]{12,}|gh[pousr]_\w{20,}|xox[abprs]-[\w-]{10,}|AIza[\w-]{20,}"
    r"|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+)|(?i:(?<=bearer )|(?<=api[_-]key[=:]))[\w.~+/-]{12,}"
)
"""What looks like a key."""


def templates_of(workspace: Workspace, rows: Sequence[Row]) -> dict[str, Templates]:
    """Return the templates of a run by their digest; without those that are too long, or no longer there."""
    named = dict.fromkeys((row.test, row.prompt_set, row.prompt_digest) for row in rows if not is_check(row.test))
    found = ((digest, _read(workspace, test, prompts, digest)) for test, prompts, digest in named)
    return {
        digest: templates
        for digest, templates in found
        if templates and max(map(len, templates.values())) <= LONGEST_TEMPLATE
    }


def text_changes(
    kept: Both[Mapping[str, Templates]], rows: Both[Sequence[Row]], verdict: RunVerdict, workspace: Workspace
) -> list[TextChange]:
    """Return what changed in the templates of each test. kept: the templates that both runs keep."""
    changes: list[TextChange] = []
    room = MOST_LINES
    for test in dict.fromkeys(test.test for test in verdict.tests if not is_check(test.test)):
        before, after = (next((row for row in side if row.test == test), None) for side in rows)
        if before is None or after is None:
            continue
        first = Both(before, after)
        if first.before.prompt_digest == first.after.prompt_digest:
            continue
        templates = Both(
            *(
                known.get(row.prompt_digest) or _read(workspace, test, row.prompt_set, row.prompt_digest)
                for known, row in zip(kept, first, strict=True)
            )
        )
        if templates.before is None or templates.after is None:
            continue
        for change in _differences(test, first.after.prompt_set, Both(templates.before, templates.after), workspace):
            if room > 0:
                changes.append(change.cut(room))
                room -= len(change.lines)
    return changes


def _read(workspace: Workspace, test: str, prompt_set: str, digest: str) -> Templates | None:
    """Return the templates of a test in a prompt set if they have this digest; else None."""
    if digest == NO_TEMPLATES:
        return None
    try:
        wording = wording_of(workspace, test, prompt_set)
    except (UserError, OSError, ValueError):
        return None
    return wording.templates if wording.digest == digest else None


def _differences(test: str, prompt_set: str, templates: Both[Templates], workspace: Workspace) -> Iterator[TextChange]:
    for name in sorted({*templates.before, *templates.after}):
        sides = Both(*(texts.get(name, "").splitlines() for texts in templates))
        if sides.before != sides.after:
            path = Path("fixtures/prompts") / prompt_set / test / f"{name}.txt"
            known = (workspace.root / path).is_file()
            yield TextChange(
                name=path.as_posix() if known else f"{prompt_set}/{test}/{name}",
                lines=tuple(map(_shown, _diff(*sides))),
                line=_first_line(*sides),
                test=test,
                file=path.as_posix() if known else "",
            )


def _diff(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a difference; a line with dots stands between its parts."""
    _, _, *lines = difflib.unified_diff(before, after, lineterm="", n=AROUND)
    for index, line in enumerate(lines):
        if not line.startswith("@@"):
            yield line
        elif index:
            yield " …"


def _first_line(before: Sequence[str], after: Sequence[str]) -> int:
    codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return next((start + 1 for kind, _, _, start, _ in codes if kind != "equal"), 1)


def _shown(line: str) -> str:
    """Return a line without what looks like a key, cut to its longest."""
    known = SECRET.sub(REDACTED, line)
    return known if len(known) <= LONGEST_LINE else f"{known[: LONGEST_LINE - 1]}…"
