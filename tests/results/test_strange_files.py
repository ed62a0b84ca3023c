"""Runs and baselines that somebody else wrote: whatever they hold, it is used or refused in a sentence."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from longctx.cli import main
from longctx.errors import UserError
from longctx.results.baseline_file import load_baseline, load_head, write_baseline
from longctx.workspace import Workspace
from tests.cli.runs import rows, run
from tests.refusals import refused

DEEP: Any = []
for _ in range(300):
    DEEP = [DEEP]
STRANGE: list[Any] = [None, True, 1.7, -1, "x", "..", [], ["x"], [1], {}, {"x": 1}, {"x": {"y": 1}}, DEEP]


def variants(kept: Any) -> Iterator[Any]:
    """Yield a JSON value with each of its parts, in turn, replaced by each strange value, or left out."""
    yield from STRANGE
    if isinstance(kept, dict):
        for name, value in kept.items():
            yield {other: part for other, part in kept.items() if other != name}
            yield from ({**kept, name: variant} for variant in variants(value))
    if isinstance(kept, list) and kept:
        yield from ([variant, *kept[1:]] for variant in variants(kept[0]))


def folder_of(path: Path) -> Path:
    asked = rows("correct", "wrong", item="q@0123456789ab", cluster="s", why="so", trace={"n": 1}, labels={"a": "b"})
    filters = ({"model": "some-model", "bank": "bank", "made": "2026-01-01", "run": "r", "kept": ["q"]},)
    return run(path, asked, rows("correct", cell="lines-9"), filters=filters, shard="1/2", min_rates={"a": 0.5})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(tmp_path_factory.mktemp("runs") / "run")


@pytest.mark.parametrize("place", [0, 1])
def test_a_baseline_is_used_or_refused(tmp_path: Path, folder: Path, place: int) -> None:
    """docs/security.md, baseline-entries."""
    path = tmp_path / "b.jsonl"
    write_baseline(path, "b", folder)
    lines = path.read_text().splitlines()
    refusals = 0
    for variant in variants(json.loads(lines[place])):
        path.write_text("\n".join([*lines[:place], json.dumps(variant), *lines[place + 1 :]]) + "\n")
        for load in (load_baseline, load_head):
            with contextlib.suppress(UserError):
                load(path)
                continue
            refusals += 1
    assert refusals > 100


@pytest.mark.parametrize("line", ["[" * 100_000, '{"schema": 1, "run": ' + "[" * 100_000])
def test_deep_json_in_a_baseline(tmp_path: Path, line: str) -> None:
    """docs/security.md, deep-nesting."""
    (tmp_path / "b.jsonl").write_text(line)
    with refused("bad-baseline", "nested too deeply"):
        load_baseline(tmp_path / "b.jsonl")


COMMANDS: dict[str, Callable[[Path], list[str]]] = {
    "compare": lambda run: ["compare", str(run), str(run)],
    "show": lambda run: ["show", "line_retrieval/lines-5#0", "--run", str(run)],
    "merge": lambda run: ["merge", str(run), "--out", str(run.parent / "merged")],
}
FILES = ("run.json", "results.jsonl", "views.jsonl")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "line", ["[]", "{}", "1", '"x"', "null", "not json", "[" * 100_000, '{"run": 7, "trial": true}']
)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_damaged_run_is_refused_by_each_command(
    within_mine: Workspace, tmp_path: Path, name: str, line: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/security.md, run-entries; docs/security.md, deep-nesting."""
    folder = folder_of(tmp_path / "run")
    lines = (folder / name).read_text().splitlines() if (folder / name).exists() else [""] * 3
    (folder / name).write_text("\n".join([line, *lines[1:]]) + "\n")
    code = main(COMMANDS[command](folder))
    output = capsys.readouterr()
    assert code in (0, 2, 12), "12 is the verdict on a shard that is merged alone"
    if name == "results.jsonl":
        assert (code, "[damaged-run]" in output.err) == (2, True)


def test_a_row_is_used_or_refused(tmp_path: Path) -> None:
    """docs/security.md, run-entries."""
    copy = folder_of(tmp_path / "run")
    first, *rest = (copy / "results.jsonl").read_text().splitlines()
    for variant in variants(json.loads(first)):
        (copy / "results.jsonl").write_text("\n".join([json.dumps(variant), *rest]) + "\n")
        with contextlib.suppress(UserError):
            load_baseline(copy)


def test_latest_names_a_run_beside_it(tmp_path: Path, folder: Path) -> None:
    """docs/security.md, run-latest."""
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "latest").write_text(f"../{folder}")
    with refused("leads-outside"):
        load_baseline(reports / "latest")
