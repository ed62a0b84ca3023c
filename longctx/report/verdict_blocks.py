"""What a reader of a verdict sees first, the same in the terminal, in gate.md, in a comment and on the page.

How much was lost and in which bands; where and why; what changed, as text; and lost answers with their questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from longctx.gate.bands import LEAST_CLUSTERS, BandVerdict
from longctx.gate.verdict import BandChange, RunVerdict
from longctx.report.blocks import Block, Diff, Fold, Name, TableRows, TextLine
from longctx.report.gate_lines import LostAnswers, one_line
from longctx.report.usage_table import trials
from longctx.text import count, usd
from longctx.views.chart import Table
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import in_words, is_check

MARKS = {"pass": "✅", "regression": "❌", "inconclusive": "❔", "invalid": "⛔"}
"""The mark of each verdict, by which `.ci/gate` reads it from the first line of gate.md."""
MOST_BANDS = 6
"""The most bands that are shown; the others are in the evidence."""
MOST_EXAMPLES = 5
"""The most lost answers that are shown."""
LONGEST_EXAMPLE = 90
"""The most characters of a question or an answer among them."""
CHANGE = "change, points"
LOST = "lost / gained"
TOO_FEW = "too few clusters"
"""Shown instead of an unknown interval."""
SAME_ANSWERS = "same answers"
"""Shown of a band whose answers are the baseline's own."""

SIDES = Both("before", "after")
"""What the two sides of a gate are called."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """What changed in one text that the run sends."""

    name: str
    """Its file, or what it is, such as `system prompt`."""
    lines: tuple[str, ...]
    """The lines of the difference."""
    line: int = 1
    """The first line of the later text that changed, from 1."""
    test: str = ""
    """The test that sends it."""
    file: str = ""
    """Its file below the root of the project; empty if the project has none."""
    instead_of: str = ""
    """How the phrase begins that need not be printed beside it; empty if there is none."""

    def cut(self, most: int) -> TextChange:
        """Return it with at most so many lines, at least one."""
        more = len(self.lines) - most + 1
        return self if more <= 1 else replace(self, lines=(*self.lines[: most - 1], f" … {count(more, 'more line')}"))


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of a verdict besides its bands."""

    changed: Sequence[str] = ()
    """A phrase on each thing that differs from the baseline."""
    texts: Sequence[TextChange] = ()
    """The texts that changed."""
    findings: Sequence[str] = ()
    """Sentences below the bands: where in the context answers were lost, and why."""
    remarks: Sequence[str] = ()
    """Sentences that must be read before the verdict counts."""
    sides: Both[str] = SIDES
    """What the two sides are called."""


def replays_itself(verdict: RunVerdict) -> bool:
    """Return whether all bands of a pass replay the baseline's own answers."""
    return verdict.verdict == "pass" and bool(verdict.bands) and all(band.same_answers for band in verdict.bands)


def replay_sentence(verdict: RunVerdict) -> str:
    """Return what a replay of the baseline itself shows, without a full stop."""
    bands = len(verdict.bands)
    which = "the only band replays" if bands == 1 else f"all {bands:,} bands replay"
    return f"{which} the baseline's own answers, so this says nothing about a new model or prompt"


def heading(verdict: RunVerdict, why: str) -> str:
    """Return the first line: a mark for the verdict, and how many answers were lost. why: what decided the verdict."""
    mark, counted = f"{MARKS[verdict.verdict]} longctx: ", lost_and_gained(verdict)
    if replays_itself(verdict):
        return f"{mark}{why}"
    if verdict.verdict == "regression" and counted and any(band.verdict == "regression" for band in verdict.bands):
        return f"{mark}{counted}"
    kind = f"{verdict.verdict}: " if verdict.verdict in ("inconclusive", "invalid") else ""
    return f"{mark}{kind}{'' if verdict.verdict == 'invalid' or not counted else f'{counted}; '}{why}"


def lost_and_gained(verdict: RunVerdict) -> str:
    """Return how many answers were lost and gained, checks apart; empty if no pair was measured."""
    paired = [band for band in verdict.bands if band.n and not band.unpaired]
    trials = [band for band in paired if not is_check(band.band.test)]
    if not trials:
        return ""
    answers = f"{_total(trials, 'lost')} of {_total(trials, 'n')} answers lost, {_total(trials, 'gained')} gained"
    checks = [band for band in paired if is_check(band.band.test) and band.lost]
    return f"{answers}; {_total(checks, 'lost')} checks lost" if checks else answers


def _total(bands: Sequence[BandVerdict], name: str) -> str:
    return trials(sum(getattr(band, name) for band in bands))


def is_unknown(band: BandVerdict) -> bool:
    """Return whether the band has too few clusters for an interval."""
    return not band.unpaired and band.clusters < min(LEAST_CLUSTERS, band.n)


def about(verdict: RunVerdict, baseline: str, changed: Sequence[str]) -> TextLine:
    """Return the line below the heading: what changed, the model, the baseline, and what the answers cost."""
    parts: list[list[str]] = [list(_change(phrase)) for phrase in changed if is_named(phrase)]
    models = list(dict.fromkeys(test.after.model for test in verdict.tests))
    if len(models) == 1 and not any(phrase.startswith("model: ") for phrase in changed):
        parts.append([models[0]])
    parts.append(["against ", Name(baseline)])
    if paid := _paid(verdict):
        parts.append([paid])
    joined = [piece for part in parts for piece in (" · ", *part)][1:]
    return TextLine(tuple(joined))


def _change(phrase: str) -> Iterator[str]:
    name, values = _named(phrase)
    was, _, now = values.partition(" → ")
    yield from (f"{'prompts' if name == 'prompt set' else name} ", Name(was), " → ", Name(now))


UNNAMED = ("longctx: ", "seed: ", "prompt templates of ", "model that answered: ", "version of the ")
"""How the changes begin that no title names."""


def is_named(phrase: str) -> bool:
    """Return whether a change is named in a title."""
    _, values = _named(phrase)
    was, arrow, _ = values.partition(" → ")
    return bool(arrow) and "(" not in was and not phrase.startswith(UNNAMED)


def _named(phrase: str) -> tuple[str, str]:
    """Return what changed and its two values, as `model: a → b` and `server a → b` have them."""
    name, _, values = phrase.partition(" " if phrase.startswith("server ") else ": ")
    return name, values


def _paid(verdict: RunVerdict) -> str:
    """Return whether the answers are live or replayed, and what the live ones cost; empty if nothing was measured."""
    rows = [row for test in verdict.tests for band in test.evidence for row in band.sides.after]
    asked = [row for row in rows if row.source == "live"]
    if not any(row.source for row in rows):
        return ""
    costs = [row.cost_usd for row in asked]
    known = [cost for cost in costs if cost is not None]
    cost = usd(sum(known)) if len(known) == len(costs) else "cost unknown"
    replayed = sum(row.source == "replayed" for row in rows)
    which = "replayed" if not asked else "live" if not replayed else f"{len(asked):,} live, {replayed:,} replayed"
    return f"{which}, {cost}"


def verdict_blocks(verdict: RunVerdict, told: Told, lost: LostAnswers) -> Iterator[Block]:
    """Yield what a reader sees of a verdict below its heading."""
    yield from map(TextLine.of, told.remarks)
    if verdict.is_no_verdict:
        yield from _measured_so_far(verdict)
    elif not replays_itself(verdict):
        yield from _bands(verdict, told.sides)
        yield from map(TextLine.of, told.findings)
    shown = tuple(text.instead_of for text in told.texts if text.instead_of)
    others = [phrase for phrase in told.changed if not is_named(phrase) and not phrase.startswith(shown)]
    if others:
        yield TextLine.of(f"Changed: {'; '.join(others)}.")
    yield from diffs("What changed: ", told.texts)
    if lost.shown and not verdict.is_no_verdict:
        yield _examples(lost)


def diffs(title: str, texts: Sequence[TextChange]) -> Iterator[Fold]:
    """Yield each change as a diff; the first is open."""
    for index, text in enumerate(texts):
        yield Fold(TextLine.of(title, Name(text.name)), (Diff(text.lines),), is_open=not index)


def _measured_so_far(verdict: RunVerdict) -> Iterator[TextLine]:
    """Yield a line on the bands of a run that has no verdict as a whole."""
    names = band_names(verdict)
    told = [
        f"{names[test.test, band.band.name, str(test.after)]} {_points(band, change)}, n={band.n:,}"
        for test in verdict.tests
        for band, change in zip(test.bands, test.changes, strict=True)
        if band.n
    ]
    more = [count(len(told) - MOST_BANDS, "more band")] if len(told) > MOST_BANDS else []
    if told:
        yield TextLine.of(f"Measured so far, not a verdict: {'; '.join([*told[:MOST_BANDS], *more])}.")


def _bands(verdict: RunVerdict, sides: Both[str]) -> Iterator[Block]:
    every = [
        (test, band, change)
        for test in verdict.tests
        for band, change in zip(test.bands, test.changes, strict=True)
        if not band.same_answers or band.verdict != "pass"
    ]
    same = sum(band.same_answers and band.verdict == "pass" for band in verdict.bands)
    names = band_names(verdict)
    order = sorted(every, key=lambda entry: (entry[1].verdict == "pass", entry[1].difference))
    chosen = order[: MOST_BANDS if len(every) > MOST_BANDS else len(every)]
    rows = [
        _row(names[test.test, band.band.name, str(test.after)], band, change, bool(test.reasons))
        for test, band, change in every
        if (test, band, change) in chosen
    ]
    if (run := verdict.stated_run) and verdict.run_change and run.n:
        rows.append(_row("all bands", run, verdict.run_change, False))
    if rows:
        columns = ("", *sides, CHANGE, LOST, "")
        yield TableRows(Table("", columns, tuple(rows)), right=tuple(sides), strong=CHANGE)
    if rest := len(every) - len(chosen):
        kinds = dict.fromkeys(band.verdict for _, band, _ in order[len(chosen) :])
        yield TextLine.of(f"{count(rest, 'more band')}: {', '.join(kinds)}.")
    if same:
        yield TextLine.of(f"{count(same, 'band replays', 'bands replay')} the baseline's own answers.")


def band_names(verdict: RunVerdict) -> dict[tuple[str, str, str], str]:
    """Return what each band is called: its test and the tokens that were sent, by test, name and subject."""
    several = len({test.after for test in verdict.tests}) > 1
    names: dict[tuple[str, str, str], str] = {}
    for test in verdict.tests:
        sent = [_tokens(change) for change in test.changes]
        for band, tokens in zip(test.bands, sent, strict=True):
            which = [band.band.name] if not tokens or sent.count(tokens) > 1 else []
            subject = [str(test.after)] if several else []
            names[test.test, band.band.name, str(test.after)] = ", ".join(
                [in_words(test.test), *subject, *which, *([tokens] if tokens else [])]
            )
    return names


def _tokens(change: BandChange) -> str:
    if change.tokens is None:
        return ""
    fewest, most = change.tokens
    return f"{fewest:,} tokens" if fewest == most else f"{fewest:,}–{most:,} tokens"


def _row(name: str, band: BandVerdict, change: BandChange, invalid: bool) -> tuple[str, ...]:
    if not band.n:
        return (name, "", "", "", "", "not measured")
    unpaired = " and ".join(f"{rate.n:,}" for rate in band.unpaired or ())
    lost = f"{unpaired}, unpaired" if unpaired else lost_of([band])
    verdict = "invalid" if invalid else _decided(band)
    return (name, f"{change.before.rate:.2f}", f"{change.after.rate:.2f}", _points(band, change), lost, verdict)


def _points(band: BandVerdict, change: BandChange) -> str:
    """Return the change of a band in points, with its interval."""
    lo, hi = (100 * end for end in change.interval)
    known = TOO_FEW if is_unknown(band) else f"[{lo:+.1f}, {hi:+.1f}]"
    return f"{100 * band.difference:+.1f} {SAME_ANSWERS if band.same_answers else known}"


def lost_of(bands: Sequence[BandVerdict]) -> str:
    """Return how many pairs of some bands were lost and gained, such as `51 / 12 of 200`."""
    return f"{_total(bands, 'lost')} / {_total(bands, 'gained')} of {_total(bands, 'n')}"


def _decided(band: BandVerdict) -> str:
    """Return the verdict on a band, or what would give it one."""
    if band.verdict == "inconclusive" and band.takes:
        return f"needs about {band.takes}"
    return f"{band.verdict}, improved" if band.improved else band.verdict


def _examples(lost: LostAnswers) -> Fold:
    """Return the first lost answers, of as many bands as possible."""
    shown = lost.first(MOST_EXAMPLES)
    bands = len({answer.band for answer in lost.shown})
    where = f", from {'both' if bands == 2 else f'{bands:,}'} bands" if bands > 1 else ""
    columns = {
        "question": [one_line(answer.question, LONGEST_EXAMPLE) for answer in shown],
        "expected": [one_line(answer.expected, LONGEST_EXAMPLE) for answer in shown],
        "before": [one_line(answer.before, LONGEST_EXAMPLE) for answer in shown],
        "now": [one_line(answer.after, LONGEST_EXAMPLE) for answer in shown],
        "why": [one_line(answer.reason, LONGEST_EXAMPLE) for answer in shown],
        "trial": [answer.trial for answer in shown],
    }
    kept = {name: cells for name, cells in columns.items() if any(cell != "-" for cell in cells)}
    total = lost.number + lost.checks
    blocks: list[Block] = [TableRows(Table.from_columns("", kept, said=tuple(kept)))]
    if lost.command:
        blocks.append(TextLine.of("All of them: ", Name(lost.command)))
    title = TextLine.of(f"{len(shown):,} of {count(total, 'lost answer')}{where}")
    return Fold(title, tuple(blocks), in_tables=True)
