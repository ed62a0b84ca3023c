"""Models with prices, and a small profile, for tests of upgrades."""

from __future__ import annotations

from tests.integration.conftest import Checkout

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


def priced(checkout: Checkout, name: str, dollars: float, model: str = "") -> None:
    text = PRICED.format(model=model or name, input=dollars)
    checkout.file(f"fixtures/models/{name}.toml").parent.mkdir(parents=True, exist_ok=True)
    checkout.file(f"fixtures/models/{name}.toml").write_text(text)
