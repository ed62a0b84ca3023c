"""The two sides of a comparison of servers: each is a live server, a recorded one, or a baseline."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Sequence
from pathlib import Path

from longctx import clocks
from longctx.config.arguments import server_name
from longctx.config.file_names import servers_in
from longctx.errors import UserError, did_you_mean
from longctx.gate.served import Side
from longctx.live.server.addresses import parsed, without_userinfo
from longctx.workspace import Workspace

LIVE = re.compile(r"(?:(?P<name>[^=:/]+)=)?(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)
MOST_OF_HOST = 22
"""The most characters of a host in the name of a server."""


def sides_of(old: str, new: str, workspace: Workspace, model: str) -> tuple[Side, Side]:
    """Return both sides as a person writes them. model: the id of the model that both serve. Raises UserError."""
    first, second = (_side(role, text, workspace, model) for role, text in (("old", old), ("new", new)))
    same_url = bool(first.url) and parsed(first.url) == parsed(second.url or "http://none")
    named = [bool((match := LIVE.fullmatch(text)) and match["name"]) for text in (old, new)]
    if (same_url and not all(named)) or (first.name, first.baseline) == (second.name, second.baseline):
        raise UserError(
            "same-server-twice",
            f"{first.shown!r} is given twice, and a server is compared with another: name the other one. To see how "
            "much a server differs from itself, give it two names, as in first=URL second=URL.",
        )
    return first, second


def _side(role: str, text: str, workspace: Workspace, model: str) -> Side:
    servers = [name for name in servers_in(_folders(workspace), model) if name]
    if live := LIVE.fullmatch(text):
        url = live["url"]
        parsed(url)
        name = server_name(live["name"]) if live["name"] else _name_of(url, role, servers)
        return Side(role, name, url, shown=without_userinfo(url))
    if text in servers:
        return Side(role, text, shown=text)
    try:
        name = Path(text).stem if Path(text).is_file() else text
        return Side(role, name, baseline=workspace.find_baseline(text), shown=text)
    except UserError:
        names = [*servers, *(path.stem for path in workspace.baselines())]
        raise UserError(
            "unknown-server",
            f"{text!r} is no URL, no recorded server of {model} and no baseline. {did_you_mean(text, names)}",
        ) from None


def _folders(workspace: Workspace) -> Sequence[str]:
    cassettes = workspace.cassettes
    return [path.name for path in cassettes.iterdir() if path.is_dir()] if cassettes.is_dir() else []


def _name_of(url: str, role: str, taken: Container[str]) -> str:
    """Return the name of a live server that was given none: its host, and now, since it may be another one later.

    taken: the names of recorded servers, none of which is returned.
    """
    address = parsed(url)
    host = re.sub(r"[^A-Za-z0-9]+", "-", address.host).strip("-")[:MOST_OF_HOST].strip("-") or "server"
    name = f"{host}-{clocks.local():%m%d-%H%M%S}"
    numbered = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(full for each in numbered if (full := f"{each}-{role}") not in taken)
