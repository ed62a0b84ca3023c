"""The reference is complete, and its schemas fit the files that are written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from longctx import Run
from longctx.cli import make_parser
from longctx.gate.recording_age import AgeLimit
from longctx.gate.verdict import Rules, give_verdict
from longctx.report.run_folder import as_json
from longctx.report.verdict_data import as_data
from longctx.summary.summary import summarize
from tests.here import HERE
from tests.rows import joined, passkey, retained, row, run
from tools.site.reference import pages
from tools.site.reference.commands import walk
from tools.site.reference.files import FORMATS, schema
from tools.site.reference.options import GUIDES, option_attributes

BASELINE = HERE.root / "fixtures/baselines/main.jsonl"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return pages()


def test_every_option_and_every_command_has_its_words(made: dict[str, str]) -> None:
    names = {option["name"] for option in option_attributes()}
    assert names >= {*GUIDES, "--ctx-record", "--ctx-report"}
    assert "--ctx-project-tests" not in names
    for option in option_attributes():
        assert f"\n## `{option['name']}" in made["reference/options.md"]
        assert option["help"]
    commands = [(parser.prog, about) for parser, about, _ in walk(make_parser())]
    assert {"longctx init", "longctx baseline save", "longctx data questions write"} <= {name for name, _ in commands}
    for name, about in commands:
        assert f"# `{name}`\n" in made["reference/commands.md"]
        assert about


def test_every_entry_of_the_api_has_its_words() -> None:
    entries = re.findall(r"^- `.*$", (HERE.root / "docs/reference/api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(entries) > 200
    assert [entry for entry in entries if entry.endswith("`")] == []


def test_every_entry_of_a_file_has_its_words(made: dict[str, str]) -> None:
    rows = [(page, line) for page, text in made.items() for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) > 200
    assert [row for row in rows if row[1].endswith("|  |")] == []


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("options", "\n\nnone: replay only (default)."),
        ("options", "Exit status: 12 invalid, 10 regression, 11 inconclusive."),
        ("commands", "| `--ci` | also write the gate as a GitHub workflow |"),
        ("profiles", "| `lines` | list: whole number, at least 1 or number, more than 0, at most 1 | required |"),
        ("profiles", "| `distances` | whole number, at least 1 | `32` |"),
        ("profiles", "| `longest` | whole number, at least 1 | `5000` |"),
        ("model-profiles", "## `[[prices.above]]`"),
        (
            "model-profiles",
            '| `ttl` | one of `5m`, `1h` | `"5m"` | How long the cache keeps a prefix;',
        ),
        ("exit-statuses", "| 10 | the verdict is `regression`: in some band, accuracy dropped significantly |"),
        ("exit-statuses", "| 13 | the report could not be written"),
        ("errors", "| `unknown-profile` | There is no profile *name*. *did you mean* Or"),
        ("files", "| `depth` | number | The position of the needle in the text, between 0 (start) and 1 (end). |"),
        ("api", "- `why: str`: Why the answer is wrong, in a sentence."),
        ("api", "- `profile`: The name or path of a profile, or its entries, as in `"),
        ("files", "[JSON schema](gate.schema.json)"),
    ],
)
def test_a_page_says(made: dict[str, str], page: str, line: str) -> None:
    assert line in made[f"reference/{page}.md"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of one trial of each cell that is recorded, of all protocols."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    Run("recorded", root=HERE.root, report=folder, trials=1, page=False, say=lambda _: None).measure().finish()
    return folder


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written(name: str, measured: Path) -> list[Any]:
    """Return examples of what longctx writes in a format, as a program reads them."""
    match name:
        case "results":
            return [
                json.loads(example.to_json()) for example in (row(), row("infra_error", error="timeout"), passkey(128))
            ]
        case "summary":
            kept = summarize(joined(retained("none", 1, "wrong"), retained("cut", 0.4, "correct")))
            return [
                json.loads(text)
                for text in ((measured / "summary.json").read_text(encoding="utf-8"), as_json(kept, "today"))
            ]
        case "run":
            return [json.loads((measured / "run.json").read_text(encoding="utf-8"))]
        case "gate":
            before, after = (joined(run(*["correct"] * n, *["wrong"] * (20 - n))) for n in (20, 4))
            verdict = give_verdict(before, after, Rules(age=AgeLimit("2026-11-22T00:00:00+00:00")))
            return [json.loads(json.dumps(as_data(verdict, "main", [])))]
        case "baseline-head":
            return lines(BASELINE)[:1]
        case "baseline":
            return lines(BASELINE)[1:20]
        case _:
            return lines(next((HERE.root / "cassettes").glob("*/*/*.jsonl")))


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_written_fits_its_schema(name: str, measured: Path) -> None:
    kind = TypeAdapter(FORMATS[name][1])
    examples = written(name, measured)
    assert examples
    for example in examples:
        kind.validate_python(example)
        assert {*schema(name).get("required", ())} <= {*example}
