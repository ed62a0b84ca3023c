"""The estimate before any request is sent: what the tape lacks, in trials, tokens and dollars. It needs no SDK."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from longctx import clocks
from longctx.cells.cell import Cell, Group, ReplyTokens
from longctx.config.models import TokenCounts
from longctx.corpus.documents import reference_tokens
from longctx.errors import UserError
from longctx.live.batches.ledger import Ledger, each_once
from longctx.live.cost.estimate import Estimate, Estimates, estimate, in_all, price_of, price_warnings
from longctx.live.cost.prefixes import cheapest_with_batches, shared
from longctx.live.failure import Failure, Unasked
from longctx.live.watch import Say, waiting
from longctx.recording.missing import how_to_keep, missing, of_earlier_trials, of_other_versions, stale, why_unused
from longctx.recording.request import Request
from longctx.recording.tape import Tape
from longctx.results.grouping import grouped
from longctx.text import count, usd

NOT_MEASURED = "not_measured"
"""The cause of cells that are sent once the server has counted the tokens of their prompt set."""


BUILT = "the prompts to be built, to find those without a recording"


MOST_READ = 200
"""The most recorded answers that are read of a cell."""


def estimate_live(tape: Tape, cells: Sequence[Cell], say: Say, batch: bool = False) -> Estimates:
    """Return what this tape's record mode would ask, without a key and the network. Raises UserError.

    say: prints what is waited for.
    """
    fit, unfit = fitted(with_recorded_replies(tape, cells))
    claimed = {place for batch in Ledger(tape.written_to).open() for place in batch.places}
    with waiting(say, BUILT):
        asked = missing(tape, fit, build=batch or bool(claimed))  # batches identify requests by their digests
        asked = each_once(asked) if batch else asked
        free = [request for request in asked if request.place not in claimed]
        requests = with_sharing(free, batch)
    unmeasured = [cell for cell, why in unfit if why.cause == NOT_MEASURED]
    remarks = [*misfits(unfit), *_old_prices((*fit, *unmeasured)), *unused(tape, requests, batch)]
    if tape.record_mode == "once" and (number := stale(tape, fit)):
        remarks.append(
            f"{number:,} more are stale, recorded for another request: --ctx-record new_episodes would send them, too."
        )
    if held := len(asked) - len(free):
        remarks.append(f"{held:,} more are in batches that are not collected yet, and would not be sent.")
    return Estimates(tuple(estimate(fit, requests, unmeasured, batch)), tuple(remarks))


def unused(tape: Tape, requests: Sequence[Request], batch: bool) -> Iterator[str]:
    """Yield how many of the trials to ask have answers of another version, why these do not count, and the cost."""
    unused: dict[tuple[str, str, int | str], list[Request]] = defaultdict(list)
    for group in grouped(requests, lambda request: id(request.cell)).values():
        cell, by_trial = group[0].cell, {request.place.trial: request for request in group}
        for version, names in of_other_versions(tape, cell, by_trial).items():
            unused[cell.point.test, cell.model.model, version] += [by_trial[name] for name in names]
        entries, names = of_earlier_trials(tape, cell, by_trial)
        if names:
            unused[cell.point.test, cell.model.model, entries] += [by_trial[name] for name in names]
    for (test, model, built), group in unused.items():
        if isinstance(built, str):
            which, reason, advice = "an earlier version", "it built other prompts", how_to_keep(built)
        else:
            which, (reason, advice) = f"version {built}", why_unused(group[0].place.trial, built)
        price = f"about {usd(price_of(group, batch).paid(batch))}" if group[0].model.prices else "an unknown amount"
        have = "has an answer" if len(group) == 1 else "have answers"
        sentence = (
            f"{test} on {model}: {len(group):,} of these trials {have} of {which}, not used because {reason}. "
            f"Sending them again costs {price}. {advice}"
        )
        yield sentence.rstrip()


def with_sharing(requests: Sequence[Request], batch: bool) -> list[Request]:
    """Return the requests in the order in which they are sent, with what their prompts share."""
    return cheapest_with_batches(requests) if batch else shared(requests)


def with_recorded_replies(
    tape: Tape, cells: Sequence[Cell], known: Mapping[Group, ReplyTokens] | None = None
) -> list[Cell]:
    """Return the cells with what their model has answered so far to their test, if that states how long replies are.

    known: of a test and model, instead of what the tape has.
    """
    replies = {
        group: (known or {}).get(group)
        or ReplyTokens.of([tokens for cell in members for tokens in tape.output_tokens(cell.file, group[1], MOST_READ)])
        for group, members in grouped(cells, lambda cell: cell.group).items()
    }
    return [dataclasses.replace(cell, replies=replies[cell.group]) for cell in cells]


def with_estimated_counts(cell: Cell) -> Cell:
    """Return a cell of a test function as if its probes were counted, by the tokens of the model's profile.

    A cell whose counts are known is returned as it is. Raises UserError if no values can be made of the estimates.
    """
    if cell.token_values is not None:
        return cell
    model, point = cell.model, cell.point
    assert point.declared.counts is not None
    texts = point.declared.counts.probes(cell.wording.templates)
    counts = {name: max(1, round(model.tokens.reference * reference_tokens(text))) for name, text in texts.items()}
    try:
        values = point.declared.counts.kept(counts)
    except ValueError as error:
        raise UserError("cell-not-buildable", f"{cell.id}: {error}") from None
    estimated = TokenCounts(
        test=point.test,
        wording=cell.counts_key,
        system=model.system_digest,
        on=clocks.now().date(),
        values=values,
    )
    return dataclasses.replace(cell, model=model.model_copy(update={"token_counts": (*model.token_counts, estimated)}))


def fitted(cells: Sequence[Cell]) -> tuple[list[Cell], list[Unasked]]:
    """Return the cells that fit their models, and the others with the reasons."""
    fit, unfit = [], []
    for cell in cells:
        try:
            fit.append(cell.fitted())
        except UserError as error:
            cause = NOT_MEASURED if error.code == "prompt-set-not-measured" else "does_not_fit"
            unfit.append((cell, Failure(cause, str(error), fatal=True)))
    return fit, unfit


def misfits(unfit: Sequence[Unasked]) -> Iterator[str]:
    """Yield what does not fit its model and is not sent: a sentence on each test and model."""
    told = [(cell, why) for cell, why in unfit if why.cause != NOT_MEASURED]
    for (test, model), group in grouped(told, lambda each: each[0].group).items():
        first = "The first: " if len(group) > 1 else ""
        yield f"Left out: {count(len(group), 'cell')} of {test} on {model}. {first}{group[0][1].message}"


def still_fitting(requests: Sequence[Request]) -> tuple[list[Request], list[Unasked]]:
    """Return the requests whose cells fit their models by the server's count, and the other cells with the reasons."""
    cells = {id(request.cell): request.cell for request in requests}
    _, unfit = fitted(list(cells.values()))
    too_long = {id(cell) for cell, _ in unfit}
    return [request for request in requests if id(request.cell) not in too_long], unfit


def say_estimate(say: Say, cells: Sequence[Cell], requests: Sequence[Request], batch: bool) -> list[Estimate]:
    """Print and return the estimated cost of these requests. cells: all cells of the run."""
    estimates = estimate(cells, requests, batches=batch)
    for sentence in [*map(str, estimates), *filter(None, [in_all(estimates)]), *_old_prices(cells)]:
        say(sentence)
    return estimates


def _old_prices(cells: Sequence[Cell]) -> list[str]:
    return price_warnings((cell.model for cell in cells), clocks.local().date())
