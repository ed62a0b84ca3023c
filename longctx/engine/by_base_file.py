"""What the base branch's test code made of a run's answers, kept in the run's folder: shards are judged once merged."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from longctx.fields import Amount, Natural, Text, parsed
from longctx.gate.judged_by_base import JudgedByBase, OtherRequests
from longctx.links import inside
from longctx.results.manifest import damaged_file_error
from longctx.results.row import Row

NAME = "by_base.json"


class _Requests(BaseModel):
    trials: Natural
    differ: Natural
    more: Natural
    fewer: Natural


class _Kept(BaseModel):
    base: Text
    rows: list[dict[str, Any]]
    tests: list[Text]
    new: list[Text]
    broken: dict[Text, Text]
    requests: dict[Text, _Requests]
    files: dict[Text, Text]
    margin: tuple[Amount | None, Amount | None]


def write(folder: Path, judged: JudgedByBase) -> None:
    """Write the file into the folder of a run."""
    kept = {
        "base": judged.base,
        "tests": sorted(judged.tests),
        "new": list(judged.new),
        "broken": dict(judged.broken),
        "requests": {test: asdict(requests) for test, requests in judged.requests.items()},
        "files": dict(judged.files),
        "margin": judged.margin,
        "rows": [json.loads(row.to_json()) for row in judged.rows],
    }
    (folder / NAME).write_text(json.dumps(kept, ensure_ascii=False) + "\n", "utf-8", "backslashreplace")


def load(folders: Sequence[Path]) -> JudgedByBase | None:
    """Return what the base's test code made of the answers of several runs; None if it judged none.

    Raises UserError.
    """
    found = [_loaded(path) for folder in folders if (path := inside(folder / NAME, folder)).is_file()]
    if not found:
        return None
    rows = {row.identity: row for each in found for row in each.rows}
    return JudgedByBase(
        base=", ".join(dict.fromkeys(each.base for each in found)),
        rows=[*rows.values()],
        tests=frozenset().union(*(each.tests for each in found)),
        new=sorted({test for each in found for test in each.new}),
        broken=_all([each.broken for each in found]),
        requests={test: _sum(of_test) for test, of_test in _by_test(found).items()},
        files=_all([each.files for each in found]),
        margin=found[0].margin,
    )


def _by_test(found: Sequence[JudgedByBase]) -> dict[str, list[OtherRequests]]:
    of_tests: dict[str, list[OtherRequests]] = {}
    for each in found:
        for test, requests in each.requests.items():
            of_tests.setdefault(test, []).append(requests)
    return of_tests


def _all(parts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {name: value for part in parts for name, value in part.items()}


def _sum(parts: Sequence[OtherRequests]) -> OtherRequests:
    names = "trials", "differ", "more", "fewer"
    return OtherRequests(**{name: sum(getattr(part, name) for part in parts) for name in names})


def _loaded(path: Path) -> JudgedByBase:
    try:
        kept = _Kept.model_validate(parsed(json.loads, path.read_text("utf-8")))
        rows = [Row.of(row) for row in kept.rows]
    except ValueError as error:
        raise damaged_file_error(path, error) from None
    requests = {test: OtherRequests(**of_test.model_dump()) for test, of_test in kept.requests.items()}
    return JudgedByBase(
        kept.base, rows, frozenset(kept.tests), kept.new, kept.broken, requests, kept.files, kept.margin
    )
