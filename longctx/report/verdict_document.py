"""The verdict of a gate in words: a title with the verdict in one line, then notes and tables with the evidence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import NormalDist
from typing import Any

from longctx.gate.bands import BandVerdict
from longctx.gate.cases import added_sentence
from longctx.gate.verdict import BandChange, Rules, RunVerdict, VerdictOfTest
from longctx.gate.where import pattern_of
from longctx.report.document import Document
from longctx.report.gate_lines import NONE_LOST, LostAnswers, gate_lines
from longctx.report.usage_table import (
    PRICE,
    UNKNOWN,
    before_after,
    price_change,
    seconds,
    thousand,
    trials,
    usage_table,
)
from longctx.report.verdict_blocks import (
    SAME_ANSWERS,
    TOO_FEW,
    TextChange,
    Told,
    about,
    heading,
    is_named,
    is_unknown,
    replay_sentence,
    replays_itself,
    verdict_blocks,
)
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.text import count, some_of, usd
from longctx.views.chart import Chart, Table
from longctx.vocabulary.point import is_check

MOST_CELLS = 8
"""The most cells that the table of the largest changes lists."""
MOST_CHANGED = 20
"""The most trials that are named because their recorded answer changed."""
FREE = before_after(usd(0), usd(0))
"""Shown as the price of a band where neither side costs anything."""
MOST_VACUOUS = 3
"""The most bands without anything to lose whose reasons are given before the evidence, which has all."""
MOST_RETIRED = 5
"""The most retired cases that are named."""
NOT_MEASURED = "not measured"
"""Shown as the verdict of a band without a single pair."""
NUMBERS = ("before", "after", "difference", "95% interval", "bound of drop", "p", "lost", "gained")
"""The columns that are empty for such a band."""
NO_PLACE = "No significant difference by "
"""How the finding of a regression begins whose lost answers are at no place in particular."""
KINDS = {"depth": "place in the context", "length": "length", "question": "kind of question", "check": "check"}
"""The kinds of places, as that finding names them."""
TOGETHER = "all bands"
"""The name of the row of all bands together."""
SAYS = {
    "pass": "no drop of {margin:.0%} or more, in any band",
    "regression": "a significant drop",
    "inconclusive": "not enough evidence either way",
    "invalid": "not measured enough to say",
}


def verdict_document(
    verdict: RunVerdict,
    baseline: str,
    changed: Sequence[str],
    answers: Sequence[str] = (),
    lost: LostAnswers = NONE_LOST,
    texts: Sequence[TextChange] = (),
) -> Document:
    """Return the verdict in words.

    baseline: its name. changed: a phrase on each thing that differs from the baseline, such as the prompt set. answers:
    sentences on the answers that are not recorded on the base branch. lost: the answers that the run lost. texts: the
    texts that changed.
    """
    title = f"Gate: {verdict.verdict} - {why(verdict)}{_ruled_out(verdict)}"
    cases = tuple(_cases(verdict))
    remarks = (*cases, *answers, *_doubts(verdict))
    quiet = replays_itself(verdict) and not changed
    head = (title, *([] if quiet else [_against(verdict, baseline, changed)]), *remarks)
    told = Told(changed, texts, tuple(findings(verdict)), remarks)
    below = verdict_blocks(verdict, replace(told, changed=(), remarks=()), lost)  # what `head` does not say
    tables = [*_tables(verdict)]
    tables[1:1] = [lost.table] if lost.shown else []  # below the bands
    return Document(
        title=title,
        notes=(*cases, *answers, *_notes(verdict, baseline, changed, lost)),
        tables=tuple(tables),
        badge=badge(verdict),
        lead=lead(verdict),
        brief=gate_lines(head, tuple(below), verdict.usage, NONE_LOST if verdict.is_no_verdict else lost),
        picture=partial(_picture, verdict),
        maps=partial(_maps, verdict),
        change=change_of(changed, baseline),
        changed_files={text.test: (text.file, text.line) for text in reversed(texts) if text.file},
        heading=heading(verdict, f"{why(verdict)}{_ruled_out(verdict)}"),
        about=about(verdict, baseline, changed),
        blocks=tuple(verdict_blocks(verdict, told, lost)),
    )


def _picture(verdict: RunVerdict) -> Chart | None:
    from longctx.report.forest import forest, forest_bands

    return forest(forest_bands(verdict), verdict.rules.margin)


def _maps(verdict: RunVerdict) -> tuple[Chart, ...]:
    from longctx.report.heat_maps import heat_maps

    return heat_maps(verdict)


def remarks_on(verdict: RunVerdict) -> Iterator[str]:
    """Yield sentences that must be read before the verdict counts."""
    yield from _cases(verdict)
    yield from _doubts(verdict)


def _doubts(verdict: RunVerdict) -> Iterator[str]:
    yield from (f"{test.test}: {reason}." for test in verdict.tests for reason in test.reasons)
    vacuous = [f"{band.band}: {band.reason}" for test in verdict.tests for band in test.bands if band.reason]
    yield from (f"{reason}." for reason in vacuous[:MOST_VACUOUS])
    yield from _of_judges(verdict)


def _of_judges(verdict: RunVerdict) -> Iterator[str]:
    if verdict.graded:
        from longctx.report.judge_sentences import gate_sentences

        yield from gate_sentences(verdict)


def findings(verdict: RunVerdict) -> Iterator[str]:
    """Yield why answers were lost, and where in the context: what the changed pairs show of both."""
    found = pattern_of([pair for test in verdict.tests for band in test.evidence for pair in band.pairs])
    if found.cause:
        yield f"{found.cause}."
    if found.place:
        yield f"{found.place}."
    elif found.looked_at and verdict.verdict == "regression":
        *others, last = (KINDS[kind] for kind in found.looked_at)
        yield f"{NO_PLACE}{', '.join(others)}{' or ' if others else ''}{last}."


def change_of(changed: Sequence[str], baseline: str) -> str:
    """Return what differs from a baseline as a title, such as `prompts chatty → protocol`."""
    named = [phrase.replace(": ", " ", 1) for phrase in changed if is_named(phrase)]
    shown = [phrase.replace("prompt set ", "prompts ", 1) for phrase in named]
    others = "what changed is listed below" if changed else "no difference found"
    return "; ".join(shown) or f"Against the baseline {baseline}: {others}"


def answer_notes(rows: Sequence[Row], base: str) -> Iterator[str]:
    """Yield sentences on where the answers of a run come from. base: its name; empty if the run had none."""
    used = [row for row in rows if row.origin and not is_check(row.test)]
    if not base or not used:
        return
    number = Counter(row.origin for row in used)
    changed = [row for row in used if row.origin == "changed"]
    new = number["new"] + number["changed"]
    asked = f", and {number['asked']:,} were asked by this run" if number["asked"] else ""
    yield f"Of {len(used):,} answers, {new:,} are new on this branch: they are not recorded on {base}{asked}."
    if changed:
        named = [f"{row.test} {row.cell}#{row.name} of {row.subject}" for row in changed[:MOST_CHANGED]]
        more = f" and {len(changed) - MOST_CHANGED:,} more" if len(changed) > MOST_CHANGED else ""
        yield (
            f"Of these, {len(changed):,} changed although their request did not: {'; '.join(named)}{more}. Look at "
            "them in the diff of cassettes/; LONGCTX_TRUST=base accepts none of them."
        )


def _cases(verdict: RunVerdict) -> Iterator[str]:
    """Yield a sentence on the cases of each test that are new, and one on those that were retired."""
    for test in verdict.tests:
        if test.added:
            yield f"{test.test}: {added_sentence(test.added)}."
    if verdict.retired:
        named = [f"{name} ({reason})" for name, reason in verdict.retired.items()]
        number = count(len(named), "retired case is", "retired cases are")
        yield f"{number} not compared: {some_of(named, MOST_RETIRED)}."


def badge(verdict: RunVerdict) -> str:
    return f"{verdict.verdict}, improved" if verdict.improved else verdict.verdict


def lead(verdict: RunVerdict) -> str:
    """Return one sentence on what broke: each band that fails, the worst first; else what decided the verdict."""
    lost = [
        (band.difference, test.test, band, change)
        for test in verdict.tests
        for band, change in zip(test.bands, test.changes, strict=True)
        if band.verdict == "regression"
    ]
    run = verdict.run
    if verdict.verdict == run_status(run) == "regression" and not lost and run:
        what = "answers and checks" if _any_checks(verdict) else "answers"
        return f"All bands together: {trials(run.lost)} of {run.n:,} {what} were lost and {trials(run.gained)} gained."
    if verdict.verdict == "regression" and not lost and (since := _since_anchor(verdict)):
        return f"{_capital('; '.join(since))}."
    if verdict.verdict != "regression" or not lost:
        return f"{_capital(why(verdict))}{_ruled_out(verdict)}."
    names = dict.fromkeys(name for _, name, _, _ in lost)
    told: list[str] = []
    for _, name, band, change in sorted(lost, key=lambda entry: entry[0]):
        which = band.band.name if len(names) == 1 and told else f"{name}, {band.band.name}"
        told.append(f"{which}: {_fell(band, change)}")
    return f"{'; '.join(told)}."


def _fell(band: BandVerdict, change: BandChange) -> str:
    fell = f"accuracy {change.before.rate:.2f} → {change.after.rate:.2f}"
    return fell if band.unpaired else f"{trials(band.lost)} of {band.n:,} lost, {trials(band.gained)} gained, {fell}"


def _any_checks(verdict: RunVerdict) -> bool:
    return any(is_check(test.test) for test in verdict.tests)


def run_status(run: BandVerdict | None) -> str:
    return run.verdict if run else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def why(verdict: RunVerdict) -> str:
    """Return what decided the verdict, and what a pass costs, for the title."""
    reason = _why(verdict)
    if verdict.verdict == "invalid":
        return reason
    gains = ["a significant gain"] if verdict.improved else []
    price = price_change(verdict.usage) if verdict.verdict == "pass" else ""
    return "; ".join([reason, *gains, *not_covered(verdict)]) + price


def not_covered(verdict: RunVerdict) -> Iterator[str]:
    """Yield a phrase on each part of the baseline that the verdict is not about."""
    yield from (sentence.partition(": ")[0] for sentence in verdict.uncovered)
    if alone := sum(test.alone.before for test in verdict.tests if test.bands):
        yield f"{count(alone, 'trial')} of the baseline {'is' if alone == 1 else 'are'} not judged"
    yield from (f"{phrase}, and are not compared" for phrase in verdict.rejudged)


def _why(verdict: RunVerdict) -> str:
    """Return what decided the verdict."""
    if replays_itself(verdict):
        return replay_sentence(verdict)
    if verdict.verdict == "invalid":
        vacuous = [str(band.band) for test in verdict.tests for band in test.bands if band.reason]
        return "; ".join(
            verdict.reasons
            or ([] if vacuous or not verdict.run else [f"all bands together: {verdict.run.reason}"])
            or [f"the baseline has nothing to lose in {'; '.join(dict.fromkeys(vacuous))}"]
        )
    if verdict.verdict == "regression":
        bands = [
            f"{test.test} {_signed(band.difference)} in {band.band.name}"
            for test in verdict.tests
            for band in test.bands
            if band.verdict == "regression"
        ]
        if not bands and run_status(verdict.run) == "regression" and verdict.run:
            bands.append(f"all bands together {_signed(verdict.run.difference)}")
        return "; ".join([*bands, *besides_bands(verdict)])
    if open_limits := [str(limit) for limit in verdict.limits if limit.status == verdict.verdict == "inconclusive"]:
        return "; ".join(open_limits)
    together = verdict.verdict == "pass" and verdict.stated_run
    together_too = (
        f", and none of {100 * verdict.rules.margin_of_run:g} points in all of them together" if together else ""
    )
    return SAYS[verdict.verdict].format(margin=verdict.rules.margin) + together_too


def besides_bands(verdict: RunVerdict) -> Iterator[str]:
    """Yield a phrase on each reason of a regression that is no band: a minimum, a limit of growth, the anchor."""
    for test in verdict.tests:
        yield from (f"{test.test}: {reported.minimum.says}" for reported in test.missed if reported.minimum)
    yield from (str(limit) for limit in verdict.limits if limit.status == "regression")
    yield from _since_anchor(verdict)


def _ruled_out(verdict: RunVerdict) -> str:
    """Return a clause on the inconclusive band with the least evidence; empty if no band is inconclusive."""
    bands = [band for band in verdict.bands if band.verdict == "inconclusive" and band.n and not band.unpaired]
    run = verdict.stated_run
    if not bands and run and run.verdict == "inconclusive" and run.n:
        bands = [run]
    if verdict.verdict != "inconclusive" or not bands:
        return ""
    band = max(bands, key=lambda band: band.bound)
    margin = verdict.rules.margin_of_run if band is run else verdict.rules.margin
    points = math.ceil(100 * band.bound - 1e-9)
    known = "no drop is ruled out" if points >= 100 else f"a drop above {count(points, 'point')} is ruled out"
    what = "showing this drop" if band.needed_to_show else f"ruling out {100 * margin:g}"
    takes = f"; {what} takes about {band.takes}" if band.takes else ""
    where = " in all bands together" if band is run else f" in {band.band}" if len(verdict.bands) > 1 else ""
    return f": {trials(band.lost)} of {band.n:,} lost{where}; {known}{takes}"


def _since_anchor(verdict: RunVerdict) -> list[str]:
    """Return a phrase on each drop against the anchor."""
    if verdict.anchor is None or verdict.anchor.verdict == "invalid":
        return []
    return [f"{band.band} {_signed(band.difference)} since the anchor" for band in verdict.anchor.regressed]


def _anchor_note(verdict: RunVerdict) -> Iterator[str]:
    if (anchor := verdict.anchor) is None:
        return
    saved = f"Against the anchor of {verdict.since[:10]}"
    if anchor.verdict == "invalid":
        yield f"{saved}: not compared: {_why(anchor)}."
        return
    shown = [anchor.run] if anchor.run else []
    differences = "; ".join(
        f"{'all bands together' if band is anchor.run else band.band} {_signed(band.difference)} (n={band.n:,})"
        for band in [*shown, *anchor.bands]
    )
    yield f"{saved}: {differences}. {'A drop is significant.' if anchor.regressed else 'No drop is significant.'}"


def _notes(verdict: RunVerdict, baseline: str, changed: Sequence[str], lost: LostAnswers) -> Iterator[str]:
    yield _against(verdict, baseline, changed)
    yield from _anchor_note(verdict)
    if lost.shown:
        yield lost.sentence
    yield from _method(verdict)
    bands = [band for test in verdict.tests for band in test.bands]
    if same := [str(band.band) for band in bands if band.same_answers]:
        which = "every band" if len(same) == len(bands) else "; ".join(dict.fromkeys(same))
        yield f"The baseline's own recorded answers, replayed and judged the same: {which}."
    yield from _of_judges(verdict)
    for limit in verdict.limits:
        yield f"Growth: {limit}: {limit.status}."
    for test in verdict.tests:
        yield from _notes_of_test(test, verdict.rules)
    for run_name, only_there in zip(("the baseline", "this run"), verdict.unmatched, strict=True):
        for named, subject in only_there:
            yield f"{named} of {subject} is in {run_name} only, and is not judged."
    for named, subject in verdict.not_gated:
        yield f"{named} of {subject} is not judged: the profile leaves it out of the gate."


def _against(verdict: RunVerdict, baseline: str, changed: Sequence[str]) -> str:
    return f"Against the baseline {baseline}. Changed: {'; '.join(changed) or _unchanged(verdict)}."


def _unchanged(verdict: RunVerdict) -> str:
    """Say that no difference was found, and what was not compared."""
    tests = [test.requests for test in verdict.tests if not is_check(test.test)]
    unknown, absent = (sum(getattr(requests, name) for requests in tests) for name in ("unknown", "absent"))
    if absent and not any(requests.compared for requests in tests):
        return "nothing was compared, since no trial of both was measured"
    left_out = [
        f"the requests of {count(number, 'trial')} are not compared, since {why}"
        for number, why in ((unknown, "the baseline has no digests of them"), (absent, "they were not measured"))
        if number
    ]
    return "; ".join(["no difference found", *left_out])


def _notes_of_test(test: VerdictOfTest, rules: Rules) -> Iterator[str]:
    name = test.test
    yield from (f"{name}: {reason}." for reason in test.reasons)
    for band in test.bands:
        if band.reason:
            yield (
                f"{band.band}: {band.reason}. Measure what the model can do, or leave the table out of the gate with "
                "`gated = false`."
            )
        if band.within_margin:
            yield f"{band.band}: a drop of {-band.difference:.1%} is significant, and smaller than the margin."
        if band.takes and test.verdict == "inconclusive":
            given = band.n if band.takes.endswith("trials") else band.clusters
            what = "show this drop" if band.needed_to_show else "decide"
            yield f"{band.band}: about {band.takes} are needed to {what}{_next_run(rules)}; the run has {given:,}."
    for differs, cells in grouped(test.across, str).items():
        if cells[0].paired:
            yield f"{name}: {differs}: the same items, paired."
        else:
            yield (
                f"{name}: {differs}: the items do not correspond, so the rates are compared unpaired, as those of two "
                "independent samples."
            )
    if sum(test.alone):
        before, after = test.alone
        yield f"{name}: not paired: {before:,} trials that only the baseline has, and {after:,} that only this run has."
    if test.mismatched:
        yield f"{name}: {test.mismatched:,} trials ask a different question than in the baseline, and are not paired."
    if test.missing and not test.reasons:
        yield (
            f"{name}: {test.missing:,} of {test.asked:,} trials were not measured; even if all were wrong, the "
            "verdict would be the same."
        )


def _next_run(rules: Rules) -> str:
    """Return a clause on how the next run is judged; empty if it is by itself."""
    if rules.next_alpha is None:
        return ""
    return f" in the next run, which counts these and is judged at {100 * rules.next_alpha:g}%"


def _method(verdict: RunVerdict) -> Iterator[str]:
    if verdict.baseline_runs > 1:
        yield (
            f"The baseline has {verdict.baseline_runs} runs: each trial is compared with the mean of its answers there "
            "(longctx's guide docs/gate.md)."
        )
    if (run := verdict.run) and run.n:
        of = f"{run.n:,}{', checks counted' if _any_checks(verdict) else ''}"
        changes = f"{trials(run.lost)} lost and {trials(run.gained)} gained of {of}"
        verdict_of_run = run.verdict if verdict.stated_run else f"{'a' if run.shown else 'no'} regression by itself"
        verdict_of_run = "not judged" if verdict.is_no_verdict else verdict_of_run
        yield (
            f"All bands together: {_signed(run.difference)}, {changes}, {run.tested}, bound of drop "
            f"{run.bound:.3f}; for all of them the margin is {verdict.rules.margin_of_run:.1%}: "
            f"{verdict_of_run}."
        )
    looks = max((band.looks for band in verdict.bands), default=1)
    if verdict.not_asked:
        yield f"Stopped early: {verdict.shown_after}."
    if looks > 1:
        settled = [f"{band.band} at look {band.look} of {band.looks}" for band in verdict.bands if band.look]
        yield (
            f"The evidence was looked at in up to {looks} steps, each at a part of the level, and a band counts as it "
            f"was when it was settled: {'; '.join(settled)} (longctx's guide docs/gate.md)."
        )
    yield (
        f"A band passes where the upper bound of the drop ({100 * (1 - verdict.rules.alpha):g}%, one-sided) is below "
        f"{verdict.rules.margin:.0%}; a drop is tested by a sign-flip test, with Holm's correction over all bands, at "
        f"an alpha of {verdict.rules.alpha:g}."
    )


def _tables(verdict: RunVerdict) -> Iterator[Table]:
    if bands := _bands(verdict):
        for name in (PRICE, "latency"):
            if {row.get(name, "") for row in bands} <= {"", UNKNOWN, FREE}:
                bands = [{column: cell for column, cell in row.items() if column != name} for row in bands]
        yield Table.from_rows("By test and band of lengths", bands)
    if verdict.usage and verdict.usage.known:
        yield usage_table(verdict.usage)
    reported: dict[str, list[Mapping[str, str]]] = {}
    for test in verdict.tests:
        for beside in test.reported:
            head, *cells = beside.cells.items()
            row = dict([head, *_of(verdict, test).items(), *cells])
            reported.setdefault(beside.table, []).append(row)
    for title, rows in reported.items():
        yield Table.from_rows(title, rows)
    yield from _changed_together(verdict)
    yield from _moved(verdict)


def _changed_together(verdict: RunVerdict) -> Iterator[Table]:
    """Yield a table of the clusters that lost together, and one of those that gained, if there are any."""
    both = [(test, test.together) for test in verdict.tests]
    for index, how in enumerate(("Lost", "Gained")):
        clusters = [(test, cluster) for test, sides in both for cluster in sides[index]]
        rows = [
            {
                "test": test.test,
                **_of(verdict, test),
                "document or cluster": cluster.cluster,
                "before": f"{cluster.before.rate:.2f}",
                "after": f"{cluster.after.rate:.2f}",
                "n": f"{cluster.after.n:,}",
            }
            for test, cluster in clusters[:MOST_CELLS]
        ]
        if rows:
            title = (
                f"{how} together, {len(rows):,} of {len(clusters):,}: clusters whose answers "
                f"{'were lost' if index == 0 else 'were gained'} together more often than chance explains; not part of "
                "the verdict"
            )
            yield Table.from_rows(title, rows)


def _moved(verdict: RunVerdict) -> Iterator[Table]:
    """Yield a table of the cells with the largest changes, if any changed.

    Its intervals have Bonferroni's correction: they hold for all cells together, not only for those shown.
    """
    cells = [(test, name, paired) for test in verdict.tests for name, paired in test.cells]
    moved = sorted(
        (cell for cell in cells if cell[2].difference),
        key=lambda cell: abs(cell[2].difference),
        reverse=True,
    )
    if not moved:
        return
    z = NormalDist().inv_cdf(1 - 0.05 / (2 * len(cells)))
    rows = [
        {
            "cell": f"{test.test}/{name}",
            **_of(verdict, test),
            "difference": _signed(paired.difference),
            "interval": "[{:+.2f}, {:+.2f}]".format(*paired.interval(z)),
            "n": f"{paired.n:,}",
        }
        for test, name, paired in moved[:MOST_CELLS]
    ]
    title = (
        f"Largest changes by cell, {len(rows):,} of {len(cells):,}: not part of the verdict; the 95% intervals hold "
        f"for all {len(cells):,} cells together"
    )
    yield Table.from_rows(title, rows)


def _bands(verdict: RunVerdict) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for test in verdict.tests:
        subject = _of(verdict, test)
        rows += [
            {"test": test.test, **subject, **_band(band, change), **_invalid(verdict, test, band)}
            for band, change in zip(test.bands, test.changes, strict=True)
        ]
        if test.reasons and len(test.bands) != 1:
            rows.append({"test": test.test, **subject, "band": "all", "verdict": "invalid"})
    if (run := verdict.stated_run) and verdict.run_change and run.n:
        rows.append({"test": TOGETHER, **_band(run, verdict.run_change), "band": ""})
    return rows


def _invalid(verdict: RunVerdict, test: VerdictOfTest, band: BandVerdict) -> dict[str, str]:
    """Return the verdict of a band of an invalid run, or of the only band of a test of which not enough was measured.

    Several bands of such a test have a row for it.
    """
    invalid = verdict.is_no_verdict or (test.reasons and len(test.bands) == 1)
    return {"verdict": "invalid"} if invalid and band.n else {}


def _of(verdict: RunVerdict, test: VerdictOfTest) -> dict[str, str]:
    """Return the cell that names the subject of a test; none if the run has only one subject."""
    return {"of": str(test.after)} if len({judged.after for judged in verdict.tests}) > 1 else {}


def _band(band: BandVerdict, change: BandChange) -> dict[str, str]:
    """Return the cells of a band. Without a single pair it has no numbers: nothing was measured."""
    if not band.n:
        return {"band": band.band.name, "verdict": NOT_MEASURED, **dict.fromkeys(NUMBERS, ""), "n": "0", PRICE: ""}
    return {
        "band": band.band.name,
        "verdict": f"{band.verdict}, improved" if band.improved else band.verdict,
        "before": f"{change.before.rate:.2f}",
        "after": f"{change.after.rate:.2f}",
        "difference": _signed(band.difference),
        "95% interval": TOO_FEW if is_unknown(band) else "[{:+.2f}, {:+.2f}]".format(*change.interval),
        "bound of drop": SAME_ANSWERS if band.same_answers else TOO_FEW if is_unknown(band) else f"{band.bound:.3f}",
        "p": band.tested.removeprefix("p "),
        "lost": "" if band.unpaired else trials(band.lost),
        "gained": "" if band.unpaired else trials(band.gained),
        "n": _trials(band),
        PRICE: before_after(*(thousand(usage) for usage in change.usage)),
        "latency": before_after(*(seconds(usage.latency_p50) for usage in change.usage)),
    }


def _trials(band: BandVerdict) -> str:
    if band.unpaired:
        return " and ".join(f"{rate.n:,}" for rate in band.unpaired) + ", unpaired"
    return f"{band.n:,}" + (f" in {band.clusters:,} clusters" if band.clusters != band.n else "")


def _signed(difference: float) -> str:
    return f"{difference:+.3f}"
