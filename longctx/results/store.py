"""The rows of a run on disk: one process appends them as they arrive, and orders them when the run ends.

Groups of rows, which a baseline keeps as one line each, and the digest of the recorded answers behind a group.

Runs with equal digests replayed the same answers.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from longctx.errors import UserError
from longctx.fields import parsed
from longctx.files import inside, lines, lines_at, locked, unwritable
from longctx.redaction import redacted_json
from longctx.results.export import CSV, PARQUET
from longctx.results.manifest import MANIFEST, Manifest, damaged_file_error
from longctx.results.row import Row, Subject, View, check_view, grouped
from longctx.vocabulary.point import is_check
from longctx.vocabulary.shapes import SHAPES

RESULTS = "results.jsonl"
VIEWS = "views.jsonl"
"""Line n of this file is the view of line n of RESULTS."""
UNFINISHED = "rows.part"
"""The rows of a run that has not ended, in the order of their arrival. A tab separates a row from its view, if any."""


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run: its rows, and its folder, from which views are read when they are needed."""

    rows: list[Row]
    folder: Path

    def views(self, places: Iterable[int] | None = None) -> Iterator[str]:
        """Yield the views of the rows at these places, by default of all, as JSON; empty if a row has no view.

        Raises UserError for a view that is not a valid file of a run.
        """
        chosen = range(len(self.rows)) if places is None else places
        file = self.folder / VIEWS
        for view in lines_at(file, chosen) if file.exists() else ("" for _ in chosen):
            try:
                check_view(view)
            except ValueError as error:
                raise damaged_file_error(file, error) from None
            yield view

    def seen(self) -> list[tuple[Row, dict[str, Any]]]:
        """Return the rows with the fields of their views; an empty dict if a row has no view."""
        return [(row, json.loads(view) if view else {}) for row, view in zip(self.rows, self.views(), strict=True)]


def as_lines(rows: Sequence[Row], views: Sequence[View] = ()) -> list[str]:
    """Return rows, with their views if there are any, as lines for `append`.

    Every encoding can contain the lines: a lone surrogate is written as an escape.
    """
    texts = (
        [
            f"{redacted_json(row.to_json())}\t{redacted_json(view.to_json())}"
            for row, view in zip(rows, views, strict=True)
        ]
        if views
        else None
    )
    return [_encodable(text) for text in texts or (redacted_json(row.to_json()) for row in rows)]


def append(folder: Path, lines: Sequence[str]) -> None:
    """Append lines to the unfinished run in a folder, in one write. Raises UserError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / UNFINISHED).open("ab") as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        raise unwritable(folder, error) from None


def finish(folder: Path, into: Path | None = None) -> FinishedRun:
    """Finish a run: write its rows in order to `into`, by default the same folder. Raises UserError.

    Equal rows, as of a test that ran twice, count once. Two rows of one trial that differ are refused.
    """
    file, rows = folder / UNFINISHED, {}
    for place, line in enumerate(lines(file)):
        text = line.partition("\t")[0]
        rows[hashlib.sha256(text.encode()).digest()] = row_of(text, folder), place
    ordered = sorted(rows.values(), key=lambda entry: _sort_key(entry[0]))
    check_each_once(folder, (row for row, _ in ordered))
    texts = (line.partition("\t")[::2] for line in lines_at(file, (place for _, place in ordered)))
    return _write(into or folder, [row for row, _ in ordered], texts)


def drop_unfinished(folder: Path) -> None:
    """Delete what `append` wrote."""
    if os.path.lexists(folder / UNFINISHED):
        (folder / UNFINISHED).unlink()


def write(folder: Path, pairs: Iterable[tuple[str, str]]) -> FinishedRun:
    """Write rows and views, given as lines of JSON, in the order that every run has. A view may be empty."""
    with _created(folder / UNFINISHED) as file:
        file.writelines(f"{line}\t{view}\n" for line, view in pairs)
    record = finish(folder)
    drop_unfinished(folder)
    return record


def read(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the rows of a finished run with their views, as `write` takes them. Raises FileNotFoundError."""
    views = lines(folder / VIEWS) if (folder / VIEWS).exists() else ()
    return zip(lines(folder / RESULTS), itertools.chain(views, itertools.repeat("")), strict=False)


def load(folder: Path) -> FinishedRun:
    """Load a finished run. Raises FileNotFoundError if there is none, and UserError as `load_rows` does."""
    return FinishedRun(load_rows(folder), folder)


def load_rows(folder: Path) -> list[Row]:
    """Load the rows of a finished run. Raises FileNotFoundError if there is none; UserError for a trial in two rows."""
    rows = [row_of(line, folder) for line in lines(folder / RESULTS)]
    check_each_once(folder, rows)
    return rows


def row_of(line: str, folder: Path) -> Row:
    """Return the row in a line of the run in a folder. Raises UserError."""
    try:
        return Row.of(parsed(json.loads, line))
    except ValueError as error:
        raise damaged_file_error(folder / RESULTS, error) from None


def check_each_once(folder: Path, rows: Iterable[Row]) -> None:
    """Raise UserError if two rows of a run are of one trial: it would count twice."""
    seen: set[tuple[object, ...]] = set()
    for row in rows:
        if row.identity in seen:
            raise UserError(
                "trial-in-two-rows",
                f"{folder}: trial {row.trial} of {row.test} {row.cell} on {row.subject} occurs twice: two runs "
                "wrote there, or its files were joined. Run it again into its own folder, or merge two runs with "
                "longctx merge.",
            )
        seen.add(row.identity)


def _write(folder: Path, rows: list[Row], texts: Iterable[tuple[str, str]]) -> FinishedRun:
    """Write the texts of the rows and of their views. If all views are empty, no file of views is left."""
    with _created(folder / RESULTS) as results, _created(folder / VIEWS) as views:
        has_views = False
        for line, view in texts:
            results.write(f"{line}\n")
            views.write(f"{view}\n")
            has_views = has_views or bool(view)
    if not has_views:
        (folder / VIEWS).unlink()
    return FinishedRun(rows, folder)


def _created(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8")


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _sort_key(row: Row) -> tuple[object, ...]:
    """Return a key that sorts numbers in names by value: lines-5 before lines-10, steps=200 before steps=1000."""
    labels = [(name, _natural(value)) for name, value in sorted(row.labels.items())]
    subject = (row.model, row.prompt_set, SHAPES.index(row.shape), row.server or "", labels)
    question = (_natural(row.cell), row.item or "", row.seed, row.trial, row.repeat)
    return (row.test, *subject, *question)


def _natural(name: str) -> list[str | int]:
    """Split a name into text and numbers, alternating."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", name))]


FILES = (
    RESULTS,
    VIEWS,
    MANIFEST,
    CSV,
    PARQUET,
    "summary.json",
    "summary.md",
    "gate.json",
    "gate.md",
    "index.html",
    "charts",
    "details",
)
"""The names that a finished run may have in its folder."""
OF_RUN = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}(-\d+)?")
"""The names that runs give to their folders."""


def check_free(folder: Path) -> None:
    """Raise UserError if the folder of --ctx-report already contains a run."""
    if existing := next((name for name in FILES if os.path.lexists(folder / name)), None):
        raise UserError(
            "report-exists",
            f"--ctx-report {folder} already contains {existing}, which the report would replace: choose another "
            "folder.",
        )


@contextlib.contextmanager
def only_reporter(folder: Path) -> Iterator[None]:
    """Lock the folder of a report until it is written. Raises UserError if another run writes there.

    A folder that is made for the lock is removed again if nothing is written to it.
    """
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    held = UserError("report-locked", f"Another run is writing its report into {folder}: give each run its own folder.")
    with contextlib.ExitStack() as stack:
        for parent in reversed(missing):
            stack.callback(_drop_empty, parent)
        stack.enter_context(locked(folder, held, "two runs could mix their rows", goes=True))
        yield


def _drop_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def find_run(path: Path) -> Path:
    """Return the folder of a finished run. Raises UserError.

    path: the folder, or `latest`, which is a file with the run's name on systems that do not allow links.
    """
    folder = path
    if path.name == "latest":
        inside(path, path.parent)
        if path.is_file():
            folder = path.parent / path.read_text(encoding="utf-8", errors="replace").strip()
            inside(folder, path.parent)
    if (folder / RESULTS).is_file():
        for name in FILES:
            inside(folder / name, folder)
        return folder.resolve()
    if (folder / UNFINISHED).is_file():
        raise UserError(
            "run-not-finished",
            f"{path} contains an unfinished run: run it again; its recorded answers are kept.",
        )
    if path.is_file():
        raise UserError("path-is-file", f"{path} is a file: name the folder of a run, such as reports/latest.")
    raise UserError("no-run", f"{path} contains no run: name the folder that pytest wrote, such as reports/latest.")


def remove_old_runs(reports: Path, keep: int, beside: Collection[Path] = ()) -> None:
    """Remove the runs of a project but the last ones. Folders that no run named are left alone.

    Args:
        reports: The folder of the runs.
        keep: How many are kept; 0 for all.
        beside: Folders that are kept, too, such as that of a baseline.
    """
    if not keep:
        return
    runs = sorted(path for path in reports.iterdir() if OF_RUN.fullmatch(path.name) and _is_run(path))
    kept = {path.resolve() for path in beside}
    for path in runs[:-keep]:
        if path.resolve() not in kept:
            shutil.rmtree(path, ignore_errors=True)


def _is_run(path: Path) -> bool:
    return not path.is_symlink() and (path / RESULTS).is_file() and (path / MANIFEST).is_file()


PARTS = ("model", "system", "tools", "messages", "parameters")
"""The names of the parts in the order in which people read them; parameters are what is in no other part."""


def as_mapping(parts: str) -> dict[str, str]:
    """Return the digests by the names of the parts."""
    return dict(entry.split("=", 1) for entry in parts.split())


def parts_that_differ(before: str | None, after: str | None) -> dict[str, bool]:
    """Return whether each part of two requests differs, in their order; empty if the parts of either are not known.

    A digest may be kept by its beginning alone.
    """
    if not before or not after:
        return {}
    was, now = as_mapping(before), as_mapping(after)
    return {name: not _same(was.get(name), now.get(name)) for name in PARTS if name in was or name in now}


def request_difference(differ: Mapping[str, int], number: int) -> str:
    """Return what differs, and what does not. differ: in how many of `number` requests each part does.

    Example:
        >>> sentence({"system": 60, "tools": 0, "messages": 0}, 60)
        'system; tools and messages are the same'
    """
    changed = [name if times == number else f"{name} in {times:,}" for name, times in differ.items() if times]
    same = [name for name, times in differ.items() if not times]
    if not same:
        return _listed(changed)
    verb = "is" if same in (["model"], ["system"]) else "are"
    return f"{_listed(changed)}; {_listed(same)} {verb} the same"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _same(before: str | None, after: str | None) -> bool:
    if before is None or after is None:
        return before is after
    return before.startswith(after) or after.startswith(before)


SHOWN = 3
"""The most names and causes that a sentence lists."""


def cell_name(test: str, cell: str, subject: Subject) -> str:
    """Return, for instance, `line_retrieval/lines-5 of some-model, prompts protocol`, followed by any labels."""
    labels = f" {subject.label}" if subject.label else ""
    return f"{test}/{cell} of {subject.model}, prompts {subject.prompt_set}{labels}"


def cell_names(rows: Sequence[Row]) -> set[str]:
    """Return the names of the rows' cells."""
    return {cell_name(row.test, row.cell, row.subject) for row in rows}


def left_out_of_all(runs: Sequence[tuple[Manifest, Sequence[Row]]]) -> tuple[str, ...]:
    """Return the names of the cells that some runs left out and none ran completely. runs: with their rows."""
    whole = {name for manifest, rows in runs for name in cell_names(rows) - {*manifest.left_out}}
    return tuple(dict.fromkeys(name for manifest, _ in runs for name in manifest.left_out if name not in whole))


def missing_shards(manifest: Manifest) -> list[str]:
    """Return a sentence, without its full stop, on the missing shards of each grid that a run has some shards of."""
    present: dict[str, set[str]] = {}
    for part in manifest.parts:
        if part.get("shard"):
            common = [part[name] for name in ("profile_digest", "seed", "options", "labels")]
            grid = json.dumps([*common, part["shard"].partition("/")[2]], sort_keys=True)
            present.setdefault(grid, set()).add(part["shard"])
    sentences = []
    for grid, shards in present.items():
        *_, labels, of = json.loads(grid)
        missing = [f"{number}/{of}" for number in range(1, int(of) + 1) if f"{number}/{of}" not in shards]
        label = "".join(f", {name}={value}" for name, value in sorted(labels.items())) if len(present) > 1 else ""
        if missing:
            which = f"{', '.join(missing[:SHOWN])}{_more(missing)}"
            noun, verb = ("shard", "is") if len(missing) == 1 else ("shards", "are")
            sentences.append(f"{noun} {which} of its grid{label} {verb} missing")
    return sentences


def incomplete_sentences(manifest: Manifest, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence, without its full stop, on each way in which a run is incomplete."""
    yield from missing_shards(manifest)
    if names := manifest.left_out:
        yield f"it left out {len(names):,} of its grid's cells: {'; '.join(names[:SHOWN])}{_more(names)}"
    trials = [row for row in rows if not is_check(row.test)]
    if missing := [row.error or row.outcome for row in trials if not row.measured]:
        causes = Counter(missing).most_common()
        listed = ", ".join(f"{number:,} {cause}" for cause, number in causes[:SHOWN])
        yield f"{len(missing):,} of its {len(trials):,} trials were not measured ({listed}{_more(causes)})"


def _more(names: Sequence[object]) -> str:
    return " …" if len(names) > SHOWN else ""


GROUP_FIELDS = (
    *("test", "version", "model", "prompt_set", "prompt_digest", "labels", "shape", "server"),
    *("cell", "params", "band", "seed", "repeat"),
)
"""The fields that all rows of a group share: they belong to one cell and repeat of one subject."""


def group_key(row: Row) -> str:
    """Return the fields of GROUP_FIELDS as JSON, which identify a row's group."""
    return json.dumps({name: getattr(row, name) for name in GROUP_FIELDS})


def by_group(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the groups of rows by their keys, in the order of the rows."""
    return grouped(rows, group_key)


def digest_of_answers(rows: Sequence[Row]) -> str | None:
    """Return the digest of the answers to the trials of one group; None if any trial has no answer."""
    if any(row.prompt_sha256 is None for row in rows):
        return None
    recorded = ([row.trial, row.prompt_sha256, row.recorded_at, row.latency_s] for row in rows)
    # The latency may be None: batches measure none.
    answers = sorted(recorded, key=lambda answer: (*answer[:-1], answer[-1] is not None, answer[-1] or 0.0))
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()[:16]


def with_answers(rows: Sequence[Row]) -> list[Row]:
    """Return the same rows, each with the digest of its group's answers."""
    digests = {key: digest_of_answers(group) for key, group in by_group(rows).items()}
    return [replace(row, answers=digests[group_key(row)]) for row in rows]
