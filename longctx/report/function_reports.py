"""What the reports of test functions say of chunks, transcripts and fills: sentences, tables, charts and data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

from longctx.results.row import CALLS_TOOL
from longctx.stats.losses import ALPHA, Loss, Losses, level_of
from longctx.stats.rates import Rate
from longctx.summary.by_value import EVIDENCE_ALONE, FILLER, Measured
from longctx.summary.retention import Retention
from longctx.summary.retrievals import MISSED, RETRIEVED, Retrieval
from longctx.summary.summary import OfTest
from longctx.summary.windows import FILL, Window
from longctx.text import count, usd
from longctx.views.chart import Table
from longctx.views.view import RatePoint, RateView
from longctx.vocabulary.report import Rank
from longctx.vocabulary.shapes import NO_STRATEGY


def chunks_sentences(found: Sequence[Retrieval]) -> list[str]:
    """Return how many chunks are enough for each model, and whether retrieval or the model misses the rest."""
    several = len({each.subject for each in found}) > 1
    return [f"{each.subject}: {_enough(each)}" if several else _enough(each) for each in found]


def chunks_tables(title: str, found: Sequence[Retrieval], stem: str = "") -> Iterator[Table]:
    """Yield a table with a row for each number of chunks."""
    rows = [(each, point) for each in found for point in each.points]
    behind = [each.behind[point.value] for each, point in rows]
    columns = {
        "chunks": [f"{point.value:,.0f}" for _, point in rows],
        "accuracy [95% interval]": [str(point.rate) for _, point in rows],
        "answer retrieved": [f"{point.counts.get(RETRIEVED, 0) / point.rate.n:.0%}" for _, point in rows],
        "missed though retrieved": [f"{point.counts.get(MISSED, 0):,}" for _, point in rows],
        "points worse than the best, at most": [_points(each.most) for each in behind],
        "another is at least as good": ["yes" if each.beaten else "-" for each in behind],
        **measured_columns([point for _, point in rows]),
    }
    yield Table.by_subject(f"{title}: accuracy by number of chunks", [each.subject for each, _ in rows], columns)


def chunks_data(name: str, found: Sequence[Retrieval]) -> Iterator[dict[str, Any]]:
    """Yield the entries of summary.json. name: the function's."""
    for each in found:
        yield {
            "function": name,
            **each.subject.fields,
            "chunks": [point_data("number", point) | asdict(each.behind[point.value]) for point in each.points],
            "best": each.best.value,
            "best_accuracy": each.best_accuracy,
            "enough": each.enough.value if each.enough else None,
        }


def _enough(found: Retrieval) -> str:
    best, most = found.best, found.points[-1]
    if not best.rate.correct:
        return (
            f"No answer is right with up to {most.value:,.0f} chunks, though with {most.value:,.0f} the answer was "
            f"retrieved for {most.counts.get(RETRIEVED, 0):,} of {count(most.rate.n, 'question')}."
        )
    chosen, parts = found.enough, []
    if chosen:
        price = f" for {usd(1000 * chosen.usd)} per 1,000 questions" if chosen.usd else ""
        parts.append(
            f"{count(int(chosen.value), 'chunk is', 'chunks are')} at most {_points(found.behind[chosen.value].most)} "
            f"points worse than the best number, with 95% confidence: {interval_of(chosen.rate)}{price}."
        )
    if found.open:
        parts.append(_cannot_tell(found))
    parts.append(
        f"The best of {len(found.points)} here is {best.value:,.0f}, with about {found.best_accuracy:.2f}, corrected "
        "for having been chosen."
    )
    if found.against_evidence:
        parts.append(_against_evidence(found.against_evidence, best.value))
    shown = chosen or best
    there, missed = shown.counts.get(RETRIEVED, 0), shown.counts.get(MISSED, 0)
    parts.append(
        f"With {shown.value:,.0f} the answer was retrieved for {there:,} of {count(shown.rate.n, 'question')}; "
        f"{missed:,} of these were missed."
    )
    return " ".join(parts)


def _against_evidence(losses: Losses, best: float) -> str:
    """Return what the best number loses against the evidence alone, with an interval that holds for all numbers."""
    loss = next(loss for loss in losses.each if loss.value == best)
    low, high = (100 * end for end in loss.interval)
    named = count(int(best), "chunk")
    if loss.significant:
        lost = f"{100 * loss.loss:.0f} points are lost against the evidence alone [{low:.0f}, {high:.0f}]"
        return f"Even with {named}, {lost}."
    return f"With {named}, at most {math.ceil(high - 1e-9):,} points are lost against the evidence alone."


def _cannot_tell(found: Retrieval) -> str:
    level = level_of(len(found.points))
    further = _further([loss.more(found.losses.margin, level) for loss in found.open])
    numbers = _listed([f"{loss.value:,.0f}" for loss in found.open])
    asked = count(min(loss.n for loss in found.open), "question")
    return f"{asked} are too few to compare {numbers} with {(found.enough or found.best).value:,.0f}; {further}."


def _points(share: float) -> str:
    """Return an upper bound in points."""
    return f"{math.ceil(100 * share - 1e-9)}"


MOST_NAMED = 10
"""How many sessions of which the same is known are named."""
KEPT = "tokens kept, %"
FRONTIER = "Recall against retained tokens"
RECALL = ("recall", 0, 1)


def retention_views(title: str, found: Sequence[Retention], stem: str) -> Iterator[RateView]:
    """Yield the views of a test function that asks about a transcript. stem: the beginning of the charts' names."""
    yield RateView(
        points=[RatePoint(round(100 * each.retained), each.strategy, each.recall, str(each.subject)) for each in found],
        name=f"{stem}-frontier",
        heading=title,
        title=FRONTIER,
        x=KEPT,
        unit="% of the tokens",
        from_zero=True,
        series="strategy",
        scale=RECALL,
        fewest=1,
        finding=False,
        note="A strategy is dominated if another one recalls as much from as few tokens, and is better in one of both.",
    )
    for kind, name in (("kind of fact", "kind"), ("place in the conversation", "place")):
        yield RateView(
            points=[
                RatePoint(value, each.strategy, rate, str(each.subject))
                for each in found
                for value, rate in (each.by_kind if name == "kind" else each.by_place).items()
            ],
            name=f"{stem}-by-{name}",
            heading=title,
            title=f"Recall by {kind}",
            x=kind,
            series="strategy",
            scale=RECALL,
            table=f"recall by {kind}",
            down=name == "kind",
            finding=False,
        )


def retention_sentences(found: Sequence[Retention]) -> list[str]:
    """Return what each strategy of a model recalls, and from how much of the conversation."""
    several = len({each.subject for each in found}) > 1
    sentences = []
    for subject in dict.fromkeys(each.subject for each in found):
        of = [each for each in found if each.subject == subject]
        named = ", ".join(
            f"{each.strategy} {each.recall.rate:.2f} with {each.retained:.0%} of the tokens" for each in of
        )
        sentences.append(f"{subject}: recall of {named}." if several else f"Recall: {named}.")
    return sentences


def retention_tables(title: str, found: Sequence[Retention], stem: str) -> Iterator[Table]:
    """Yield the table of the strategies, and those of the views."""
    columns = {
        "strategy": [each.strategy for each in found],
        "tokens kept": [f"{each.retained:.0%}" for each in found],
        "recall [95% interval]": [str(each.recall) for each in found],
        **{name: [f"{each.wrong[name]:,}" for each in found] for name in ("stale", "lost", "invented")},
        "strategy, $ per 1,000": ["?" if each.usd is None else f"{1000 * each.usd:.2f}" for each in found],
        "strategy, median s": ["?" if each.seconds is None else f"{each.seconds:.1f}" for each in found],
        "dominated by": [", ".join(each.dominated_by) or "-" for each in found],
    }
    yield Table.by_subject(f"{title}: strategies", [each.subject for each in found], columns)
    for view in retention_views(title, found, stem):
        yield from view.tables()


def retention_findings(title: str, found: Sequence[Retention]) -> Iterator[tuple[Rank, str]]:
    """Yield which strategies are dominated, and which edits a server did not make."""
    for each in found:
        for edit, number in each.not_applied.items():
            yield (
                Rank.UNMEASURED,
                f"{title}, {each.subject}, strategy {each.strategy}: in {number:,} of {each.recall.n:,} trials the "
                f"server did not apply {edit}, so these measure the conversation as it is.",
            )
        if each.dominated_by:
            recall = "recalls" if len(each.dominated_by) == 1 else "recall"
            yield (
                Rank.EFFECT,
                f"{title}, {each.subject}: {each.strategy} recalls {each.recall.rate:.2f} from {each.retained:.0%} of "
                f"the tokens; {' and '.join(each.dominated_by)} {recall} at least as much, from no more tokens.",
            )


def retention_data(name: str, found: Sequence[Retention]) -> list[dict[str, Any]]:
    """Return the entries of summary.json. name: the function's."""
    return [
        {
            "function": name,
            **each.subject.fields,
            "strategy": each.strategy,
            "retained": each.retained,
            "n": each.recall.n,
            "rate": each.recall.rate,
            "lo": each.recall.lo,
            "hi": each.recall.hi,
            **each.wrong,
            "strategy_usd": each.usd,
            "strategy_s": each.seconds,
            "by_kind": {kind: [rate.correct, rate.n] for kind, rate in each.by_kind.items()},
            "by_place": {place: [rate.correct, rate.n] for place, rate in each.by_place.items()},
            "not_applied": dict(each.not_applied),
            "dominated_by": list(each.dominated_by),
        }
        for each in found
    ]


def window_sentences(found: Sequence[Window]) -> list[str]:
    """Return what each model may be filled to, and what each strategy keeps at the largest fill."""
    several = len({each.subject for each in found}) > 1
    sentences = []
    for subject in dict.fromkeys(each.subject for each in found):
        windows = [each for each in found if each.subject == subject]
        plain = [each for each in windows if each.strategy == NO_STRATEGY]
        told = [_may_be_filled(each) for each in plain or windows]
        strategies = [each for each in windows if each.strategy != NO_STRATEGY]
        told += [_keeps(each, len(strategies)) for each in strategies]
        sentences.append(f"{subject}: {' '.join(told)}" if several else " ".join(told))
    return sentences


def window_view(title: str, found: Sequence[Window], stem: str) -> RateView:
    """Return the accuracy by fill, a curve for each strategy. stem: the beginning of the charts' names."""
    return RateView(
        points=[
            RatePoint(int(point.value), each.strategy, point.rate, str(each.subject))
            for each in found
            for point in each.points
        ],
        name=f"{stem}-by-{FILL}",
        heading=title,
        title="Accuracy by fill",
        x=FILL,
        axis=FILLER,
        unit=FILLER,
        series="strategy",
        finding=False,
        note=f"Sent, of {found[0].strategy}: {sent}." if (sent := _sent(found[0])) else "",
    )


def _sent(window: Window) -> str:
    """Return the tokens that were sent at each fill; empty if they are not known."""
    known = [f"{point.sent:,} at {size(point.value)}" for point in window.points if point.sent is not None]
    return ", ".join(known)


def window_tables(title: str, found: Sequence[Window], stem: str = "") -> Iterator[Table]:
    """Yield a table with a row for each strategy and fill, and those of each session below them."""
    rows = [(each, point) for window in found for each in (window, *window.sessions) for point in each.points]
    losses = [next((loss for loss in each.losses.each if loss.value == point.value), None) for each, point in rows]
    columns = {
        "strategy": [each.strategy for each, _ in rows],
        **({"session": [each.session or "all" for each, _ in rows]} if any(each.session for each, _ in rows) else {}),
        FILLER: [size(point.value) for _, point in rows],
        "tokens sent": ["?" if point.sent is None else f"{point.sent:,}" for _, point in rows],
        "accuracy [95% interval]": [str(point.rate) for _, point in rows],
        "loss [simultaneous 95% interval]": [_lost(loss) if loss else "" for loss in losses],
        **{name: [f"{point.counts.get(name, 0):,}" for _, point in rows] for name in ("stale", "lost", "invented")},
        **measured_columns([point for _, point in rows]),
    }
    yield Table.by_subject(f"{title}: accuracy by fill", [each.subject for each, _ in rows], columns)


def measured_columns(points: Sequence[Measured]) -> dict[str, list[str]]:
    """Return the columns of what points cost if anything, how long they took, and what the prompt cache gave."""
    prices = ["?" if point.usd is None else f"{1000 * point.usd:.2f}" for point in points]
    return {
        **({"$ per 1,000": prices} if any(point.usd != 0 for point in points) else {}),
        "median s": ["?" if point.seconds is None else f"{point.seconds:.1f}" for point in points],
        "cached": ["?" if point.cached is None else f"{point.cached:.0%}" for point in points],
    }


def window_data(name: str, found: Sequence[Window]) -> Iterator[dict[str, Any]]:
    """Yield the entries of summary.json. name: the function's."""
    for each in found:
        yield {
            "function": name,
            **each.subject.fields,
            "strategy": each.strategy,
            "strategy_usd": each.strategy_usd,
            "fills": [point_data("fill", point) for point in each.points],
            "margin": each.losses.margin,
            "losses": [asdict(loss) for loss in each.losses.each],
            "ruled_out_to": each.losses.ruled_out[-1].value if each.can_lose and each.losses.ruled_out else None,
            **({"session": each.session} if each.session else {}),
            **({"sessions": [*window_data(name, each.sessions)]} if each.sessions else {}),
            **({"losses_here": [asdict(loss) for loss in each.here.each]} if each.here else {}),
        }


def point_data(name: str, point: Measured) -> dict[str, Any]:
    return {
        name: point.value,
        **point.rate.as_data,
        "usd": point.usd,
        "seconds": point.seconds,
        "cached": point.cached,
        "counts": point.counts,
    }


def size(tokens: float) -> str:
    """Return a number of tokens as people say it: `64k`, or `1,500`."""
    return f"{tokens / 1000:,.0f}k" if tokens >= 1000 and tokens % 1000 == 0 else f"{tokens:,.0f}"


def interval_of(rate: Rate, together: int = 1) -> str:
    """Return a rate with its interval. together: how many such intervals hold at once with 95%, by Bonferroni."""
    low, high = rate.interval(NormalDist().inv_cdf(1 - ALPHA / together))
    return f"{rate.rate:.2f} [{low:.2f}, {high:.2f}]"


def _may_be_filled(window: Window) -> str:
    return " ".join(filter(None, [_what_is_lost(window), *map(_calls_of, window.points)]))


def _calls_of(point: Measured) -> str:
    """Return how many replies call a tool instead of answering; empty if none does."""
    calls = point.counts.get(CALLS_TOOL, 0)
    if not calls:
        return ""
    return (
        f"At {size(point.value)} {calls:,} of {count(point.rate.n, 'reply', 'replies')} call a tool and do not answer."
    )


def _what_is_lost(window: Window) -> str:
    losses, first = window.losses, window.points[0]
    if not window.can_lose:
        return (
            f"At {size(first.value)}, the smallest fill, {first.rate.correct:g} of {first.rate.n:,} answers are right, "
            "not significantly more than by guessing, so a larger fill has nothing to lose."
        )
    named = f"{window.strategy}: " if window.strategy != NO_STRATEGY else ""
    if not window.here:
        text = _said(losses)
        if not (losses.ruled_out or losses.lost):
            return f"{named}How full may it get? Not known yet: {text}."
        return f"{named}{text[0].upper()}{text[1:]}."
    return (
        f"{named}In these {len(window.sessions):,} sessions: {_said(window.here)}. In others like them: "
        f"{_said(losses)}. Each by itself: {_one_by_one(window.sessions)}."
    )


def _said(losses: Losses) -> str:
    return "; ".join(filter(None, [_ruled_out(losses), *_are_lost(losses), _open(losses)]))


def _one_by_one(sessions: Sequence[Window]) -> str:
    """Return what is known of each session by itself, those of which the same is known together."""
    alike: dict[str, list[Window]] = {}
    for each in sessions:
        found = [_ruled_out(each.losses), *_are_lost(each.losses)]
        said = "nothing that a larger fill could lose" if not each.can_lose else ", ".join(filter(None, found))
        alike.setdefault(said, []).append(each)
    told = []
    for said, windows in sorted(alike.items(), reverse=True):
        names = (
            _listed([each.session for each in windows]) if len(windows) <= MOST_NAMED else f"{len(windows):,} sessions"
        )
        told.append(f"{names}: {said or f'too few probes, {_further([each.losses.more for each in windows])} in each'}")
    return "; ".join(told)


def _ruled_out(losses: Losses) -> str:
    if not losses.ruled_out:
        return ""
    against = f" compared with {_zero_point(losses)}"
    return f"up to {size(losses.ruled_out[-1].value)} a loss of {100 * losses.margin:.0f} points{against} is ruled out"


def _zero_point(losses: Losses) -> str:
    """Return with what losses are compared."""
    return "the evidence alone" if losses.first == EVIDENCE_ALONE else size(losses.first)


def _are_lost(losses: Losses) -> Iterator[str]:
    """Yield what is lost at each value with a significant loss; the first says with what it is compared."""
    for number, loss in enumerate(losses.lost):
        low, high = (100 * end for end in loss.interval)
        already = "already " if losses.first == EVIDENCE_ALONE and loss is losses.each[0] else ""
        against = f" against {_zero_point(losses)}" if number == 0 and not losses.ruled_out else ""
        yield (
            f"{already}at {size(loss.value)}{',' * bool(already)} {100 * loss.loss:.0f} points are lost{against} "
            f"[{low:.0f}, {high:.0f}]"
        )


def _open(losses: Losses) -> str:
    if not losses.open:
        return ""
    kept = size(losses.ruled_out[-1].value) if losses.ruled_out else _zero_point(losses)
    least = min(losses.open, key=lambda loss: loss.n)
    of, unit = (f" of {least.n / least.size:,.0f} sessions", " sessions") if least.size >= 2 else ("", "")
    further = _further([losses.more], unit)
    values = _listed([size(loss.value) for loss in losses.open])
    return f"{least.n:,} probes{of} are too few to compare {kept} with {values}; {further}"


def _further(more: Sequence[int | None], unit: str = "") -> str:
    known = [number for number in more if number is not None]
    return f"about {max(known):,} more{unit}" if len(known) == len(more) else "far more are needed"


def _listed(values: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(values[:-1]), values[-1]]))


def _keeps(window: Window, strategies: int) -> str:
    """Return the accuracy under a strategy. strategies: how many intervals of the sentence hold together with 95%."""
    last = window.points[-1]
    price = "" if not window.strategy_usd else f" for {usd(window.strategy_usd)} a session"
    accuracy = interval_of(last.rate, strategies)
    return f"With {window.strategy}, accuracy at {size(last.value)} is {accuracy}{price}."


def _lost(loss: Loss) -> str:
    low, high = loss.interval
    return f"{loss.loss:+.2f} [{low:+.2f}, {high:+.2f}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionReport:
    """What a report says of an analysis (summary/analyses.py), in the parts that a Report declares of a test."""

    tables: Callable[[str, Sequence[Any], str], Iterable[Table]]
    """From the test's title, what was found, and the beginning of the charts' names."""
    data: Callable[[str, Sequence[Any]], Iterable[dict[str, Any]]]
    views: Callable[[str, Sequence[Any], str], Iterable[RateView]] = lambda title, found, stem: ()
    drawn: str = ""
    """The parameter that the views draw."""
    answers: Callable[[Sequence[Any]], Sequence[str]] = lambda found: ()
    """What the test was run for."""
    told: Callable[[Sequence[Any]], Sequence[str]] = lambda found: ()
    """What the page tells if there is no such answer."""
    findings: Callable[[str, Sequence[Any]], Iterable[tuple[Rank, str]]] = lambda title, found: ()


REPORTS = {
    "windows": FunctionReport(
        tables=window_tables,
        data=window_data,
        views=lambda title, found, stem: [window_view(title, found, stem)],
        drawn=FILL,
        answers=window_sentences,
    ),
    "chunks": FunctionReport(tables=chunks_tables, data=chunks_data, answers=chunks_sentences),
    "retention": FunctionReport(
        tables=retention_tables,
        data=retention_data,
        views=retention_views,
        drawn="kind",
        told=retention_sentences,
        findings=retention_findings,
    ),
}
"""By the names of the analyses, in the order of a report."""


def function_reports_of(test: OfTest) -> list[tuple[FunctionReport, Sequence[Any]]]:
    """Return what is reported of a test function's analyses, each with what was found."""
    return [(report, test.found[name]) for name, report in REPORTS.items() if name in test.found]
