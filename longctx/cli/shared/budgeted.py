"""`plan --budget`: the bands of a profile as offers, and the profile with the trials that a budget buys."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import tomlkit

from longctx.cli.shared.planned import SubjectBand, band_of
from longctx.config.text_files import read_text
from longctx.errors import UserError
from longctx.files import write_file
from longctx.gate.budget import Chosen, Offer, TrialsAndClusters
from longctx.gate.plan import Assumed
from longctx.live.cost.money import estimated_cost
from longctx.recording.case import Case

MOST = 5000
"""The most trials of a scenario, more than any gate needs."""


def offers(path: Path, cases: Sequence[Case], assumed: Callable[[SubjectBand], Assumed]) -> list[Offer]:
    """Return the bands of the profile at `path` that a gate judges. Raises UserError if prices are not known.

    assumed: returns what to assume of a band.
    """
    if free := sorted({case.model.model for case in cases if not estimated_cost(case.model, 1000, 1000)}):
        raise UserError(
            "budget-without-prices",
            f"A budget needs prices, and the profile of {', '.join(free)} has none above 0: give a model that has a "
            "[prices] table.",
        )
    by_band: dict[SubjectBand, list[Case]] = {}
    for case in cases:
        by_band.setdefault(band_of(case), []).append(dataclasses.replace(case, trials=MOST))
    names = [(band.family, band.name) for _, band in by_band]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UserError(
            "budget-for-several",
            f"A budget is for one model and one prompt set, and several are asked [{twice[0]}]: name one.",
        )
    tables = list(tomlkit.parse(read_text(path)))
    result = []
    for where, of_band in by_band.items():
        judged = [case for case in of_band if case.gated and case.size]
        if judged:
            subject, band = where
            offer = Offer(
                band=dataclasses.replace(band, subject=subject),
                size=_size(judged),
                price=_price(of_band),
                most=max(case.size for case in judged),
                assumed=assumed(where),
                length=max(case.scenario.length for case in judged),
                order=tables.index(band.family),
            )
            result.append(offer)
    return result


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


def with_chosen_trials(cases: Sequence[Case], chosen: Chosen) -> list[Case]:
    """Return the cases of the chosen bands with the chosen trials."""
    each = {(offer.band.family, offer.band.name): trials for offer, trials in chosen.items()}
    names = [(case.scenario.family, case.band) for case in cases]
    return [
        dataclasses.replace(case, trials=each[name]) for case, name in zip(cases, names, strict=True) if name in each
    ]


def _set_trials(table: dict[str, object], each: Mapping[str, int]) -> bool:
    """Set the trials of a table's bands; return whether it has any."""
    bands = table.get("bands")
    named = {name: trials for name, trials in each.items() if name in (bands if isinstance(bands, dict) else ("all",))}
    if named:
        inline = tomlkit.inline_table()
        inline.update(named)
        table["trials"] = inline if isinstance(bands, dict) else named["all"]
    return bool(named)


def _size(cases: Sequence[Case]) -> Callable[[int], TrialsAndClusters]:
    """Return a function from the trials of each case to the trials and clusters of all of them."""
    if not cases[0].scenario.cluster(cases[0].scenario.indices(1)[0]):
        return lambda each: (each * len(cases),) * 2
    clusters = [case.clusters() for case in cases]

    def size(each: int) -> TrialsAndClusters:
        chosen = [cluster for of_case in clusters for cluster in of_case[:each]]
        return len(chosen), len(set(chosen))

    return size


def _price(cases: Sequence[Case]) -> Callable[[int], float]:
    """Return a function from the trials of each case to their price in USD, with cases that are asked but not gated."""
    prices = [(estimated_cost(case.model, case.size_tokens, case.reply_tokens) or 0.0, case.size) for case in cases]
    return lambda each: sum(price * min(each, most) for price, most in prices)
