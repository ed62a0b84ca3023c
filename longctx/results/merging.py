"""The merging of several runs: CI shards, or checkpoints with different labels. Their order does not matter."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.results.baseline_file import BY_DEFAULT, Baseline, group_lines, load_baseline
from longctx.results.manifest import Manifest, RecordedTerms, require_manifest
from longctx.results.row import EARLY_STOP, Row, grouped
from longctx.results.store import (
    by_group,
    cell_name,
    check_each_once,
    digest_of_answers,
    left_out_of_all,
    load_rows,
    read,
    row_of,
)
from longctx.text import count, some_of

MergeKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """A row of one of the runs."""

    folder: Path
    place: int
    """Its line in the files of `folder`, from 0."""
    row: Row
    has_view: bool
    """Whether it has a view."""
    digest: bytes
    """The digest of the row and its view."""

    @classmethod
    def of(cls, folder: Path, place: int, line: str, view: str) -> Kept:
        digest = hashlib.sha256(f"{line}\t{view}".encode()).digest()
        return cls(folder, place, row_of(line, folder), bool(view), digest)

    @property
    def subject(self) -> MergeKey:
        """The test and the subject of the row."""
        labels = json.dumps(sorted(self.row.labels.items()))
        server = self.row.server or ""
        return (self.row.test, self.row.model, self.row.prompt_set, self.row.shape, server, labels)

    @property
    def answer(self) -> MergeKey:
        """The identity of the answer. Rows of one trial with the same answer count once."""
        return (str(self.row.prompt_sha256), str(self.row.recorded_at))

    def __str__(self) -> str:
        return cell_name(self.row.test, f"{self.row.cell}#{self.row.name}", self.row.subject)


def merge_rows(folders: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield the rows of all runs with their views, as `store.write` takes them; trials in several runs count once.

    The texts are read again one by one, because those of all runs may not fit into memory. Raises UserError if two runs
    answer a trial differently, or use one name for different prompts, and if a run contains a trial in two rows.
    """
    kept = [Kept.of(folder, place, *pair) for folder in folders for place, pair in enumerate(read(folder))]
    for folder, entries in grouped(kept, lambda entry: entry.folder).items():
        check_each_once(folder, (entry.row for entry in entries))
    _check_words(kept)
    counted: dict[tuple[object, ...], Kept] = {}
    for entry in kept:
        other = counted.setdefault(entry.row.identity, entry)
        if other is not entry:
            counted[entry.row.identity] = _one_of(other, entry)
    counts = {(entry.folder, entry.place) for entry in counted.values()}
    return (pair for folder in folders for place, pair in enumerate(read(folder)) if (folder, place) in counts)


def merge_manifests(folders: Sequence[Path], name: str) -> Manifest:
    """Return the manifest of the merged run, with the manifest of each run in `merged`. Raises UserError.

    Versions and profiles that differ are listed; digests and numbers that differ are left out. A run that was itself
    merged counts as the runs that it was merged from.
    """
    distinct: dict[str, Mapping[str, Any]] = {}
    manifests = [require_manifest(folder) for folder in folders]
    for manifest in manifests:
        for part in manifest.merged or (asdict(manifest),):
            text = json.dumps({name: value for name, value in part.items() if name != "merged"}, sort_keys=True)
            distinct[text] = json.loads(text)
    parts = [distinct[key] for key in sorted(distinct, key=lambda key: (distinct[key]["run"], key))]
    labels = set.intersection(*(set(part["labels"].items()) for part in parts))
    return Manifest(
        run=name,
        version=_all(parts, "version"),
        profile=_all(parts, "profile"),
        profile_digest=_shared(parts, "profile_digest") or "",
        about=_shared(parts, "about") or "",
        seed=_shared(parts, "seed"),
        labels=dict(sorted(labels)),
        options=tuple(_shared(parts, "options") or ()),
        prices=_agreed(parts, "prices"),
        sent_as=_agreed(parts, "sent_as"),
        headers=_agreed(parts, "headers"),
        hooks=tuple(sorted({hook for part in parts for hook in part.get("hooks", ())})),
        base=", ".join(sorted({part["base"] for part in parts if part.get("base")})),
        documents=_agreed(parts, "documents"),
        templates=_agreed(parts, "templates"),
        filters=tuple({json.dumps(kept): kept for part in parts for kept in part.get("filters", ())}.values()),
        finished_at=max(part["finished_at"] for part in parts),
        facts=_facts(parts),
        looks=_looks(parts, "looks"),
        functions_looks=_looks(parts, "functions_looks"),
        terms=_strictest([part.get("terms") for part in parts]),
        left_out=left_out_of_all(
            [(manifest, load_rows(folder)) for manifest, folder in zip(manifests, folders, strict=True)]
        ),
        empty=tuple(sorted({name for part in parts for name in part.get("empty", ())})),
        reports=_reports(parts),
        commit=_shared(parts, "commit") or "",
        ci_run=_shared(parts, "ci_run") or "",
        tests=dict(sum((Counter(part.get("tests", {})) for part in parts), Counter())),
        merged=tuple(parts),
    )


def _reports(parts: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """Return the tests that declare a report in any of the parts, and whether one of these adds to the gate."""
    declared = [(name, gated) for part in parts for name, gated in part.get("reports", {}).items()]
    return {name: (name, True) in declared for name in sorted({name for name, _ in declared})}


def _strictest(terms: Sequence[Mapping[str, Any] | None]) -> RecordedTerms | None:
    """Return the smallest of each term; None unless all parts have recorded theirs."""
    known = [of for of in terms if of]
    if len(known) < len(terms):
        return None
    stated = [of["run_margin"] for of in known if of["run_margin"] is not None]
    margin, alpha = (min(of[name] for of in known) for name in ("margin", "alpha"))
    return RecordedTerms(margin=margin, alpha=alpha, run_margin=min(stated, default=None))


def _looks(parts: Sequence[Mapping[str, Any]], field: str) -> str:
    """Return the plan of the parts that were sent in looks. Raises UserError if these are several."""
    plans = sorted({part[field] for part in parts if part.get(field)})
    if len(plans) > 1:
        raise UserError(
            "looks-differ",
            f"The runs have different plans of looks ({' and '.join(plans)}), and a verdict needs one plan: record all "
            "shards again with the same `looks` in their profile, or merge with --no-looks.",
        )
    return "".join(plans)


def _check_words(kept: Sequence[Kept]) -> None:
    """Raise UserError if two runs use the same name for prompt sets with different templates."""
    words: dict[MergeKey, Kept] = {}
    for entry in kept:
        other = words.setdefault(entry.subject, entry)
        if entry.row.prompt_digest != other.row.prompt_digest:
            raise UserError(
                "prompt-sets-differ",
                f"The prompts {entry.row.prompt_set!r} of {entry.row.test} have different texts in "
                f"{entry.folder} ({entry.row.prompt_digest}) and in {other.folder} "
                f"({other.row.prompt_digest}): "
                f"{_told_apart(entry, other)}",
            )


def _one_of(first: Kept, second: Kept) -> Kept:
    """Return the row of a trial that counts: a measured one rather than one that was not; of equal answers, either.

    Raises UserError if the answers differ, or were judged differently.
    """
    if first.row.measured and second.row.measured:
        if first.answer != second.answer:
            raise UserError(
                "answered-twice",
                f"{first} was answered twice, in {first.folder} and in {second.folder}, and longctx "
                f"cannot choose between them: {_told_apart(first, second)}",
            )
        judged = [kept.row.outcome for kept in (first, second)]
        if judged[0] != judged[1]:
            raise UserError(
                "judged-twice",
                f"{first} has one answer, judged {judged[0]} in {first.folder} and {judged[1]} in "
                f"{second.folder}: replay both runs with the same version of longctx, and merge those.",
            )
    return min(first, second, key=_rank)


def _rank(kept: Kept) -> tuple[object, ...]:
    """Return a sort key: measured before unmeasured, with text before without, live before replayed; then by digest."""
    return (not kept.row.measured, not kept.has_view, kept.row.source != "live", kept.digest)


def _told_apart(first: Kept, second: Kept) -> str:
    if first.folder == second.folder:
        return f"run {first.folder} again, once."
    return "leave out one of the runs, or distinguish them by labels (--ctx-label NAME=VALUE)."


def _all(parts: Sequence[Mapping[str, Any]], name: str) -> str:
    return ", ".join(sorted({part[name] for part in parts}))


def _agreed(parts: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Return a field's value for each model on which all runs agree that have one."""
    by_model: dict[str, list[Any]] = {}
    for part in parts:
        for model, value in part.get(name, {}).items():
            by_model.setdefault(model, []).append(value)
    return {
        model: values[0] for model, values in sorted(by_model.items()) if all(value == values[0] for value in values)
    }


def _facts(parts: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, int]]:
    """Return the facts of each cell. Raises UserError if two runs contradict each other."""
    merged: dict[str, tuple[str, Mapping[str, int]]] = {}
    for part in parts:
        for cell, facts in part.get("facts", {}).items():
            other, known = merged.setdefault(cell, (part["run"], facts))
            if differing := sorted(name for name in {*known, *facts} if known.get(name) != facts.get(name)):
                name = differing[0]
                raise UserError(
                    "drawn-differently",
                    f"{cell} has different facts in the two runs: {name} is {known.get(name)} in the run {other} "
                    f"and {facts.get(name)} in the run {part['run']}: leave one of them out, or run them with labels "
                    "that tell them apart (--ctx-label NAME=VALUE).",
                )
    return {cell: facts for cell, (_, facts) in sorted(merged.items())}


def _shared(parts: Sequence[Mapping[str, Any]], name: str) -> Any:
    """Return the field's value if all runs have the same; else None."""
    first = parts[0].get(name)
    return first if all(part.get(name) == first for part in parts) else None


SHOWN = 3
"""The most cells that a sentence names."""
ASK_AGAIN = "run the same trials once more with --ctx-repeats {runs} --ctx-record once, and add that run"


def check_not_stopped(manifest: Manifest, rows: Sequence[Row]) -> None:
    """Raise UserError if looks left out trials of a run."""
    if any(row.error == EARLY_STOP for row in rows):
        raise UserError(
            "run-stopped-early",
            f"The run {manifest.run} was stopped early by looks, so its answers decided which trials it has: record "
            "the others, too (--ctx-record once, with looks = 'once' in the profile), and save that run.",
        )


def new_rows(path: Path, manifest: Manifest, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of a run that a baseline does not have yet; those of repeats that it has are left out.

    Raises UserError if there are none, or if its trials differ from those of the baseline's runs.
    """
    baseline = load_baseline(path)
    _check_headers(baseline, manifest)
    kept = list(group_lines(path))
    again = ASK_AGAIN.format(runs=baseline.runs + 1)
    added: list[Row] = []
    for of_repeat in grouped(rows, lambda row: row.repeat).values():
        groups = list(by_group(of_repeat).values())
        known = [group for group in groups if any(_holds(line, group) for line in kept)]
        if 0 < len(known) < len(groups):
            raise UserError(
                "answers-partly-known",
                f"The baseline {path.stem} has the recorded answers of {len(known):,} of {len(groups):,} cells of "
                f"the run {manifest.run} ({_named(known)}): {again}.",
            )
        if not known:
            _check_same_trials(path, baseline, of_repeat, manifest)
            added += of_repeat
    if not added:
        raise UserError(
            "answers-known",
            f"The baseline {path.stem} has the recorded answers of the run {manifest.run}: a replay adds no evidence. "
            f"To add a run, {again}.",
        )
    return added


def _holds(line: Mapping[str, Any], group: Sequence[Row]) -> bool:
    """Return whether a baseline's line has answers of a group: the same digest, or not recorded before them.

    A recording that replaces another is later than it, and each repeat is recorded apart.
    """
    first = group[0]
    names = ("test", "version", "model", "prompt_set", "prompt_digest", "cell", "seed", "repeat")
    if any(line[name] != getattr(first, name) for name in names):
        return False
    if any(line.get(name, default) != getattr(first, name) for name, default in BY_DEFAULT.items()):
        return False
    digest = digest_of_answers(group)
    if digest is not None and line.get("answers") == digest:
        return True
    times = [row.recorded_at for row in group if row.recorded_at]
    return bool(times and line["recorded"]) and min(times) <= line["recorded"][1]


def _check_headers(baseline: Baseline, manifest: Manifest) -> None:
    was, now = baseline.manifest.headers, manifest.headers
    if differing := [model for model in sorted({*was, *now}) if was.get(model) != now.get(model)]:
        raise UserError(
            "run-of-other-headers",
            f"The run {manifest.run} used other betas or headers for {', '.join(differing)} than the baseline "
            f"{baseline.name}: save it under another name.",
        )


def _check_same_trials(path: Path, baseline: Baseline, rows: Sequence[Row], manifest: Manifest) -> None:
    """Raise UserError unless the rows ask what the baseline asks: the same trials, of the same model that answered."""
    first = {_asked(row): row for row in baseline.rows if row.repeat == 0}
    ours = {_asked(row): row for row in rows}
    absent = [row for key, row in first.items() if key not in ours]
    more = [row for key, row in ours.items() if key not in first]
    answered = {(row.model, str(row.model_returned)) for row in first.values() if row.model_returned}
    answering = {(row.model, row.model_returned) for row in rows if row.model_returned}
    named = {(model, name) for model, names in answered for name in names.split(", ")}
    faults = [
        *([f"it lacks {count(len(absent), 'trial')} ({_named([absent])})"] if absent else []),
        *([f"it has {count(len(more), 'other trial')} ({_named([more])})"] if more else []),
        *(f"{name} answered instead of {model}" for model, name in sorted(answering - named) if named),
    ]
    if faults:
        raise UserError(
            "run-of-other-trials",
            f"The run {manifest.run} has other trials than the baseline {path.stem}: {'; '.join(faults)}. Models, "
            "prompts, documents, labels and trials must be the same; save it under another name.",
        )


def _asked(row: Row) -> tuple[object, ...]:
    labels = tuple(sorted(row.labels.items()))
    subject = (row.test, row.version, row.model, row.prompt_set, row.prompt_digest, row.shape, row.server, labels)
    return (*subject, row.cell, row.seed, row.item, row.trial, row.documents)


def _named(groups: Sequence[Sequence[Row]]) -> str:
    names = list(dict.fromkeys(f"{row.test}/{row.cell}" for group in groups for row in group))
    return some_of(names, SHOWN)
