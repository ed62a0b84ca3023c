"""`demo`: the gate on a recorded change of server, without a key and the network."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.init import PYTEST, starter
from longctx.workspace import packaged

if TYPE_CHECKING:
    from longctx.engine.finish import Finished

MODEL = "gemma-3-270m"
SERVER = "kv-q4_0"
PROFILE = "table4"
TEST = "tests_longctx/test_passkey.py"
BASELINE = f"fixtures/baselines/{PROFILE}.jsonl"
SIDES = (MODEL, f"{MODEL},server={SERVER}")
CELLS = tuple(f"passkey/window-4096-k-{distance}" for distance in range(256, 4096 + 1, 256))
FILES = (
    *(f"cassettes/{side}/{cell}.jsonl" for side in SIDES for cell in CELLS),
    f"fixtures/profiles/{PROFILE}.toml",
    BASELINE,
)
"""The other files of the demonstration, by their paths in a project; the wheel has them in its own folder."""
ALONE = "--import-mode=importlib"
"""Lets pytest import the test next to a module of its name, as from another folder of a demonstration."""
ABOUT = """The same 80 prompts of 4,100 tokens were sent to two servers of gemma-3-270m. Every answer is recorded.
Before: llama-server with its KV cache in f16. After: with its KV cache in q4_0."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="gate a recorded change of server, offline and without a key",
        description="Replays recordings that come with longctx: the same prompts, sent to a server before and after "
        "its KV cache was quantized. Prints the verdict with three lost answers, and writes the report.",
    )
    parser.add_argument("--out", type=Path, default=Path("longctx-demo"), metavar="DIR", help="folder (%(default)s)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.extras import PAGE, missing_extras
    from longctx.report.headline import last_line

    finished = gated(options.out)
    assert finished.document
    print(f"{ABOUT}\n\n{finished.document.brief}\n\n{last_line(finished.headline, 10)}")
    page = finished.record.folder / "index.html"
    if not page.exists():
        page = page.with_name("summary.md")
    print(f"Report: {os.path.relpath(page)}")
    if clause := missing_extras(*PAGE):
        print(f"The report is text: its page {clause}.")
    print("Next, your own test: longctx init --test my_first")
    if page.suffix == ".html" and sys.stdout.isatty() and _has_screen():
        webbrowser.open(page.absolute().as_uri())
    return 0


def gated(folder: Path) -> Finished:
    """Return the run of the demonstration, which is unpacked into `folder`."""
    from longctx.engine.measure import Measurement
    from longctx.engine.run import Run
    from longctx.engine.settings import Settings
    from longctx.plugin.selected_tests import SelectedTests

    _unpack(folder)
    with contextlib.chdir(folder):
        run = Run.with_settings(Settings(profile=PROFILE, server=SERVER, baseline=PROFILE), Path.cwd())
        return Measurement(run, SelectedTests(run, [TEST, ALONE]).measure()).finish()


def _unpack(folder: Path) -> None:
    """Write the files of the demonstration into a folder, unless they are there: a project that pytest can run."""
    installed = packaged() / "demo"
    source = installed if installed.is_dir() else packaged().parent
    for name, path in [*((name, source / name) for name in FILES), (TEST, starter(TEST))]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / name).exists():
            shutil.copyfile(path, folder / name)
    if not (folder / "pytest.ini").exists():
        (folder / "pytest.ini").write_text(PYTEST, encoding="utf-8")


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
