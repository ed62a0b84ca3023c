"""`export`: write a run's data in the format that the file's suffix determines."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared.output import check_free
from longctx.errors import UserError
from longctx.extras import PAGE, require
from longctx.files import write_file
from longctx.results.folder import find_run
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.report.page.earlier import EarlierAnswers
    from longctx.results.store import FinishedRun
    from longctx.summary.summary import Summary


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "export",
        help="write a run's data as CSV, Parquet, JSON, Markdown or HTML",
        description="The suffix of FILE says what is written: .csv or .parquet, one row a trial with typed columns; "
        ".jsonl, the rows as they were kept; .json, the summary for programs; .md, its tables; .html, its page.",
    )
    parser.add_argument("folder", type=Path, metavar="RUN", help="a run's folder, such as reports/latest")
    parser.add_argument("file", type=Path, metavar="FILE", help="where to; its suffix says in which format")
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.set_defaults(run=run, passes_on=False)


def run(options: argparse.Namespace, _: list[str]) -> int:
    file: Path = options.file
    write = WRITERS.get(file.suffix.lower())
    if write is None:
        raise UserError(
            "unknown-export-format",
            f"The ending of {file.name!r} does not say which format to write: end it in {', '.join(WRITERS)}.",
        )
    require(f"{file.suffix}", *NEEDED.get(file.suffix.lower(), ()))
    folder = find_run(options.folder)
    check_free(file, options.force)
    write_file(file, lambda part: write(options.workspace, folder, part))
    print(f"{file}: {file.stat().st_size:,} bytes")
    return 0


def _csv(workspace: Workspace, folder: Path, file: Path) -> None:
    from longctx.results.export import export
    from longctx.results.store import load_rows

    export(load_rows(folder), csv=file)


def _parquet(workspace: Workspace, folder: Path, file: Path) -> None:
    from longctx.results.export import export
    from longctx.results.store import load_rows

    export(load_rows(folder), parquet=file)


def _rows(workspace: Workspace, folder: Path, file: Path) -> None:
    from longctx.results.store import RESULTS

    shutil.copyfile(folder / RESULTS, file)


def _json(workspace: Workspace, folder: Path, file: Path) -> None:
    from longctx.report.data import as_json

    file.write_text(as_json(_summary(workspace, folder), folder.name), encoding="utf-8")


def _markdown(workspace: Workspace, folder: Path, file: Path) -> None:
    from longctx.report.text import as_markdown
    from longctx.report.verdict_data import load_shown

    file.write_text(as_markdown(_summary(workspace, folder), folder.name, load_shown(folder)), encoding="utf-8")


def _summary(workspace: Workspace, folder: Path) -> Summary:
    from longctx.registry import families
    from longctx.results.manifest import MANIFEST, load_manifest
    from longctx.results.store import load_rows
    from longctx.summary.summary import summarize

    rows = load_rows(folder)
    if not (folder / MANIFEST).exists():
        return summarize(rows, families=families(workspace))
    manifest = load_manifest(folder)
    return summarize(rows, manifest.prices_of, manifest.sent_as, families(workspace), manifest.facts)


def _page(workspace: Workspace, folder: Path, file: Path) -> None:
    from longctx.registry import families
    from longctx.report.page.page import page_of
    from longctx.report.verdict_data import load_shown
    from longctx.results.manifest import require_manifest
    from longctx.results.store import load
    from longctx.summary.summary import summarize

    record, manifest = load(folder), require_manifest(folder)
    summary = summarize(record.rows, manifest.prices_of, manifest.sent_as, families(workspace), manifest.facts)
    page = page_of(summary, record, manifest, load_shown(folder), _earlier(workspace, folder, record))
    file.write_text(page, encoding="utf-8")


def _earlier(workspace: Workspace, folder: Path, record: FinishedRun) -> EarlierAnswers | None:
    """Return the answers of the baseline that a run was gated against; None if it was not, or is no longer here."""
    from longctx.engine.earlier import earlier_answers
    from longctx.registry import families
    from longctx.report.verdict_data import baseline_of
    from longctx.results.baseline import load_baseline
    from longctx.results.store import VIEWS

    name, run = baseline_of(folder)
    # The name is from a file that may be another's: it is looked for among the project's own, and is no path.
    file = next((path for path in workspace.baselines() if path.stem == name), None)
    baseline = load_baseline(file) if file else None
    if baseline is None or baseline.manifest.run != run:
        return None
    text = (folder / VIEWS).exists()
    return earlier_answers(baseline, record.rows, workspace.cassettes, text, families(workspace))


WRITERS: dict[str, Callable[[Workspace, Path, Path], None]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".jsonl": _rows,
    ".json": _json,
    ".md": _markdown,
    ".html": _page,
}
NEEDED = {".html": PAGE, ".parquet": ("pyarrow",)}
"""The modules of extras that formats need."""
