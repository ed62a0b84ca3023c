"""`batches`: list, collect or cancel the Message Batches that are not collected yet."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from longctx import clocks
from longctx.cli.shared_options import declare, print_at_once
from longctx.errors import UserError
from longctx.extras import require

if TYPE_CHECKING:
    from longctx.live.batches.collect import Batches, BatchStatus
    from longctx.live.batches.ledger import Batch

NONE = "No batch is waiting to be collected: cassettes/batches is empty."


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "batches",
        help="list, collect or cancel pending Message Batches",
        description="Runs with --ctx-batch keep each batch that they have created and not collected yet as a file in "
        "cassettes/batches.",
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    server = argparse.ArgumentParser(add_help=False)
    server.add_argument(
        "--base-url",
        metavar="URL",
        help="the server that the batches are on, which confirms the address in their files",
    )
    listed = actions.add_parser("list", parents=[server], help="list the batches, with their states on the server")
    listed.set_defaults(run=_list)
    collect = actions.add_parser("collect", parents=[server], help="record the answers of batches that have ended")
    collect.add_argument("names", nargs="*", metavar="BATCH", help="name or id (default: all)")
    declare(collect, "no-lock")
    collect.set_defaults(run=_collect)
    cancel = actions.add_parser(
        "cancel",
        parents=[server],
        help="cancel a batch: requests that it has not begun are not sent, and its answers can be collected",
    )
    cancel.add_argument("names", nargs="+", metavar="BATCH", help="name or id")
    cancel.add_argument(
        "--forget",
        action="store_true",
        help="only delete the local record of it, so that its requests are sent, and paid for, again",
    )
    declare(cancel, "no-lock")
    cancel.set_defaults(run=_cancel)


def _list(options: argparse.Namespace) -> int:
    require("Looking after batches", "anthropic")
    from tabulate import tabulate

    rows: list[list[str]] = []

    async def look(batches: Batches, batch: Batch) -> None:
        rows.append(_row(await batches.statuses.of(batch)))

    def refused(batch: Batch, error: UserError) -> None:
        rows.append([*_head(batch), str(error)])

    if _each(options, (), look, refused):
        head = ["batch", "requests", "created", "state"]
        print(tabulate(rows, headers=head, disable_numparse=True, maxcolwidths=[None, None, None, 70]))
    return 0


def _row(status: BatchStatus) -> list[str]:
    from longctx.live.batches.collect import KEPT, no_answer_sentence

    batch, state = status.batch, status.state
    if status.kind == "running" and state is not None:
        text = f"{state.status.replace('_', ' ')}, {state.done:,} of {state.requests:,} have ended"
    elif status.kind == "ended":
        kept = f", by {state.created_at + KEPT:%Y-%m-%d} at the latest" if state and state.created_at else ""
        text = f"ended: longctx models batches collect{kept}"
    elif status.kind == "absent":
        text = (
            "not listed by its server: it seems that it was never created. The next run looks again, and sends its "
            "requests."
        )
    else:
        text = no_answer_sentence(status)
    return [*_head(batch), text]


def _head(batch: Batch) -> list[str]:
    return [str(batch), f"{len(batch.requests):,}", batch.created_at or batch.claimed_at]


def _collect(options: argparse.Namespace) -> int:
    require("Looking after batches", "anthropic")
    from longctx.live.batches.collect import no_answer_sentence
    from longctx.recording.tape import NotRecorded

    left: list[str] = []

    async def collect(batches: Batches, batch: Batch) -> None:
        await batches.collect([batch])
        if batch.places & batches.held().keys():
            left.append(no_answer_sentence(batches.last[batch.name]))

    def refused(batch: Batch, error: UserError) -> None:
        left.append(str(error))

    try:
        with _writing(options):
            _each(options, options.names, collect, refused)
    except NotRecorded as error:
        raise UserError(
            "answers-not-kept", f"{error} Its batch still has it: free some disk space, and collect it again."
        ) from None
    for reason in left:
        print_at_once(reason[0].upper() + reason[1:])
    return 1 if left else 0


def _cancel(options: argparse.Namespace) -> int:
    require("Looking after batches", "anthropic")
    from longctx.live.batches.ledger import Ledger

    if options.forget:
        with _writing(options):
            ledger = Ledger(options.workspace.cassettes)
            for batch in _named(ledger.open(), options.names):
                ledger.drop(batch)
                print_at_once(f"Batch {batch} is forgotten: its requests will be sent again.")
        return 0

    async def cancel(batches: Batches, batch: Batch) -> None:
        print_at_once(await _canceled(batches, batch))

    def refused(batch: Batch, error: UserError) -> None:
        raise error

    _each(options, options.names, cancel, refused)
    return 0


async def _canceled(batches: Batches, batch: Batch) -> str:
    """Cancel a batch and return a sentence about it. Raises UserError."""
    from longctx.live.batches.collect import no_answer_sentence
    from longctx.live.server.calls import ENQUIRY_ERRORS
    from longctx.live.server.explaining import explain

    status = await batches.statuses.of(batch)
    if status.kind == "ended":
        return f"Batch {status.batch} has ended by itself: longctx models batches collect records its answers."
    if status.kind != "running" or status.state is None:
        raise UserError("batch-not-cancelable", f"Batch {batch} cannot be canceled now: {no_answer_sentence(status)}")
    try:
        await batches.service.cancel(status.batch.id)
    except ENQUIRY_ERRORS as error:
        raise UserError(
            "cancel-refused", f"Batch {batch} was not canceled: {explain(error, batch.server).message}"
        ) from None
    return (
        f"Batch {batch} is being canceled: its answers until then are paid for, and longctx models batches collect "
        "records them."
    )


def _each(
    options: argparse.Namespace,
    names: Sequence[str],
    act: Callable[[Batches, Batch], Awaitable[None]],
    refused: Callable[[Batch, UserError], None],
) -> list[Batch]:
    """Call `act` for each of the named batches with a client of its server; return them. Raises UserError.

    Without any batch it prints a sentence. refused: called for a batch whose server is known from its file alone.
    """
    from longctx.live.batches.collect import Batches, BatchTerms
    from longctx.live.batches.ledger import Ledger
    from longctx.live.batches.service import Service
    from longctx.live.server.addresses import check_key_may_be_sent, without_userinfo
    from longctx.live.server.client import open_client
    from longctx.recording.tape import Tape

    cassettes = options.workspace.cassettes
    ledger = Ledger(cassettes)
    open_batches = _named(ledger.open(), names)
    if not open_batches:
        print_at_once(NONE)

    typed = options.base_url

    async def at(base_url: str | None, of_server: Sequence[Batch]) -> None:
        with_password = typed if typed and without_userinfo(typed) == base_url else base_url
        async with open_client(None, with_password, 1) as client:
            batches = Batches(Service(client), Tape(cassettes), BatchTerms(base_url), print_at_once)
            for batch in of_server:
                await act(batches, batch)

    confirmed = []
    for batch in open_batches:
        try:
            if batch.base_url is not None:
                check_key_may_be_sent(batch.base_url, str(ledger.path(batch)), typed)
            confirmed.append(batch)
        except UserError as error:
            refused(batch, error)
    by_server = sorted(confirmed, key=lambda batch: batch.base_url or "")
    for base_url, group in groupby(by_server, key=lambda batch: batch.base_url):
        clocks.run(at(base_url, list(group)))
    return open_batches


def _named(batches: Sequence[Batch], names: Sequence[str]) -> list[Batch]:
    """Return the batches with these names or ids; all of them without names. Raises UserError."""
    known = [name for batch in batches for name in (batch.name, batch.id) if name]
    for name in names:
        if name not in known:
            from longctx.errors import did_you_mean

            raise UserError(
                "unknown-batch", f"No batch {name!r} is waiting to be collected. {did_you_mean(name, known)}"
            )
    return [batch for batch in batches if not names or {batch.name, batch.id} & set(names)]


@contextlib.contextmanager
def _writing(options: argparse.Namespace) -> Iterator[None]:
    """Lock the cassettes, as a run that records does. If there is no such folder, it is not made."""
    from longctx.recording.tape import only_writer

    cassettes = options.workspace.cassettes
    with only_writer(cassettes, lock=not options.no_lock) if cassettes.is_dir() else contextlib.nullcontext():
        yield
