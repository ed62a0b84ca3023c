"""`models`: list the model profiles, and ask a server about a model."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, get_args

from tabulate import tabulate

from longctx import clocks
from longctx.cli import batches
from longctx.cli.shared_options import declare, print_at_once
from longctx.config.file_names import OF_SERVER, file_name, slug
from longctx.config.models import API, ModelProfile, Prices, Probed, load_model, profile_path, read_profile
from longctx.config.profiles import as_toml
from longctx.config.project_files import checked
from longctx.errors import UserError
from longctx.extras import require
from longctx.files import write_file
from longctx.vocabulary.point import PROTOCOL
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.live.server.probing import ProbeResult

UNKNOWN = """
# [prices]                  # USD per million tokens
# input = 1.0
# output = 5.0
# dated = {today}        # the day on which they were looked up
# source = "the page that states them"
"""
"""What `add` leaves to a person."""
ENTRIES = {
    "window": "window, tokens",
    "max_output": "longest reply, tokens",
    "thinking": "thinking",
    "effort": "effort",
    "batch": "batches",
    "line": "tokens a line",
    "reference": "tokens a reference token",
}


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "models",
        help="list model profiles, or query a server about a model",
        description="A model profile is a file in fixtures/models/ that describes a model.",
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    batches.add(actions)
    probe = actions.add_parser(
        "probe",
        help="query a server about a model, and save its answers in the model's profile",
        description="Queries the model's limits and counts tokens, which is free, and writes both to the [probed] and "
        "[[measured]] tables of the model's profile. Entries that a person wrote stay, and take precedence.",
    )
    probe.add_argument("name", metavar="NAME", help="the model's id")
    declare(probe, "base-url")
    probe.add_argument(
        "--ask",
        action="store_true",
        help="count tokens by replies of one token, which cost money, if the server returns no count or only an "
        "estimate",
    )
    probe.add_argument(
        "--prompts", default=PROTOCOL, metavar="NAME", help="prompt set whose wordings are counted (default: protocol)"
    )
    probe.set_defaults(run=_probe)
    added = actions.add_parser("add", help="write the profile of a model that has none")
    added.add_argument("name", metavar="NAME", help="the model's id")
    added.add_argument("--api", choices=get_args(API), default="anthropic", help="the API of its server (%(default)s)")
    added.add_argument("--api-url", default="", metavar="URL", help="its server; by default the vendor's own")
    added.add_argument("--window", type=int, metavar="TOKENS", help="the tokens that prompt and reply may fill")
    added.set_defaults(run=_add)
    listed = actions.add_parser("list", help="list the model profiles")
    listed.set_defaults(run=_list)


def _add(options: argparse.Namespace) -> int:
    path = profile_path(options.workspace, options.name)
    if path.exists():
        raise UserError("model-exists", f"{options.name} has a profile, {path}: edit that one.")
    written = {"api": options.api, "base_url": options.api_url, "window": options.window}
    entries = {"model": options.name, **{name: value for name, value in written.items() if value}}
    checked(entries, ModelProfile, f"The profile of {options.name}")
    text = as_toml(entries)
    if not options.window:
        text += "# window = 400000         # the tokens that prompt and reply may fill\n"
    today = clocks.now().date()
    write_file(path, lambda part: part.write_text(text + UNKNOWN.format(today=today), encoding="utf-8"))
    print_at_once(f"{path} was written. Add its prices there for estimates.")
    return 0


def _probe(options: argparse.Namespace) -> int:
    require("Probing a model", "anthropic")
    from longctx.config.keeping import keep_probed, keep_token_counts
    from longctx.live.server.probing import differences

    before = read_profile(options.workspace, options.name)
    result, source = clocks.run(_ask(before, options))
    path = keep_probed(options.workspace, before.model, source, result.values)
    for counts in result.token_counts:
        if before.token_values(counts.test, counts.wording) != counts.values:
            keep_token_counts(options.workspace, before.model, counts)
    _print_result(before, result)
    for sentence in (*result.notes, *differences(before, result.values)):
        print(sentence)
    print(f"Kept in {path}.")
    return 0


async def _ask(model: ModelProfile, options: argparse.Namespace) -> tuple[ProbeResult, str]:
    from longctx.live.server.client import open_client, provider_of
    from longctx.live.server.counting import source_of
    from longctx.live.server.probing import probe

    async with open_client(None, options.base_url, 1, provider_of(model), [model]) as client:
        return await probe(options.workspace, client, model, options.ask, options.prompts, print_at_once), source_of(
            client
        )


def _print_result(before: ModelProfile, result: ProbeResult) -> None:
    rows = [
        (name, _text(_probed(before.probed, entry)), _text(result.values[entry]))
        for entry, name in ENTRIES.items()
        if entry in result.values
    ]
    for counts in result.token_counts:
        earlier = before.token_values(counts.test, counts.wording) or {}
        rows += [(f"{counts.test}: {name}", _text(earlier.get(name)), _text(to)) for name, to in counts.values.items()]
    marked = [(*row, "" if row[1] == row[2] else "changed" if row[1] != "-" else "new") for row in rows]
    print(tabulate(marked, headers=[before.model, "before", "now", ""], disable_numparse=True))


def _probed(probed: Probed | None, entry: str) -> object:
    return getattr(probed, entry) if probed else None


def _text(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(map(str, value)) or "none"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:g}"
    return str(value)


def _priced(prices: Prices) -> str:
    tiers = (f"; above {tier.tokens:,}: {tier.input:g} / {tier.output:g}" for tier in prices.above)
    return f"{prices.input:g} / {prices.output:g}{''.join(tiers)}"


def _list(options: argparse.Namespace) -> int:
    rows = [_listed(options.workspace, path.stem) for path in options.workspace.list("models", "*.toml")]
    headers = ["model", "through", "window", "prefill", "USD in / out", "dated", "probed", "recorded"]
    print(tabulate(rows, headers=headers, disable_numparse=True))
    return 0


def _listed(workspace: Workspace, name: str) -> tuple[str, ...]:
    profile = load_model(workspace, name)
    prices = profile.prices
    names = {file_name(profile.model), slug(profile.model)}
    folders = [*names] + [f"{name}{OF_SERVER}*" for name in names]
    recorded = sorted(path.parent.name for name in folders for path in workspace.cassettes.glob(f"{name}/*/*.jsonl"))
    return (
        name if name == profile.model else f"{name} ({profile.model})",
        "-" if profile.provider == "anthropic" else profile.provider,
        _text(profile.window),
        _text(profile.prefill),
        _priced(prices) if prices else "-",
        str(prices.dated) if prices else "-",
        str(profile.probed.on) if profile.probed else "-",
        ", ".join(dict.fromkeys(recorded)) or "no",
    )
