"""What a server sets in one trial does not reach another: cookies are dropped, and a dead proxy is named."""

from __future__ import annotations

import pytest

from longctx.live.server.explaining import proxy_of
from tests.live.clients import called
from tests.servers import Answer, Body, SimulatedServer, right


def test_cookies_do_not_pass_between_requests() -> None:
    def setting(body: Body) -> Answer:
        status, headers, content = right(body)
        return status, {**headers, "set-cookie": "session=1; Path=/"}, content

    with SimulatedServer(setting) as server:
        for _ in range(3):
            called(server.url, _twice)
    assert len(server.asked) == 6
    assert not any("cookie" in request.headers for request in server.received)


async def _twice(client) -> None:  # type: ignore[no-untyped-def]
    for _ in range(2):
        await client.messages.create(model="toy", max_tokens=5, messages=[{"role": "user", "content": "?"}])


@pytest.mark.parametrize(
    ("variables", "proxy"),
    [
        ({"HTTP_PROXY": "http://u:secret@proxy.test:3128"}, "http://proxy.test:3128"),
        ({"ALL_PROXY": "http://proxy.test:3128"}, "http://proxy.test:3128"),
        ({"HTTPS_PROXY": "http://proxy.test:3128"}, ""),
        ({"HTTP_PROXY": "http://proxy.test:3128", "NO_PROXY": "server.test"}, ""),
        ({}, ""),
    ],
)
def test_the_proxy_of_a_server(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], proxy: str) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_of("http://server.test:8080") == proxy
