"""Two servers of one model in words: what each says of itself, and what was lost at which length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longctx.gate.bands import Verdict
from longctx.gate.rules import EXIT
from longctx.gate.served import Served
from longctx.report.blocks import bare_table
from longctx.results.grouping import grouped
from longctx.text import count
from longctx.views.chart import Table
from longctx.vocabulary.point import in_words

SIZES = "sizes"
"""What makes the trials of a test harder that does not declare it."""
COLUMNS = ("tokens", "before", "after", "change, points", "lost", "gained", "n", "verdict")
RIGHT = ("tokens", "before", "after", "change, points", "lost", "gained", "n")


def verdict_of(served: Served) -> Verdict:
    """Return the verdict: invalid if nothing with room for a loss was judged, whatever passed."""
    return "invalid" if served.faults else served.verdict.verdict


def exit_of(served: Served) -> int:
    return EXIT.get(verdict_of(served), 0)


def serving_lines(served: Served) -> list[str]:
    """Return the comparison as the lines of a terminal."""
    return [
        *(f"serving: {sentence}" for sentence in served.unsent),
        *about_servers(served),
        *_tables(served),
        *served.unfinished,
        *reasons_of(served),
        *filter(None, [summary(served)]),
        last_line(served),
    ]


def about_servers(served: Served) -> list[str]:
    """Return sentences on both servers, what their prompts and replies show of them, and what could not be judged."""
    tokens = list(_tokens(served))
    other = bool(served.tokens.differ)
    return [
        *(tokens if other else ()),
        _sides(served),
        *_said(served),
        *(() if other else tokens),
        _noise(served),
        *_rooms(served),
        *_left_out(served),
    ]


def reasons_of(served: Served) -> list[str]:
    """Return a sentence on each reason why the comparison is invalid."""
    return [f"{reason[0].upper()}{reason[1:]}." for reason in (*served.faults, *_reasons(served))]


def _sides(served: Served) -> str:
    """Return one line on both, such as `old: vLLM 0.28.1, window 131,072 · new: …`."""
    told = []
    for side, says, days in zip(served.sides, served.says, served.recorded, strict=True):
        what = f"the baseline {side.name}" if side.baseline else side.name
        now = f"{what}, recorded on {days or '?'}" if not side.url else f"{says}, recorded as {side.name}"
        told.append(f"{side.role}: {now if side.url or str(says).startswith('says') else f'{says}, {now}'}")
    return " · ".join(told)


def _said(served: Served) -> Iterator[str]:
    if differences := list(served.says[0].differences(served.says[1])):
        yield f"They say of themselves: {'; '.join(differences)}."


def _tokens(served: Served) -> Iterator[str]:
    tokens = served.tokens
    total, differ = len(tokens.pairs), tokens.differ
    if not total:
        yield "Prompts: not compared by their tokens, since no server counts those of the same request."
        return
    if not differ:
        yield f"Prompts: {total:,} of {total:,} have the same number of tokens on both."
    else:
        first = differ[0]
        cut = f"; {count(len(tokens.cut), 'prompt was', 'prompts were')} cut and not measured" if tokens.cut else ""
        yield (
            f"Prompts: {len(differ):,} of {total:,} ({len(differ) / total:.0%}) have another number of tokens on new, "
            f"such as {first.before:,} → {first.after:,} in {first.name}: another tokenizer or chat template, or a cut "
            f"prompt{cut}."
        )
    if tokens.uncounted:
        yield f"{count(tokens.uncounted, 'reply states', 'replies state')} no tokens, and were left out of this."


def _noise(served: Served) -> str:
    noise = served.noise
    if not noise.trials:
        return "No trial of old was asked twice, so its noise is not known."
    if noise.replies == noise.outcomes == 0:
        return f"old repeats itself: of {count(noise.trials, 'trial')} asked twice no reply and no outcome differs."
    outcomes = _differ(noise.outcomes, "outcome")
    if noise.replies is None:
        return f"old: of {count(noise.trials, 'trial')} asked twice {outcomes}."
    repeats = "old repeats itself" if not noise.outcomes else "old does not repeat itself"
    replies = "no reply" if not noise.replies else count(noise.replies, "reply", "replies")
    return f"{repeats}: of {count(noise.trials, 'trial')} asked twice {replies} and {outcomes}."


def _differ(number: int, noun: str) -> str:
    return f"no {noun} differs" if not number else f"{count(number, noun)} {'differs' if number == 1 else 'differ'}"


def _rooms(served: Served) -> Iterator[str]:
    """Yield what to change where the first trials of the old server leave no room for a loss, or only for one."""
    for (test, band), room in served.rooms.items():
        entry = served.difficulty.get(test) or SIZES
        where = f"{in_words(test)} at {band}: old is right in {room.correct} of its first {room.n} trials"
        if room.kind == "hard":
            yield f"{where}, below 0.30, so nothing can be lost and it is not judged: choose fewer or smaller {entry}."
        elif room.kind == "easy":
            yield f"{where}, so only a large loss shows: choose more or larger {entry} to see a smaller one."


def _left_out(served: Served) -> Iterator[str]:
    if served.left_out:
        yield (f"{count(served.left_out, 'cell is', 'cells are')} left out that old cannot hold, or has no answers of.")


def _tables(served: Served) -> Iterator[str]:
    for test in served.verdict.tests:
        rows = []
        for band, change in zip(test.bands, test.changes, strict=True):
            if not band.n:
                rows.append(("", band.band.name, *[""] * 5, "0", "not measured"))
                continue
            low, high = (100 * edge for edge in change.interval)
            points = f"{100 * band.difference:+.1f} [{low:+.1f}, {high:+.1f}]"
            rates = f"{change.before.rate:.2f}", f"{change.after.rate:.2f}"
            told = band.verdict if band.verdict != "pass" or not _is_easy(served, test.test, band.band.name) else EASY
            rows.append(("", band.band.name, *rates, points, f"{band.lost:g}", f"{band.gained:g}", f"{band.n:,}", told))
        yield bare_table(Table("", (in_words(test.test), *COLUMNS), tuple(rows)), right=RIGHT)


EASY = "pass, too easy"
"""The verdict of a band that passes and in which the old server was always right at first."""


def _is_easy(served: Served, test: str, band: str) -> bool:
    room = served.rooms.get((test, band))
    return room is not None and room.kind == "easy"


def _reasons(served: Served) -> Iterator[str]:
    if served.verdict.verdict != "invalid":
        return
    for test in served.verdict.tests:
        yield from (f"{in_words(test.test)}: {reason}" for reason in test.reasons)
        yield from (
            f"{in_words(band.band.test)} at {band.band.name}: {band.reason}" for band in test.bands if band.reason
        )
    yield from served.verdict.reasons


def _by_length(served: Served) -> dict[str, list[Any]]:
    """Return the verdicts of each length over all tests, in the order of the profile."""
    order = list(dict.fromkeys(band for _, band in served.rooms))
    judged = grouped((band for test in served.verdict.tests for band in test.bands), lambda band: band.band.name)
    return {name: judged[name] for name in order if name in judged}


def summary(served: Served) -> str:
    """Return up to which length a loss is ruled out, and what is lost where; empty if neither is known."""
    if verdict_of(served) == "invalid":
        return ""
    told, passed = [], ""
    lengths = _by_length(served)
    for name, bands in lengths.items():
        if any(band.verdict != "pass" for band in bands):
            break
        passed = name
    if passed:
        points = f"{100 * served.verdict.rules.margin:g}"
        told.append(f"Up to {passed} a loss of {points} points is ruled out.")
    for name, bands in lengths.items():
        lost = [band for band in bands if band.verdict == "regression"]
        if lost:
            worst = min(lost, key=lambda band: float(band.difference))
            of = f" in {in_words(worst.band.test)}" if len(served.verdict.tests) > 1 else ""
            told.append(f"At {name} {-100 * worst.difference:.0f} points are lost{of}.")
    return " ".join(told)


def last_line(served: Served) -> str:
    verdict = verdict_of(served)
    names = [name for name, bands in _by_length(served).items() if any(band.verdict == verdict for band in bands)]
    where = f" at {', '.join(names)}" if verdict in ("regression", "inconclusive") and names else ""
    return f"SERVING: {verdict.upper()}{where} (exit {exit_of(served)})"


def serving_data(served: Served) -> dict[str, Any]:
    """Return the comparison as serving.json has it."""
    bands = [
        {
            "test": test.test,
            "band": band.band.name,
            "before": change.before.rate,
            "after": change.after.rate,
            "difference": band.difference,
            "interval": list(change.interval),
            "lost": band.lost,
            "gained": band.gained,
            "n": band.n,
            "verdict": band.verdict,
        }
        for test in served.verdict.tests
        for band, change in zip(test.bands, test.changes, strict=True)
        if band.n
    ]
    noise, tokens = served.noise, served.tokens
    sides: Mapping[str, Any] = {
        side.role: {"name": side.name, "live": bool(side.url), "says": str(says), "recorded": days}
        for side, says, days in zip(served.sides, served.says, served.recorded, strict=True)
    }
    return {
        "verdict": verdict_of(served),
        "exit": exit_of(served),
        **sides,
        "noise": {"trials": noise.trials, "replies": noise.replies, "outcomes": noise.outcomes},
        "tokens": {"same_request": len(tokens.pairs), "differ": len(tokens.differ), "cut": len(tokens.cut)},
        "bands": bands,
        "reasons": _list([*served.faults, *_reasons(served)]),
        "summary": summary(served),
    }


def _list(reasons: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(reasons))
