"""`demo`: the gate on a recorded change of context management, without a key and the network."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.init import MODEL, PYTEST, starter
from longctx.workspace import packaged

if TYPE_CHECKING:
    from longctx.engine.finish import Finished
    from longctx.engine.run import Run
    from longctx.results.baseline_file import Baseline

RECORDED_WITH = "qwen2.5-coder-1.5b"
TEST = "tests_longctx/test_compaction.py"
PROBES = "tests_longctx/compaction/probes.jsonl"
BASELINE = "fixtures/baselines/compaction.jsonl"
CHANGE = "truncate-at-4000"
OF_TESTS = (TEST, PROBES, "tests_longctx/compaction/session.json")
"""Files that the wheel has anyway, among the tests that `init` copies."""
FILES = (
    f"cassettes/{RECORDED_WITH}/test_compaction/all.jsonl",
    f"cassettes/{RECORDED_WITH}/test_compaction/all.{CHANGE}.jsonl",
    "fixtures/profiles/compaction.toml",
    BASELINE,
)
"""The other files of the demonstration, by their paths in a project; the wheel has them in its own folder."""
ALONE = "--import-mode=importlib"
"""Lets pytest import the test next to a module of its name, as from another folder of a demonstration."""
LOST = 3
"""How many lost answers are shown."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="gate a recorded change of context management, offline and without a key",
        description="Replays recordings that come with longctx: the same questions about a session before and after it "
        "is shortened. Prints price, accuracy, three lost answers and the verdict, and writes the report.",
    )
    parser.add_argument("--out", type=Path, default=Path("longctx-demo"), metavar="DIR", help="folder (%(default)s)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.engine.measure import Measurement
    from longctx.engine.run import Run
    from longctx.engine.settings import Settings
    from longctx.extras import PAGE, missing_extras, writes_page
    from longctx.plugin.selected_tests import SelectedTests
    from longctx.report.headline import last_line

    _unpack(options.out)
    with contextlib.chdir(options.out):
        folder = Path.cwd()
        settings = Settings(profile="compaction", strategies=(CHANGE,), baseline=BASELINE)
        gated = Run.with_settings(settings, folder)
        finished = Measurement(gated, SelectedTests(gated, [TEST, ALONE]).measure()).finish()
        assert gated.plan.baseline
        print("\n".join(_shown(gated, gated.plan.baseline, finished)))
    print(f"\n{last_line(finished.headline, 10)}")
    page = finished.record.folder / ("index.html" if writes_page(settings.page) else "summary.md")
    print(f"Report: {os.path.relpath(page)}")
    if clause := missing_extras(*PAGE):
        print(f"The report is text: its page {clause}.")
    print("Next, your own test: longctx init --test my_first")
    if page.suffix == ".html" and sys.stdout.isatty() and _has_screen():
        webbrowser.open(page.absolute().as_uri())
    return 0


def _shown(run: Run, baseline: Baseline, finished: Finished) -> Iterator[str]:
    """Yield the lines on what changed: price, accuracy, and the first answers that were lost."""
    from longctx.config.models import load_model
    from longctx.engine.earlier import views_of
    from longctx.gate.usage import Usage
    from longctx.report.gate_lines import one_line

    sides = [{row.item: row for row in rows} for rows in (baseline.rows, finished.record.rows)]
    prices = load_model(run.workspace, MODEL).prices
    assert prices
    number = len(sides[0])
    usage = [Usage.of([*side.values()]) for side in sides]
    tokens = [each.input_tokens or 0 for each in usage]
    written = [each.output_tokens or 0 for each in usage]
    paid = [(sent * prices.input + wrote * prices.output) / 1e6 for sent, wrote in zip(tokens, written, strict=True)]
    right = [{item for item, row in side.items() if row.outcome == "correct"} for side in sides]
    yield f"{number} questions about a session of 8,300 tokens, answered by {RECORDED_WITH}; all answers are recorded."
    yield f"The change ({CHANGE}): the model gets at most the last 4,000 tokens of the session."
    yield ""
    yield (
        f"Price:    ${number * paid[0]:.2f} → ${number * paid[1]:.2f} for all, at the prices of {MODEL} without a "
        f"cache ({tokens[0]:,.0f} → {tokens[1]:,.0f} input tokens each)"
    )
    yield (
        f"Accuracy: {len(right[0]) / number:.2f} → {len(right[1]) / number:.2f}; "
        f"{len(right[0] - right[1])} answers were lost, {len(right[1] - right[0])} gained"
    )
    probes = map(json.loads, (run.workspace.root / PROBES).read_text(encoding="utf-8").splitlines())
    lost = [probe for probe in probes if probe["id"] in right[0] - right[1]][:LOST]
    earlier = views_of(baseline, [sides[0][probe["id"]] for probe in lost], run.workspace.cassettes)
    now = {row.item: view for row, view in finished.record.seen()}
    for probe in lost:
        before, after = earlier[sides[0][probe["id"]].identity]["reply"], now[probe["id"]]["reply"]
        yield f"\n{probe['question']}"
        yield f'  "{one_line(str(before))}" → "{one_line(after)}"'


def _unpack(folder: Path) -> None:
    """Write the files of the demonstration into a folder, unless they are there: a project that pytest can run."""
    installed = packaged() / "demo"
    source = installed if installed.is_dir() else packaged().parent
    for name, path in [*((name, source / name) for name in FILES), *((name, starter(name)) for name in OF_TESTS)]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / name).exists():
            shutil.copyfile(path, folder / name)
    if not (folder / "pytest.ini").exists():
        (folder / "pytest.ini").write_text(PYTEST, encoding="utf-8")


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
