"""The clients of a run: one for each server of its models, so that each key goes to its own."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from longctx.config.models import VENDORS, ModelProfile
from longctx.live.server.client import open_client
from longctx.live.server.providers import Client, provider_of
from longctx.recording.tape import Tape

Server = tuple[str, str, str]
"""The provider of a server, and the address and the key that a model's profile names."""
Member = TypeVar("Member")


def server_of(model: ModelProfile) -> Server:
    return provider_of(model), model.base_url, model.key


@dataclass(frozen=True, slots=True)
class Clients:
    """The clients of a run, by the servers of its models."""

    of_servers: Mapping[Server, Client]

    def of(self, model: ModelProfile) -> Client:
        """Return the client that asks a model."""
        if len(self.of_servers) == 1:
            return next(iter(self.of_servers.values()))
        return self.of_servers[server_of(model)]

    def grouped(
        self, members: Iterable[Member], model: Callable[[Member], ModelProfile]
    ) -> Iterator[tuple[Client, list[Member]]]:
        """Yield each client with the members whose model it asks, if there are any."""
        groups: dict[int, list[Member]] = {}
        for member in members:
            groups.setdefault(id(self.of(model(member))), []).append(member)
        yield from ((client, groups[id(client)]) for client in self.of_servers.values() if id(client) in groups)

    @property
    def first(self) -> Client:
        """The client of Anthropic's API, which alone has batches, if there is one; else any."""
        known = sorted(self.of_servers.items(), key=lambda entry: entry[0][0] in VENDORS)
        return known[0][1]

    @property
    def named(self) -> str:
        """The addresses of the servers."""
        return " and ".join(dict.fromkeys(str(client.base_url).rstrip("/") for client in self.of_servers.values()))

    def without_retries(self) -> Clients:
        """Return the clients that send a request once."""
        return Clients({server: client.with_options(max_retries=0) for server, client in self.of_servers.items()})

    @classmethod
    def taken(cls, given: Client | Clients) -> Clients:
        """Return what is given, a single client as that of all models."""
        return given if isinstance(given, Clients) else cls({("", "", ""): given})


@contextlib.asynccontextmanager
async def open_clients(
    tape: Tape | None, base_url: str | None, in_flight: int, models: Sequence[ModelProfile]
) -> AsyncIterator[Clients]:
    """Open a client for each server of these models, as `open_client` does. Raises UserError before any is asked."""
    groups: dict[Server, list[ModelProfile]] = {}
    for model in models:
        groups.setdefault(server_of(model), []).append(model)
    async with contextlib.AsyncExitStack() as stack:
        opened = {
            server: open_client(tape, base_url, in_flight, server[0], of_server)
            for server, of_server in (groups or {("anthropic", "", ""): []}).items()
        }
        for client in opened.values():
            await stack.enter_async_context(client)
        yield Clients(opened)
