"""A server that repeats the key, the user's headers and the password of its URL: nothing shows or keeps them."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from tests.integration.conftest import Checkout
from tests.servers import Answer, Received, SimulatedServer

KEY, PASSWORD, HEADER = "sk-ant-a-secret/key+0", "secret/password", "secret-of-a-header"


def repeating(request: Received) -> Answer:
    said = f"refused: {KEY} {PASSWORD} {HEADER} {request.headers['authorization']}"
    return 400, {}, json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": said}}).encode()


@pytest.mark.parametrize(("userinfo", "sent"), [("", KEY), (f"gateway-user:{quote(PASSWORD, safe='')}@", PASSWORD)])
@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_no_output_and_no_file_has_them(
    checkout: Checkout, server: SimulatedServer, userinfo: str, sent: str, workers: tuple[str, ...]
) -> None:
    server.answer = repeating  # type: ignore[method-assign]
    asked = checkout.pytest(
        *workers,
        f"--ctx-base-url={server.url.replace('//', f'//{userinfo}')}",
        "--ctx-record=once",
        "--junit-xml=junit.xml",
        env={"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_CUSTOM_HEADERS": f"x-gateway-token: {HEADER}"},
    )
    output = asked.out + asked.err
    assert "[redacted]" in output
    files = [path for path in checkout.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert any(path.name == "junit.xml" for path in files)
    texts = {"the output": output} | {str(path): path.read_bytes().decode("utf-8", "replace") for path in files}
    for secret in (sent, quote(sent, safe=""), HEADER):
        assert [name for name, text in texts.items() if secret in text] == []
