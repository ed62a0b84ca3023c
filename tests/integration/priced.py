"""Models with prices, and a small profile, for tests of upgrades."""

from __future__ import annotations

from typing import Any

from tests.integration.conftest import Checkout, Result
from tests.servers import SimulatedServer

LINES = """
[line_retrieval]
models = ["old"]
lines = [3, 5]
orders = ["ordered"]
trials = 16
bands = { short = 3, middle = 5 }
"""
PRICED = """
model = "{model}"
window = 100000
[prices]
input = {input}
output = 10
dated = 2026-11-01
"""


def upgraded(checkout: Checkout, server: SimulatedServer | None, *arguments: object) -> Result:
    """Run `longctx upgrade`, which may ask the server; its report is in the folder up."""
    url = ["--base-url", server.url] if server else []
    return checkout.longctx(
        "upgrade", *arguments, "--out", "up", *url, env={"ANTHROPIC_API_KEY": "k"} if server else {}
    )


def data(checkout: Checkout, folder: str = "up") -> Any:
    return checkout.read(f"{folder}/upgrade.json")


def priced(checkout: Checkout, name: str, dollars: float, model: str = "") -> None:
    text = PRICED.format(model=model or name, input=dollars)
    checkout.file(f"fixtures/models/{name}.toml").parent.mkdir(parents=True, exist_ok=True)
    checkout.file(f"fixtures/models/{name}.toml").write_text(text)
