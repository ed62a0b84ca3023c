"""An upgrade in words: which candidate may replace the old treatment, and accuracy against price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from longctx.gate.bands import BandVerdict
from longctx.gate.usage import Usage, UsageChange
from longctx.gate.verdict import RunVerdict, VerdictOfTest
from longctx.report.blocks import Block, TableRows, TextLine, terminal_blocks
from longctx.report.document import Document
from longctx.report.forest import forest, forest_bands
from longctx.report.gate_lines import COLUMNS, NONE_LOST, LostAnswers, lost_line
from longctx.report.heat_maps import heat_maps
from longctx.report.usage_table import PRICE, UNKNOWN, before_after, seconds, spread, thousand
from longctx.report.verdict_blocks import LOST, MARKS, TextChange, Told, lost_and_gained, lost_of, verdict_blocks
from longctx.report.verdict_data import as_data
from longctx.report.verdict_document import (
    NO_PLACE,
    badge,
    besides_bands,
    findings,
    not_covered,
    remarks_on,
    verdict_document,
    why,
)
from longctx.report.verdict_document import lead as lead_of_gate
from longctx.results.row import Row
from longctx.stats.rates import Rate, pooled, rate_of
from longctx.text import usd, visible
from longctx.views.chart import Chart, Plot, PlotMark, Table
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import is_check

THINKING = "thinking tokens"
"""The column that a table has if any server counts them apart."""
NamedVerdict = tuple[str, RunVerdict]
"""The name of a candidate, and the verdict on it."""


NOW_AND_NEW = Both("now", "new")
"""What the old treatment and a candidate are called in tables."""


@dataclass(frozen=True, slots=True)
class UpgradeDecision:
    """The contents of the page of an upgrade."""

    old: str
    before: Sequence[Row]
    """The rows of the old treatment."""
    candidates: Sequence[NamedVerdict]
    after: Mapping[str, Sequence[Row]]
    """The rows of each candidate, by its name."""
    best: str
    volume: int | None = None
    """Requests a month; None if that was not given."""
    lost: LostAnswers = NONE_LOST
    """What the best candidate lost."""
    texts: Sequence[TextChange] = ()
    """The texts in which the requests of the best candidate differ."""

    @property
    def verdict(self) -> RunVerdict:
        """The verdict on the best candidate."""
        return dict(self.candidates)[self.best]

    @property
    def same_model(self) -> str:
        """What the names of all treatments begin with; empty if they are of several models, or one is a model alone."""
        model, comma, _ = self.old.partition(", ")
        names = [self.old, *(name for name, _ in self.candidates)]
        return model if comma and all(name.startswith(f"{model}, ") for name in names) else ""

    def short(self, name: str) -> str:
        """Return the name of a treatment without the model that all have."""
        return name.removeprefix(f"{self.same_model}, ") if self.same_model else name


def upgrade_document(decision: UpgradeDecision) -> Document:
    """Return the upgrade in words, the verdict first."""
    verdict = decision.verdict
    old = decision.short(decision.old)
    names = " or ".join(decision.short(name) for name, _ in decision.candidates)
    on = f" on {decision.same_model}" if decision.same_model else ""
    asked = f"May {decision.short(decision.best)} replace {old}{on}? {_decided(verdict)}"
    lead, found = _lead(decision), tuple(findings(verdict))
    return Document(
        title=asked,
        notes=tuple(_notes(decision, lead)),
        tables=(_candidates(decision), *([decision.lost.table] if decision.lost.shown else []), *_details(decision)),
        badge=badge(verdict),
        lead=lead,
        brief="\n".join(_lines(decision, asked, found)),
        picture=partial(_bands_of, decision),
        maps=partial(heat_maps, verdict),
        change=f"{old} → {names}",
        heading=f"{MARKS[verdict.verdict]} {asked}",
        about=TextLine.of(lost_and_gained(verdict)),
        blocks=tuple(_blocks(decision, found)),
    )


def _decided(verdict: RunVerdict) -> str:
    """Return the verdict, and in how many bands it was given."""
    bands = [band for band in verdict.bands if band.n]
    number = sum(band.verdict == verdict.verdict for band in bands)
    given = verdict.verdict.upper()
    if verdict.verdict == "invalid" or not number:
        return f"{given}: {why(verdict)}"
    where = f" in {number:,} of {len(bands):,} bands" if len(bands) > 1 else ""
    besides = besides_bands(verdict) if verdict.verdict == "regression" else ()
    return "; ".join([f"{given}{where}", *besides, *not_covered(verdict)])


def _lines(decision: UpgradeDecision, asked: str, found: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a terminal: the candidates, or the bands of the only one, and an answer that was lost."""
    verdict, lost = decision.verdict, decision.lost
    yield visible(asked)
    told = [part for part in (lost_and_gained(verdict), *found) if part and not part.startswith(NO_PLACE)]
    in_one = ". ".join(told)
    yield from map(visible, [in_one] if told and len(in_one) <= COLUMNS else told)
    remarks = tuple(remarks_on(verdict))
    if len(decision.candidates) > 1:
        blocks: list[Block] = [*map(TextLine.of, remarks), *_several(decision)]
    else:
        usage = tuple(_usage_line(verdict.usage, decision.volume))
        blocks = [*verdict_blocks(verdict, Told((), (), usage, remarks, NOW_AND_NEW), NONE_LOST)]
    yield terminal_blocks(blocks, in_full=False)
    for answer in lost.first(1):
        which = f"1 of {lost.number + lost.checks:,} lost: {answer.trial}"
        yield lost_line(which, answer.before, answer.after, answer.question, answer.reason)


def _blocks(decision: UpgradeDecision, found: Sequence[str]) -> Iterator[Block]:
    """Yield what a reader of the page sees first: the candidates, if there are several, and the best one's bands."""
    verdict = decision.verdict
    if len(decision.candidates) > 1:
        yield from _several(decision)
        yield TextLine.of(f"{decision.short(decision.best)}:")
    below = (*found, *_usage_line(verdict.usage, decision.volume))
    told = Told((), decision.texts, below, tuple(remarks_on(verdict)), NOW_AND_NEW)
    yield from verdict_blocks(verdict, told, decision.lost)


def _several(decision: UpgradeDecision) -> Iterator[Block]:
    yield TableRows(_in_short(decision), right=("accuracy",))


def _in_short(decision: UpgradeDecision) -> Table:
    """Return a row for each treatment, which fits a terminal."""
    verdicts = dict(decision.candidates)
    rows = []
    for measured in _measured(decision):
        verdict, usage = verdicts.get(measured.name), measured.usage
        paired = [band for test in _of_trials(verdict) for band in test.bands if not band.unpaired] if verdict else []
        rows.append(
            {
                "": decision.short(measured.name),
                "accuracy": f"{measured.rate.rate:.2f}" if measured.rate.n else UNKNOWN,
                "95% interval": f"[{measured.rate.lo:.2f}, {measured.rate.hi:.2f}]" if measured.rate.n else UNKNOWN,
                LOST: lost_of(paired) if paired else "",
                PRICE: thousand(usage),
                **_monthly(usage, decision.volume),
                "median latency": seconds(usage.latency_p50),
                "verdict": badge(verdict) if verdict else "now",
            }
        )
    return Table.from_rows("", _without_empty(rows))


def _usage_line(usage: UsageChange | None, volume: int | None) -> Iterator[str]:
    """Yield what an answer takes now and with the candidate: price, latency, tokens."""
    if usage is None:
        return
    sides = Both(usage.before, usage.after)
    parts = []
    if any(side.usd for side in sides):
        parts.append(f"1,000 trials {before_after(*sides.map(thousand))}")
        parts += [f"{name} {before_after(*ends)}" for name, ends in _months(sides, volume)]
    if usage.before.latency_p50 or usage.after.latency_p50:
        before, after = (seconds(side.latency_p50) for side in sides)
        parts.append(f"median latency {before_after(before.removesuffix(' s'), after)}")
    tokens = {
        "tokens in": sides.map(lambda side: side.input_tokens),
        "out": sides.map(lambda side: side.output_tokens),
        "thinking": sides.map(lambda side: side.thinking_tokens),
    }
    known = {name: ends for name, ends in tokens.items() if ends != (None, None)}
    if known:
        parts.append(", ".join(f"{name} {before_after(*ends.map(_mean))}" for name, ends in known.items()))
    if parts:
        told = "; ".join(parts)
        yield f"{told[:1].upper()}{told[1:]}."


def _months(sides: Both[Usage], volume: int | None) -> Iterator[tuple[str, Both[str]]]:
    before, after = sides.map(lambda side: _monthly(side, volume))
    yield from ((name, Both(before[name], after[name])) for name in before)


def _mean(tokens: float | None) -> str:
    return UNKNOWN if tokens is None else f"{tokens:,.0f}"


def _bands_of(decision: UpgradeDecision) -> Chart | None:
    """Return the change of accuracy in each band of each candidate."""
    several = len(decision.candidates) > 1
    named = [
        replace(band, name=f"{name}: {band.name}" if several else band.name)
        for name, verdict in decision.candidates
        for band in forest_bands(verdict)
    ]
    return forest(named, decision.candidates[0][1].rules.margin)


def upgrade_data(decision: UpgradeDecision) -> dict[str, Any]:
    """Return the upgrade for JSON."""
    old = decision.old
    candidates = [{"name": name} | as_data(verdict, old, ()) for name, verdict in decision.candidates]
    return {"old": old, "best": decision.best, "candidates": candidates, "volume": decision.volume}


def _lead(decision: UpgradeDecision) -> str:
    best = decision.verdict
    new, old = decision.short(decision.best), decision.short(decision.old)
    said = lead_of_gate(best).removesuffix(".") if best.verdict == "regression" else why(best)
    if best.verdict == "pass":
        cheapest = " the cheapest that passes:" if len(decision.candidates) > 1 else ""
        return f"{new} may replace {old}:{cheapest} {said}."
    verb = "has not been confirmed to be as good as" if best.verdict == "inconclusive" else "may not replace"
    if best.verdict == "invalid":
        verb = "cannot be judged against"
    return f"{new} {verb} {old}: {said}."


def _notes(decision: UpgradeDecision, lead: str) -> Iterator[str]:
    yield lead
    number = len(decision.candidates)
    if number > 1:
        yield f"Each of the {number} candidates is judged at an alpha of {decision.candidates[0][1].rules.alpha:g}."
    for name, rows in ((decision.old, decision.before), *decision.after.items()):
        if dates := sorted({str(row.recorded_at)[:10] for row in rows if row.recorded_at}):
            yield f"The answers of {name} were recorded on {' to '.join(dict.fromkeys((dates[0], dates[-1])))}."
    for name, verdict in decision.candidates:
        if number > 1:
            yield f"{name}: {badge(verdict)}; {why(verdict)}."
        notes = verdict_document(verdict, decision.old, ()).notes[1:]
        yield from (f"{name}: {note}" if number > 1 else note for note in notes)


def _candidates(decision: UpgradeDecision) -> Table:
    """Return the table of accuracy against price."""
    verdicts = dict(decision.candidates)
    rows = []
    for measured in _measured(decision):
        verdict = verdicts.get(measured.name)
        bands = [band for test in _of_trials(verdict) for band in test.bands] if verdict else None
        rows.append(
            {
                "treatment": measured.name,
                "verdict": badge(verdict) if verdict else "now",
                "accuracy": str(measured.rate),
            }
            | ({"difference": "", "lost": "", "gained": ""} if bands is None else _difference(bands))
            | _usage(measured.usage, decision.volume)
        )
    title = "Accuracy against price, on the same trials: accuracy [95% interval], price without a batch's discount"
    return Table.from_rows(title, _without_empty(rows))


def _without_empty(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return rows without the columns of which nothing is known, and without prices where all is free."""
    empty = [name for name in rows[0] if {row.get(name) for row in rows} in ({UNKNOWN}, {usd(0)})]
    return [{name: cell for name, cell in row.items() if name not in empty} for row in rows]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """What one treatment reached, and what it took."""

    name: str
    rate: Rate
    usage: Usage


def _measured(decision: UpgradeDecision) -> Iterator[Accuracy]:
    """Yield the old treatment, then each candidate. A check of a test function is no trial."""
    judged = [row for row in decision.before if row.band is not None and not is_check(row.test)]
    measured = [row for row in judged if row.measured]
    yield Accuracy(decision.old, rate_of(measured), Usage.of(measured))
    for name, verdict in decision.candidates:
        rate = pooled(change.after for test in _of_trials(verdict) for change in test.changes)
        yield Accuracy(name, rate, verdict.usage.after if verdict.usage else Usage.of([]))


def _of_trials(verdict: RunVerdict) -> list[VerdictOfTest]:
    return [test for test in verdict.tests if not is_check(test.test)]


def accuracy_chart(decision: UpgradeDecision) -> Chart | None:
    """Return accuracy against price, a point for each treatment; against latency where no treatment has a price.

    None if fewer than two treatments can be placed on the axis.
    """
    measured = [each for each in _measured(decision) if each.rate.n]
    prices = {each.name: 1000 * each.usage.usd for each in measured if each.usage.usd is not None}
    latencies = {each.name: each.usage.latency_p50.value for each in measured if each.usage.latency_p50}
    priced = any(prices.values())
    places, what, axis = (
        (prices, "price", "USD per 1,000 requests") if priced else (latencies, "latency", "median latency, s")
    )
    placed = [each for each in measured if each.name in places]
    if len(placed) < 2:
        return None
    names = [each.name for each in placed]
    marks = [
        PlotMark(
            places[each.name],
            each.rate.rate,
            (each.rate.lo, each.rate.hi),
            series=each.name,
            say=f"{each.name}: {each.rate}, {axis}: {places[each.name]:,.4g}",
        )
        for each in placed
    ]
    table = Table.from_columns(
        "",
        {
            "treatment": names,
            "accuracy [95% interval]": [str(each.rate) for each in placed],
            axis: [f"{places[name]:,.4g}" for name in names],
        },
    )
    note = "" if priced else "All prices are zero, so accuracy is plotted against latency."
    plot = Plot(marks=marks, x=axis, from_zero=True)
    return Chart(f"accuracy-by-{what}", "", f"Accuracy against {what}", plot, table, note)


def _difference(bands: Sequence[BandVerdict]) -> dict[str, str]:
    paired = [band for band in bands if not band.unpaired]
    n = sum(band.n for band in paired)
    lost, gained = (sum(getattr(band, name) for band in paired) for name in ("lost", "gained"))
    difference = f"{(gained - lost) / n:+.3f}" if n else ""
    return {"difference": difference, "lost": f"{lost:,}", "gained": f"{gained:,}"}


def _usage(usage: Usage, volume: int | None) -> dict[str, str]:
    cells = {PRICE: thousand(usage), **_monthly(usage, volume)}
    latency = {"p50 latency": spread(usage.latency_p50), "p95 latency": spread(usage.latency_p95)}
    return cells | {THINKING: _mean(usage.thinking_tokens)} | latency


def _monthly(usage: Usage, volume: int | None) -> dict[str, str]:
    """Return the price of a month's requests; nothing if their number is not given."""
    if volume is None:
        return {}
    return {f"a month at {volume:,}": UNKNOWN if usage.usd is None else usd(usage.usd * volume)}


def _details(decision: UpgradeDecision) -> Iterator[Table]:
    """Yield the tables of each verdict, with the candidate's name where there are several."""
    for name, verdict in decision.candidates:
        for table in verdict_document(verdict, decision.old, ()).tables:
            yield replace(table, title=f"{name}: {table.title}") if len(decision.candidates) > 1 else table
