"""The page of the file formats: tables of their fields, and their JSON schemas to download."""

from __future__ import annotations

import inspect
import json
from typing import Any

from pydantic import TypeAdapter

from longctx.results.manifest import Manifest
from longctx.results.row import KEPT, Row
from tools.site.reference import schemas as kinds
from tools.site.reference.fields import fields_of
from tools.site.reference.markdown import code, sentence, table, text

HEAD = """# File formats

A run is a folder, `reports/<run>/`; [the guide](../compare.md) lists its files. All of these are UTF-8; `.jsonl` is one
JSON object per line. A schema describes one object: of a `.jsonl` file, one line.

"""
FORMATS: dict[str, tuple[str, type, tuple[type, ...]]] = {
    "results": ("`results.jsonl`: one row per trial", Row, ()),
    "summary": ("`summary.json`", kinds.SummaryFile, (kinds.Trials, kinds.CellRate, kinds.Usage, kinds.Cost)),
    "gate": ("`gate.json`", kinds.GateFile, (kinds.TestFields, kinds.BandFields)),
    "run": ("`run.json`", Manifest, ()),
    "baseline-head": ("Baseline: the first line", kinds.BaselineHead, ()),
    "baseline": ("Baseline: the other lines", kinds.BaselineLine, ()),
    "episode": ("Cassette: an episode", kinds.Episode, (kinds.EpisodeFields,)),
}
"""The heading of each format, its class, and the classes of its parts, by the name of its schema."""
HIDDEN = {(Row, field) for field in Row.__dataclass_fields__ if field not in KEPT}
"""Fields that are written to no file."""


def page() -> str:
    return HEAD + "\n".join(_format(name) for name in FORMATS)


def schemas() -> dict[str, str]:
    """Return the JSON of each schema by its path in the site."""
    return {f"reference/{name}.schema.json": json.dumps(schema(name), indent=1) + "\n" for name in FORMATS}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON schema of a format."""
    heading, kind, _ = FORMATS[name]
    made: dict[str, Any] = TypeAdapter(kind).json_schema()
    properties = {field: property_ for field, property_ in made["properties"].items() if (kind, field) not in HIDDEN}
    return {**made, "title": heading.replace("`", ""), "properties": properties}


def _format(name: str) -> str:
    heading, kind, parts = FORMATS[name]
    link = f"[JSON schema]({name}.schema.json).\n\n"
    head = f"## {heading}\n\n{_about(kind)} {link}{_fields(kind)}"
    return head + "".join(f"\n**{_about(part)}**\n\n{_fields(part)}" for part in parts)


def _about(kind: type) -> str:
    return sentence(text(inspect.getdoc(kind) or ""))


def _fields(kind: type) -> str:
    rows = [
        (code(field.name), text(field.kind), text(field.words))
        for field in fields_of(kind)
        if (kind, field.name) not in HIDDEN
    ]
    return table(("field", "type", "what it says"), rows)
