"""The trials of a run for the page's explorer: a small index, and details in packed chunks that open on demand."""

from __future__ import annotations

import base64
import gzip
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from longctx.summary.subject import subjects

CHUNK = 200
"""Trials a chunk."""
SHORT = 40
"""Characters of an answer in the index."""
SENTENCES = ("why", "error")
FACTS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "item": ("question", str),
    "depth": ("depth of the needle", "{:.1%}".format),
    "distance_from_end": ("needle to the end", "{:,.0f} tokens".format),
    "input_tokens": ("prompt", "{:,.0f} tokens".format),
    "cached_tokens": ("read from the prompt cache", "{:,.0f} tokens".format),
    "output_tokens": ("reply", "{:,.0f} tokens".format),
    "latency_s": ("latency", "{:,.2f} s".format),
    "cost_usd": ("cost", lambda usd: f"${usd:,.6f}".rstrip("0").rstrip(".")),
    "stop_reason": ("stopped by", str),
    "model_returned": ("answered by", str),
    "source": ("answer", str),
    "recorded_at": ("recorded", lambda at: f"{at[:10]} {at[11:16]} UTC"),
}
"""Column of a row -> what a reader is told it is, and how."""


def index(rows: pd.DataFrame, title: Callable[[str], str]) -> str:
    """JSON: names, and for each trial its places among them, its own name, and what was expected and returned.

    title: of a family. It holds no `<`, so that it can stand in a page.
    """
    columns = {
        "family": [title(name) for name in rows["family"]],
        "scenario": list(rows["scenario"]),
        "model": [str(one) for one in subjects(rows)],
        "outcome": list(rows["outcome"]),
    }
    names = {column: list(dict.fromkeys(values)) for column, values in columns.items()}
    places = {column: {name: place for place, name in enumerate(values)} for column, values in names.items()}
    coded = ([places[column][value] for value in values] for column, values in columns.items())
    trials = zip(
        *coded,
        map(_name, rows["trial"], rows["repeat"]),
        map(_short, rows["expected"]),
        map(_short, rows["returned"]),
        strict=True,
    )
    return _in_page({"chunk": CHUNK, "names": names, "trials": [list(one) for one in trials]})


def chunks(rows: pd.DataFrame, views: Sequence[Mapping[str, Any]], options: Sequence[str]) -> Iterator[str]:
    """Base64 of gzipped JSON: a list with the details of CHUNK trials, in the index's order."""
    records = rows[["trial", "repeat", *SENTENCES, *FACTS]].astype(object).where(rows.notna(), None).to_dict("records")
    details = [_details(row, view, options) for row, view in zip(records, views, strict=True)]
    for start in range(0, len(details), CHUNK):
        text = json.dumps(details[start : start + CHUNK], separators=(",", ":"))
        yield base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _details(row: dict[Any, Any], view: Mapping[str, Any], options: Sequence[str]) -> dict[str, Any]:
    facts = {label: say(row[name]) for name, (label, say) in FACTS.items() if row[name] is not None}
    seen = {name: view[name] for name in ("reply", "quotes") if view.get(name)}
    return {
        "why": [row[name] for name in SENTENCES if row[name]],
        "facts": facts,
        **seen,
        "excerpts": [_excerpt(one) for one in view.get("excerpts", ())],
        "command": _command(view["test"], row["trial"], row["repeat"], options) if view.get("test") else None,
    }


def _excerpt(one: Mapping[str, Any]) -> Mapping[str, Any]:
    """As longctx.vocabulary.excerpt has it, or as earlier versions had it: one mark, and what stands around it."""
    if "pieces" in one:
        return one
    pieces = [("", one["before"]), (one["name"], one["part"]), ("", one["after"])]
    return {"names": [one["name"]], "line": one["line"], "pieces": pieces}


def _command(test: str, trial: int, repeat: int, options: Sequence[str]) -> str:
    """What measures this trial again, from its recording; with --ctx-record all it is asked anew."""
    repeats = [f"--ctx-repeats={repeat + 1}"] if repeat else []
    return shlex.join(["pytest", test, f"--ctx-trial={trial}", *repeats, *options])


def _name(trial: int, repeat: int) -> str:
    return f"#{trial}" + (f" repeat {repeat}" if repeat else "")


def _short(text: object) -> str | None:
    if not isinstance(text, str):
        return None
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"


def _in_page(document: object) -> str:
    return json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")
