"""The profile with the trials that a budget buys, as `plan --budget --out` writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import tomlkit

from longctx.config.text_files import read_text
from longctx.files import write_file
from longctx.gate.budget import Chosen


def write_profile(
    source: Path, out: Path, about: str, margin: float, chosen: Chosen, models: Sequence[str] = ()
) -> None:
    """Write the profile at `source` to `out` with the chosen trials; tables without any are left out. Raises UserError.

    models: replace those of the tables; empty to keep them.
    """
    document = tomlkit.parse(read_text(source))
    each: dict[str, dict[str, int]] = {}
    for offer, trials in chosen.items():
        each.setdefault(offer.band.family, {})[offer.band.name] = trials
    for name in [name for name, value in document.items() if isinstance(value, dict | list)]:
        tables = document[name] if isinstance(document[name], list) else [document[name]]
        kept = [table for table in tables if _set_trials(table, each.get(name, {}))]
        for table in kept:
            if models and "models" in table:
                table["models"] = [*models]
        if not kept:
            del document[name]
        elif len(kept) < len(tables):
            document[name] = kept
    for entry, value in {"margin": margin, "about": about}.items():  # removed first, with the old ones' comments
        document.pop(entry, None)
        document.add(entry, tomlkit.item(value))
    text = tomlkit.dumps(document)
    write_file(out, lambda part: part.write_text(text, encoding="utf-8"))


def _set_trials(table: dict[str, object], each: Mapping[str, int]) -> bool:
    """Set the trials of a table's bands; return whether it has any."""
    bands = table.get("bands")
    named = {name: trials for name, trials in each.items() if name in (bands if isinstance(bands, dict) else ("all",))}
    if named:
        inline = tomlkit.inline_table()
        inline.update(named)
        table["trials"] = inline if isinstance(bands, dict) else named["all"]
    return bool(named)
