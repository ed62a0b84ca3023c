"""A baseline: the outcomes of an earlier run without its replies, in one file that is readable in a diff.

The first line contains the run's manifest. Each other line contains one group of its rows (results/answer_groups.py),
with one letter for each trial. A run that was added follows in the same way. When a baseline is loaded, the answers to
a trial are its repeats, numbered through all runs.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from longctx import clocks
from longctx.conflicts import TAKE_ONE_SIDE, check_no_conflict
from longctx.errors import UserError
from longctx.fields import Amount, Natural, Number, Text, parsed, reason
from longctx.results import judged_by as judging
from longctx.results.answer_groups import GROUP_FIELDS, by_group, digest_of_answers, with_answers
from longctx.results.baseline_head import HEAD
from longctx.results.manifest import Manifest, as_manifest, require_manifest
from longctx.results.request_parts import as_mapping
from longctx.results.row import Row
from longctx.results.run_folders import find_run
from longctx.results.store import load, load_rows
from longctx.vocabulary.point import CREDIT, Kind, question_in
from longctx.vocabulary.shapes import TEXT

SCHEMA = 1
"""The version of the format, which increases when earlier baselines can no longer be read."""
ANCHOR = ".anchor"
"""The suffix of a baseline's anchor, which is in the same folder and has the same format."""
LETTERS: dict[str, Kind] = {
    "c": "correct",
    "w": "wrong",
    "u": "unparseable",
    "r": "refusal",
    "t": "truncated",
    "i": "infra_error",
    "n": "not_asked",
}


@dataclass(frozen=True, slots=True)
class Baseline:
    """A loaded baseline."""

    name: str
    saved_at: str
    """The time of its last run, ISO 8601, UTC."""
    manifest: Manifest
    """The manifest of its first run."""
    rows: list[Row]
    """With the digests of their answers; fields that a baseline does not keep are None."""
    replies: Mapping[tuple[object, ...], str] = field(default_factory=dict)
    """The replies by the identity of their rows, if the baseline was saved with them."""
    folder: Path | None = None
    """The folder of the run, if that is the baseline."""
    anchor: Baseline | None = None
    """The fixed baseline that gates against this one compare with, too."""

    @property
    def bands(self) -> int:
        """How many bands a gate judges of it."""
        return len({(row.test, row.subject, row.band) for row in self.rows if row.band is not None})

    @property
    def runs(self) -> int:
        """How many answers it has to a trial, at the most."""
        return max((row.repeat + 1 for row in self.rows), default=1)


USAGE = ("input_tokens", "output_tokens", "thinking_tokens", "latency_s", "cost_usd", "batch_discount")
"""The fields of rows that a baseline keeps of each trial, so that a gate can compare price and latency."""
SHORT = 12
"""The characters that a baseline keeps of the digest of a request."""
SHORT_PART = 4
"""The characters kept of the digest of each part of a request, which show only where two requests differ."""
NO_PART = "-" * SHORT_PART
BY_DEFAULT: Mapping[str, object] = {"shape": TEXT, "server": None}
"""The fields of a group that baselines name only where they differ from these."""
Replies = Mapping[tuple[object, ...], str]


def write_baseline(file: Path, name: str, folder: Path, with_replies: bool = False) -> None:
    """Write the finished run in `folder` as the baseline `name`. Raises UserError.

    with_replies: whether to keep the text of the replies, which a gated run shows next to its own.
    """
    manifest = require_manifest(folder)
    file.write_text(_section(name, manifest, load_rows(folder), _replies(folder, with_replies)), encoding="utf-8")


def add_to_baseline(file: Path, kept: Path, folder: Path, rows: Sequence[Row], with_replies: bool = False) -> None:
    """Write the baseline in `kept` with these rows of the finished run in `folder` as a further run. Raises UserError.

    What is kept stays as it is, byte for byte. Its requests are those of the run, so that texts are kept once.
    """
    was, manifest = kept.read_bytes(), require_manifest(folder)
    if load_manifest_of(kept).texts:
        manifest = replace(manifest, texts={})
    section = _section(kept.stem, manifest, rows, _replies(folder, with_replies)).encode()
    file.write_bytes(was + (b"" if was.endswith(b"\n") else b"\n") + section)


def _replies(folder: Path, are_kept: bool) -> Replies:
    return replies_of(folder) if are_kept else {}


def _section(name: str, manifest: Manifest, rows: Sequence[Row], replies: Replies) -> str:
    head = {"schema": SCHEMA, "name": name, "saved_at": clocks.stamp(), "run": asdict(manifest)}
    lines = [head | {"questions": _questions(rows)}, *_lines(rows, replies)]
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


def load_baseline(path: Path) -> Baseline:
    """Load the baseline in a file, or the finished run in a folder as a baseline. Raises UserError."""
    if _is_run(path):
        folder, manifest = find_run(path), load_manifest_of(path)
        return Baseline(folder.name, manifest.finished_at, manifest, with_answers(load_rows(folder)), folder=folder)
    sections = _read_all(path)
    rows = list(_numbered([rows for _, rows in sections]))
    replies = {row.identity: reply for row, reply in rows if reply is not None}
    head = sections[0][0]
    anchor = load_baseline(kept) if path.suffix != ANCHOR and (kept := anchor_of(path)).is_file() else None
    texts = next((head.run.texts for head, _ in sections if head.run.texts), {})
    manifest = replace(head.run, texts=texts)
    return Baseline(head.name, sections[-1][0].saved_at, manifest, [row for row, _ in rows], replies, anchor=anchor)


def anchor_of(path: Path) -> Path:
    """Return the file that contains the anchor of a baseline, whether it exists or not."""
    return path.with_suffix(ANCHOR)


def replies_of(folder: Path) -> dict[tuple[object, ...], str]:
    """Return the replies of a finished run, by the identity of their rows."""
    seen = load(folder).seen()
    return {row.identity: view["reply"] for row, view in seen if view.get("reply") is not None}


def check_baseline(path: Path) -> None:
    """Raise UserError if the baseline cannot be loaded. This is faster than loading it."""
    if _is_run(path):
        load_manifest_of(path)
    else:
        _read_all(path)


def load_manifest_of(path: Path) -> Manifest:
    """Return the manifest of a baseline, or of the run in a folder, without reading its rows. Raises UserError."""
    if _is_run(path):
        return require_manifest(find_run(path))
    _, manifest = load_head(path)
    return manifest


def _is_run(path: Path) -> bool:
    return path.is_dir() or path.name == "latest"


def load_head(path: Path) -> tuple[str, Manifest]:
    """Return when a baseline was saved (ISO 8601, UTC), and its manifest, from its first line. Raises UserError."""
    try:
        with path.open(encoding="utf-8") as file:
            head = _head(path, file.readline())
    except (OSError, ValueError) as error:
        raise _broken(path, error) from None
    return head.saved_at, head.run


def runs_added(path: Path) -> int:
    """Return how many runs were added to a baseline, without reading all of it."""
    with path.open(encoding="utf-8") as file:
        return sum(line.startswith(HEAD) for line in file) - 1


def group_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the contents of a baseline's lines, without those that begin a run. It was loaded before."""
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if not line.startswith(HEAD))


def _read_all(path: Path) -> list[tuple[_Head, list[tuple[Row, str | None]]]]:
    """Return the first line of each run of a file, and the rows of all others with their replies, checked."""
    sections: list[tuple[_Head, list[tuple[Row, str | None]]]] = []
    try:
        with path.open(encoding="utf-8") as file:
            for line in itertools.chain([file.readline()], file):
                if not sections or line.startswith(HEAD):
                    sections.append((_head(path, line), []))
                else:
                    head, rows = sections[-1]
                    rows += _rows(parsed(json.loads, line), head)
    except (OSError, KeyError, ValueError) as error:
        raise _broken(path, error) from None
    return sections


def _numbered(sections: Sequence[Sequence[tuple[Row, str | None]]]) -> Iterator[tuple[Row, str | None]]:
    """Yield all rows with their replies; the repeats of each run follow those of the runs before it."""
    following = 0
    for rows in sections:
        repeats = [row.repeat for row, _ in rows] or [0]
        shift = following - min(repeats) if following else 0
        yield from ((replace(row, repeat=row.repeat + shift) if shift else row, reply) for row, reply in rows)
        following = max(repeats) + shift + 1


@dataclass(frozen=True, slots=True)
class _Head:
    """The first line of a file."""

    name: Text
    saved_at: Text
    run: Manifest
    questions: Mapping[Text, Mapping[Text, tuple[Text, Text | None]]]
    """The id and the cluster of each trial's question, by bank and trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Usage:
    """The fields of USAGE, one value a trial; None if no trial has any."""

    input_tokens: list[Natural | None] | None = None
    output_tokens: list[Natural | None] | None = None
    thinking_tokens: list[Natural | None] | None = None
    latency_s: list[Amount | None] | None = None
    cost_usd: list[Amount | None] | None = None
    batch_discount: list[Number | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """What a line contains besides the fields that its rows have in common."""

    model_returned: list[Text]
    recorded: list[Text] | None
    bank: Text | None
    answers: Text | None
    clusters: Text | list[Text | None] | None
    usage: _Usage = field(default_factory=lambda: _Usage())
    replies: list[Text | None] | None = None
    items: list[Text] | None = None
    """The items of trials that are identified by them: a bank or a file of cases may grow anywhere."""
    documents: list[Text | None] | None = None
    requests: list[Text | None] | None = None
    """The beginning of the digest of each trial's request."""
    parts: dict[Text, Text] | None = None
    """The beginnings of the digests of each part of the requests: one of all trials, or those of each in a row."""
    judged_by: dict[Text, Text | list[Text | None]] | None = None
    """The digests of what judges the trials, by its name: of all of them, or of each; earlier baselines have none."""
    trials: list[Natural] | None
    outcomes: str
    credit: list[Natural | None] | None = None
    """The partial credit of each trial, in thousandths; None for tests that give none."""
    guessing: Number | None = None
    """The accuracy that guessing reaches, if the test function states one."""
    code: Text | None = None
    """The digest of its test's code; earlier baselines have none."""


_HEAD = TypeAdapter(_Head)
_GROUP = TypeAdapter(_Group)


def _head(path: Path, line: str) -> _Head:
    fields = parsed(json.loads, line or "{}")
    _check(path, fields)
    head = _HEAD.validate_python(fields)
    as_manifest(fields["run"])
    return head


def _check(path: Path, head: Any) -> None:
    if not isinstance(head, dict) or "schema" not in head:
        raise _broken(path, "its first line has no schema")
    if head["schema"] != SCHEMA:
        run = head.get("run")
        version = run.get("version", "another version") if isinstance(run, dict) else "another version"
        raise UserError(
            "baseline-of-other-schema",
            f"{path} is a baseline of schema {head['schema']}, made by longctx {version}, and this longctx reads "
            f"schema {SCHEMA}: replay its run with this version, and save it again (python -m longctx baseline save).",
        )


def _broken(path: Path, error: object) -> UserError:
    check_no_conflict(path, f"a baseline belongs to one run: {TAKE_ONE_SIDE}, or save it again")
    why = reason(error) if isinstance(error, Exception) else error
    return UserError(
        "bad-baseline",
        f"{path} is not a baseline ({why}): restore it from version control, or save it again.",
    )


def _lines(rows: Sequence[Row], replies: Replies) -> Iterator[dict[str, Any]]:
    """Yield what a baseline keeps of each group of the rows, in their order."""
    letters = {kind: letter for letter, kind in LETTERS.items()}
    for common, group in by_group(rows).items():
        trials = [row.trial for row in group]
        cases = {"items": [row.item for row in group]} if _go_by_items(group) else {}
        documents = [row.documents for row in group]
        requests = [row.prompt_sha256 and row.prompt_sha256[:SHORT] for row in group]
        yield {
            **_without_default(json.loads(common)),
            "model_returned": sorted({row.model_returned for row in group if row.model_returned}),
            "recorded": _first_and_last([row.recorded_at for row in group if row.recorded_at]),
            "bank": None if cases else next((row.item.rpartition("@")[2] for row in group if row.item), None),
            **cases,
            **({"documents": documents} if any(documents) else {}),
            **({"requests": requests} if any(requests) else {}),
            **({"parts": parts} if (parts := _parts(group)) else {}),
            **({"judged_by": judged_by} if (judged_by := _judged_by(group)) else {}),
            "answers": digest_of_answers(group),
            "trials": None if trials == list(range(len(trials))) else trials,
            "clusters": _clusters(group),
            **({"usage": usage} if (usage := _usage(group)) else {}),
            **({"replies": [replies.get(row.identity) for row in group]} if replies else {}),
            **({"credit": credit} if {*(credit := [row.trace.get(CREDIT) for row in group])} != {None} else {}),
            **({} if group[0].guessing is None else {"guessing": group[0].guessing}),
            **({} if (code := next((row.code for row in group if row.code), None)) is None else {"code": code}),
            "outcomes": "".join(letters[row.outcome] for row in group),
        }


def _without_default(common: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a group without those that have their default, which baselines do not name."""
    return {name: value for name, value in common.items() if name not in BY_DEFAULT or value != BY_DEFAULT[name]}


def _rows(line: Any, head: _Head) -> Iterator[tuple[Row, str | None]]:
    """Yield the rows of a line, each with its reply if the baseline keeps it. Raises ValueError or KeyError."""
    group = _GROUP.validate_python(line)
    common = {name: line[name] for name in GROUP_FIELDS if name not in BY_DEFAULT or name in line} | {
        "run": head.run.run,
        "item": None,
        "source": "replayed",
    }
    row = Row.of(
        common | {"trial": 0, "outcome": "correct", "recorded_at": group.recorded[0] if group.recorded else None}
    )
    returned = ", ".join(group.model_returned) or None
    row = replace(row, model_returned=returned, answers=group.answers, guessing=group.guessing, code=group.code)
    trials = range(len(group.outcomes)) if group.trials is None else group.trials
    clusters = group.clusters if isinstance(group.clusters, list) else [group.clusters] * len(group.outcomes)
    nothing: list[None] = [None] * len(group.outcomes)
    usage = [nothing if (kept := getattr(group.usage, name)) is None else kept for name in USAGE]
    replies = nothing if group.replies is None else group.replies
    cases, documents, requests, credits = (
        nothing if kept is None else kept for kept in (group.items, group.documents, group.requests, group.credit)
    )
    judges = _judged_by_of_each(group.judged_by or {}, len(group.outcomes))
    parts = _parts_of_each(group.parts or {}, len(group.outcomes))
    trial_by_trial = zip(
        trials,
        group.outcomes,
        clusters,
        cases,
        documents,
        requests,
        judges,
        parts,
        credits,
        replies,
        *usage,
        strict=True,
    )
    for trial, letter, own, case, held, sent, judge, part, credit, reply, *used in trial_by_trial:
        name, cluster = head.questions[group.bank][str(trial)] if group.bank else (None, own)
        item = f"{name}@{group.bank}" if name else case
        took = dict(zip(USAGE, used, strict=True)) | {
            "documents": held,
            "prompt_sha256": sent,
            "request_parts": part,
            "judged_by": judge,
            "trace": {} if credit is None else {CREDIT: credit},
        }
        yield replace(row, trial=trial, item=item, cluster=cluster, outcome=LETTERS[letter], **took), reply


def _parts(group: Sequence[Row]) -> dict[str, str]:
    known = [as_mapping(row.request_parts or "") for row in group]
    kept = {}
    for name in sorted({name for parts in known for name in parts}):
        digests = [parts.get(name, NO_PART)[:SHORT_PART] for parts in known]
        kept[name] = digests[0] if len(set(digests)) == 1 else "".join(digests)
    return kept


def _parts_of_each(kept: Mapping[str, str], trials: int) -> list[str | None]:
    """Return the parts of the request of each trial of a group. Raises ValueError."""
    columns = {}
    for name, digests in kept.items():
        several = digests * trials if len(digests) == SHORT_PART else digests
        if len(several) != trials * SHORT_PART:
            raise ValueError(f"the digests of {name} are not those of {trials} trials")
        columns[name] = [several[start : start + SHORT_PART] for start in range(0, len(several), SHORT_PART)]
    rows = ({name: column[index] for name, column in columns.items()} for index in range(trials))
    return [
        " ".join(f"{name}={digest}" for name, digest in parts.items() if digest != NO_PART) or None for parts in rows
    ]


def _judged_by(group: Sequence[Row]) -> dict[str, str | list[str | None]]:
    known = [judging.digests_by_part(row.judged_by) for row in group]
    kept: dict[str, str | list[str | None]] = {}
    for name in sorted({name for parts in known for name in parts}):
        digests = [parts.get(name) for parts in known]
        kept[name] = digests if len(set(digests)) > 1 or digests[0] is None else digests[0]
    return kept


def _judged_by_of_each(kept: Mapping[str, str | list[str | None]], trials: int) -> list[str | None]:
    """Return the column of each trial of a group. Raises ValueError."""
    columns = {name: [digests] * trials if isinstance(digests, str) else digests for name, digests in kept.items()}
    if any(len(digests) != trials for digests in columns.values()):
        raise ValueError(f"the digests of the judging code do not match {trials} trials")
    rows = ({name: column[index] for name, column in columns.items()} for index in range(trials))
    return [" ".join(f"{name}={digest}" for name, digest in row.items() if digest) or None for row in rows]


def _usage(group: Sequence[Row]) -> dict[str, list[Any]]:
    """Return what each trial of a group took, by the fields of its rows; those that no trial has are left out."""
    columns = {name: [getattr(row, name) for row in group] for name in USAGE}
    return {name: values for name, values in columns.items() if set(values) != {None}}


def _go_by_items(group: Sequence[Row]) -> bool:
    """Return whether the rows of a group are distinguished by their items, and not by their numbers in one bank."""
    items = [row.item for row in group]
    if None in items:
        return False
    questions = [question_in(str(item)) for item in items]
    banks = {question and question[1] for question in questions}
    return None in questions or len(banks) > 1 or len({row.trial for row in group}) < len(group)


def _clusters(group: Sequence[Row]) -> str | list[str | None] | None:
    """Return the cluster that all rows share, or that of each; None if they have none, or those of their questions."""
    from_bank = group[0].item is not None and not _go_by_items(group)
    clusters = [None if from_bank else row.cluster for row in group]
    return clusters[0] if len(set(clusters)) == 1 else clusters


def _questions(rows: Sequence[Row]) -> dict[str, dict[str, list[str | None]]]:
    """Return the id and the cluster of each trial's question, by bank and trial."""
    banks: dict[str, dict[str, list[str | None]]] = {}
    for row in (row for group in by_group(rows).values() if not _go_by_items(group) for row in group):
        if row.item:
            name, _, bank = row.item.rpartition("@")
            banks.setdefault(bank, {})[str(row.trial)] = [name, row.cluster]
    return banks


def _first_and_last(moments: list[str]) -> list[str]:
    return [min(moments), max(moments)] if moments else []
