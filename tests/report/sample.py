"""A made-up run of all tests, for tests of reports. Its numbers come from no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from longctx.engine.earlier import earlier_answers
from longctx.engine.finish import ReportInputs, judge
from longctx.gate.verdict import Rules
from longctx.registry import shipped
from longctx.report.page.page import write_page
from longctx.report.run_folder import write_report
from longctx.report.run_report import RunReport
from longctx.results import store
from longctx.results.baseline_file import load_baseline
from longctx.results.manifest import Manifest, load_manifest
from longctx.results.row import Row
from longctx.results.trial_view import View
from longctx.summary.summary import summarize
from longctx.vocabulary.excerpt import Excerpt
from longctx.vocabulary.point import Kind, Quote
from longctx.workspace import Workspace
from tests.rows import bare, row

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<svg onload=\"document.title='owned'\"> javascript:alert(1) {{ 7 * 7 }} \x1b[31mred\x1b[0m \u202eevil\u200b"
)
"""What a hostile document or file name may hold; a model's reply may also hold half a surrogate pair."""

MANIFEST = Manifest(
    run="made-up",
    version="0.1.0",
    profile="made-up",
    profile_digest="0" * 64,
    about="Made up for a test: no model was asked.",
    seed=7,
    options=("--ctx-profile=made up.toml",),
    finished_at="2026-11-23T12:00:00+00:00",
)
VARIANTS = ("none", "two", "none_scratchpad", "two_scratchpad")


def rows(trials: int = 4, model: str = "some-model", text: str = "1234") -> Iterator[Row]:
    """Yield rows of a run in which every third trial is wrong, one is truncated, and one was not asked."""
    cells: list[tuple[str, str, dict[str, Any]]] = [
        *(
            (
                "line_retrieval",
                f"lines-{lines}" + (f"-block_size-{size}" if size else ""),
                {"lines": lines, "block_size": size},
            )
            for lines in (5, 100)
            for size in (None, 1, 2)
        ),
        *(("passkey", f"window-4096-k-{k}", {"window": 4096, "k": k}) for k in (1024, 2048, 4096)),
        *(
            (
                "collage",
                f"budget-3000-longest-600-depth-{depth}-variant-{variant}",
                {"budget": 3000, "longest": 600, "depth": depth, "variant": variant},
            )
            for depth in (0, 50, 100)
            for variant in VARIANTS
        ),
        *(("control", f"record-{record}", {"longest": 600, "record": record}) for record in ("right", "wrong", "none")),
    ]
    for test, cell, params in cells:
        for trial in range(trials):
            kind: Kind = "wrong" if trial % 3 == 1 else "correct"
            yield made_row(test, cell, params, trial, kind, model, text)
    last = made_row("passkey", "window-4096-k-4096", {"window": 4096, "k": 4096}, trials, "truncated", model, text)
    yield last
    yield replace(
        last, trial=trials + 1, outcome="not_asked", error=text, source=None, recorded_at=None, depth=None,
        input_tokens=None, cached_tokens=None, output_tokens=None, latency_s=None, cost_usd=None, returned=None,
    )  # fmt: skip


def made_row(test: str, cell: str, params: dict[str, Any], trial: int, kind: Kind, model: str, text: str) -> Row:
    right = kind == "correct"
    trace = {"line": 2, "line_distance": -2 * trial, "place_distance": trial} if test == "line_retrieval" else {}
    return Row(
        run=MANIFEST.run,
        model=model,
        prompt_set="protocol",
        prompt_digest="0123456789ab",
        test=test,
        cell=cell,
        params=params,
        seed=7,
        trial=trial,
        item=f"q{trial}@0123456789ab" if test in ("collage", "control") else None,
        repeat=0,
        outcome=kind,
        model_returned=model,
        expected=text,
        returned=text if right else f"not {text}",
        why=text,
        trace={} if right else trace,
        depth=(trial + 0.5) / 10 % 1,
        distance_from_end=100,
        input_tokens=1000,
        cached_tokens=900,
        output_tokens=5,
        latency_s=0.5,
        cost_usd=0.001,
        stop_reason="end_turn",
        source="replayed",
        recorded_at="2026-11-21T00:00:00+00:00",
        prompt_sha256="0" * 64,
    )


def view(row: Row, text: str = "1234") -> View:
    if row.outcome == "not_asked":
        return View(f"tests_longctx/test_{row.test}.py::test[{row.cell}]")
    excerpts = [
        Excerpt(("needle",), 3, (("", f"before {text}\n"), ("needle", f"the needle {text}"), ("", f"\nafter {text}")))
    ]
    if row.test == "collage":
        asked = [
            ("", "<Answers>\n"),
            ("answers", f"A. {text}\n"),
            ("right answer", "B. so\n"),
            ("answer given", "C. no"),
        ]
        excerpts.append(Excerpt(("question", "answers"), 9, (("question", f"What? {text}"), ("", "\n\n"), *asked)))
    reply, quotes = f"reply {text}", []
    if "scratchpad" in row.cell:
        reply = f'<scratchpad>"one two three four" and "five six seven {text}"</scratchpad><Answer>A</Answer>'
        quotes = [Quote("one two three four", True, True), Quote(f"five six seven {text}", False, False)]
    return View(f"tests_longctx/test_{row.test}.py::test[{row.cell}]", excerpts, reply, quotes)


def write_run(folder: Path, model: str = "some-model", text: str = "1234") -> Path:
    """Write the folder of a sample run with its page, and return the path of the page."""
    return write_rows(folder, list(rows(model=model, text=text)), model, text)


def write_rows(folder: Path, measured: Sequence[Row], model: str, text: str = "1234") -> Path:
    """Write the folder of a run with these rows, and return the path of its page."""
    store.append(folder, store.row_lines(measured, [view(row, text) for row in measured]))
    record = store.finish(folder)
    manifest = replace(MANIFEST, about=model, labels={"note": model})
    manifest.write(folder)
    write_page(folder, RunReport(record, summarize(record.rows), manifest))
    return folder / "index.html"


GROUPS = {"lost": 5, "gained": 3, "still wrong": 4, "unchanged": 27}
"""The pairs of a gated run by how the answer changed."""


def gated_rows() -> tuple[list[Row], list[Row]]:
    """Return the rows of a baseline and of a gated run; the last trial of the run was not measured."""
    outcomes = {"lost": ("correct", "wrong"), "gained": ("wrong", "correct"), "still wrong": ("wrong", "wrong")}
    pairs = [outcomes.get(group, ("correct", "correct")) for group, number in GROUPS.items() for _ in range(number)]
    before = [_answered(trial, was, model="model-a") for trial, (was, _) in enumerate([*pairs, ("correct", "")])]
    after = [_answered(trial, now, model="model-b") for trial, (_, now) in enumerate(pairs)]
    return before, [*after, bare(outcome="not_asked", error="missing", trial=len(pairs), model="model-b", band="all")]


def _answered(trial: int, outcome: str, **fields: Any) -> Row:
    returned = "12345" if outcome == "correct" else "54321"
    usage = {"input_tokens": 100, "output_tokens": 9, "latency_s": 1.0, "cost_usd": 0.001}
    return row(outcome, trial=trial, expected="12345", returned=returned, band="all", **usage, **fields)


def write_gated(folder: Path, text: str = "The value is {}.", check: str = "") -> Path:
    """Write a gated run whose baseline is a run with replies, as `Finished` does; return its page.

    text: of replies. check: the name of a check that each trial has.
    """
    before, after = gated_rows()
    if check:
        before, after = (
            [*rows, *(replace(row, test=f"{row.test}.{check}", source=None) for row in rows)]
            for rows in (before, after)
        )
    for name, rows_of in (("before", before), ("after", after)):
        views = [_view(row, text) for row in rows_of]
        store.append(folder / name, store.row_lines([replace(row, run=name) for row in rows_of], views))
        store.finish(folder / name)
        replace(MANIFEST, run=name, options=()).write(folder / name)
    record, manifest = store.load(folder / "after"), load_manifest(folder / "after")
    baseline = load_baseline(folder / "before")
    ending = ReportInputs(manifest, shipped(), baseline, Rules(), page=True, parquet=False, workspace=Workspace(folder))
    _, document = judge(folder / "after", baseline, record, ending, Rules(), [])
    earlier = partial(earlier_answers, baseline, record.rows, None)
    write_report(folder / "after", RunReport(record, summarize(record.rows), manifest, document), earlier=earlier)
    return folder / "after" / "index.html"


def _view(row: Row, text: str) -> View:
    excerpt = Excerpt(("needle",), 3, (("", "line 2: "), ("needle", "line 3: 12345"), ("", " line 4")))
    return View("tests_longctx/test_line_retrieval.py::test[lines-5]", [excerpt], text.format(row.returned))
