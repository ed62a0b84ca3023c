"""`demo`: the gate on a recorded change of a prompt, without a key and the network."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import webbrowser
from pathlib import Path
from typing import Any

from longctx.workspace import packaged

MODEL = "qwen2.5-coder-0.5b"
RECORDED = [
    f"cassettes/{MODEL}/line_retrieval/lines-{lines}{order}.jsonl"
    for lines in (3, 5, 10)
    for order in ("", "-block_size-1")
]
FILES = (*RECORDED, "fixtures/profiles/lines.toml", "fixtures/baselines/lines.jsonl")
"""The files of the demonstration, by their paths in a project; the wheel has them in a folder of its own."""
ABOUT = f"""\
300 questions about small files were put to {MODEL} in two wordings, and every answer was recorded.
Before: Please look up line 3 and tell me in one short, friendly sentence what its REGISTER_CONTENT is.
After:  [EXECUTE THIS]: Go to line 3 and report only REGISTER_CONTENT, without any context or additional text, …
"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="gate a recorded change of a prompt, offline and without a key",
        description="Replays a recording that comes with longctx: the same questions before and after a change of the "
        "prompt. Prints the verdict and answers that were lost, and writes the report.",
    )
    parser.add_argument("--out", type=Path, default=Path("longctx-demo"), metavar="DIR", help="folder (%(default)s)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.engine.run import Run
    from longctx.engine.settings import Settings
    from longctx.extras import PAGE, lacking, writes_page
    from longctx.report.headline import last_line

    folder: Path = options.out
    _unpack(folder)
    baseline = os.path.relpath(folder / FILES[-1])
    settings = Settings(profile="lines", prompts=("protocol",), baseline=baseline)
    finished = Run.with_settings(settings, folder).measure().finish()
    assert finished.document
    print(ABOUT)
    print(finished.document.brief)
    print(f"\n{last_line(finished.headline, 10)}")
    page = finished.record.folder / ("index.html" if writes_page(settings.page) else "summary.md")
    print(f"\nReport: {os.path.relpath(page)}")
    if clause := lacking(*PAGE):
        print(f"The report is text: its page {clause}.")
    print("\nNext, a test of your own, and what it would cost:")
    print("  longctx init --test my_first\n  pytest tests_longctx --ctx-estimate")
    if page.suffix == ".html" and sys.stdout.isatty() and _has_screen():
        webbrowser.open(page.absolute().as_uri())
    return 0


def _unpack(folder: Path) -> None:
    """Copy the files of the demonstration into a folder, unless they are there."""
    installed = packaged() / "demo"
    source = installed if installed.is_dir() else packaged().parent
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / name).exists():
            shutil.copyfile(source / name, folder / name)


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
