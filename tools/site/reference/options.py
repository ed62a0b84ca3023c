"""The page of all options that longctx adds to pytest."""

from __future__ import annotations

import argparse
from typing import Any

from _pytest.config.argparsing import Parser

from longctx.plugin import declared_options
from tools.site.reference.markdown import sentence, text

HEAD = """# Options of pytest

`pytest tests_longctx` takes these beside pytest's own, and `pytest --help` lists them. `-k`, `-m`, `-n` and every other
option of pytest mean what they always mean, in live runs too. Without `--ctx-record` no request is sent.

Two settings are in the file that configures pytest: `longctx_protocols`, [your own
protocols](../new-protocol.md), and `longctx_allowed_hosts`, [hosts that marked tests may connect
to](../functions.md#your-products-own-code).

"""
GUIDES = {
    "--ctx-profile": "configuration.md#profiles",
    "--ctx-model": "models.md",
    "--ctx-prompts": "configuration.md#prompt-sets",
    "--ctx-record": "live-runs.md",
    "--ctx-concurrency": "live-runs.md#concurrency",
    "--ctx-label": "compare.md#merge-runs",
    "--ctx-shard": "ci.md#shards",
    "--ctx-report": "compare.md",
    "--ctx-estimate": "live-runs.md#cost",
    "--ctx-max-cost": "live-runs.md#cost",
    "--ctx-baseline": "gate.md",
    "--ctx-on-inconclusive": "gate.md",
}
"""The page that says more of an option."""


def option_attributes() -> list[dict[str, Any]]:
    """Return argparse's attributes of each option that the help shows, and its `name`."""
    parser = Parser(_ispytest=True)
    declared_options.add(parser)
    options_ = [{**option.attrs(), "name": option.names()[0]} for option in parser.getgroup("longctx").options]
    return [option for option in options_ if option.get("help") is not argparse.SUPPRESS]


def page() -> str:
    return HEAD + "\n".join(_option(option) for option in option_attributes())


def _option(option: dict[str, Any]) -> str:
    name = option["name"]
    value = option.get("metavar") or ("|".join(option["choices"]) if option.get("choices") else "")
    more = f" [More](../{GUIDES[name]})." if name in GUIDES else ""
    return f"## `{f'{name} {value}'.strip()}` {{ #{name.lstrip('-')} }}\n\n{sentence(text(option['help']))}{more}\n"
