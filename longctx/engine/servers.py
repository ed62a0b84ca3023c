"""Which server the answers of a run come from: what it says of itself, and what no server was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from longctx.config.file_names import folder_of, servers_in
from longctx.engine.places import file_of, trial_of
from longctx.errors import UserError
from longctx.results.row import Row
from longctx.results.server_says import ServerSays
from longctx.vocabulary.point import is_check

if TYPE_CHECKING:
    from longctx.config.models import ModelProfile
    from longctx.engine.run_data import RunData


def keep_says(run: RunData, models: Iterable[ModelProfile]) -> None:
    """Keep what the server that a run names says of itself, beside its recordings. Raises UserError."""
    server, url = run.settings.server, run.settings.base_url
    if not server or not url:
        return
    from longctx.live.server.says import keep, says_now

    tape = run.tape(run.settings.record)
    for model in models:
        says = says_now(url, model)
        if says != ServerSays():
            keep(tape, folder_of(model.model, server), run.name, says)


def says_of(run: RunData, rows: Sequence[Row]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what the servers with names said when they were asked last, by model and server."""
    named = sorted({(row.model, row.server) for row in rows if row.server})
    if not named:
        return {}
    from longctx.live.server.says import kept_of

    tape, said = run.tape(), dict[str, dict[str, dict[str, Any]]]()
    for model, server in named:
        says = kept_of(tape, folder_of(model, server))
        if says != ServerSays():
            said.setdefault(model, {})[server] = asdict(says)
    return said


def server_notes(run: RunData, rows: Sequence[Row]) -> Iterator[str]:
    """Yield what a verdict says of the server: that nothing was sent to it, or that it is assumed to be the same."""
    if sentence := nothing_sent(run, rows):
        yield f"{sentence[0].upper()}{sentence[1:]}."
    elif not run.settings.server and any(row.source == "live" for row in rows):
        yield (
            "The server is assumed to be unchanged since the baseline: --ctx-server NAME keeps the answers of servers "
            "apart, and compares them."
        )


def nothing_sent(run: RunData, rows: Sequence[Row]) -> str:
    """Return that nothing was sent to the server that the run names by its address; empty if anything was.

    What is recorded is not sent again, whatever the server is by now.
    """
    settings = run.settings
    answered = [row for row in rows if row.source and not is_check(row.test)]
    if settings.base_url is None or settings.record == "none" or any(row.source == "live" for row in answered):
        return ""
    days = sorted({row.recorded_at[:10] for row in answered if row.recorded_at})
    if not days:
        return ""
    from longctx.live.server.addresses import without_userinfo

    try:
        url = without_userinfo(settings.base_url)
    except UserError:  # no address, which nobody needed
        url = "the server"
    of = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    total = sum(not is_check(row.test) for row in rows)
    return f"nothing was sent to {url}: {len(answered):,} of {total:,} answers are recordings of {of}"


def nothing_of_server(run: RunData, rows: Sequence[Row]) -> str:
    """Return that a run has no answer of the server that it names, without a full stop; empty if it has any."""
    server, trials = run.settings.server, [row for row in rows if not is_check(row.test)]
    if not server or not trials or any(row.measured for row in trials):
        return ""
    tape = run.tape()
    folders = tape.folders_of_models()
    others = {row.model: [name for name in servers_in(folders, row.model) if name != server] for row in trials}

    def has_other(row: Row) -> bool:
        files = (file_of(replace(row, server=other)) for other in others[row.model])
        return any(tape.has(file, row.model, trial_of(row)) for file in files)

    found = sum(map(has_other, trials))
    what = f"{found:,} of {len(trials):,} answers are recordings of another"
    return f"Nothing was asked of {server}: {what if found else 'none of its answers is recorded'}"
