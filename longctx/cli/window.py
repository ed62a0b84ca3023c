"""`window`: from the log of a session to a test of how full the window may get."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared_options import add_task, print_at_once
from longctx.cli.written_test import NewTest, add_options, confirmed, run_of
from longctx.config.arguments import number
from longctx.errors import UserError
from longctx.text import count

if TYPE_CHECKING:
    from longctx.config.models import ModelProfile
    from longctx.engine.drafting import Draft, Tried
    from longctx.functions.transcript import Transcript
    from longctx.vocabulary.bank import Section

NAME = "window"
STRETCH = 400
"""About the tokens of the turns that probes are drafted about."""
MOST_STRETCH = 2000
FILLS = 5
"""How many fills the profile has, each twice the one before."""
LEAST_FILL = 1000
TEST = '''"""How full may the window get? Written by `longctx window`; edit it as you like."""

import longctx
import pytest

PROBES = "{name}/probes.jsonl"
"""Each probe: its question, the accepted answers, and a text of the session that has the answer."""
SESSIONS = {{
    name: longctx.transcript(f"{name}/{{name}}.json", probes=PROBES)
    for name in {sessions}
}}


@pytest.mark.longctx(cases=PROBES, same_context=True{cluster}, own_profile=True)
@pytest.mark.parametrize("fill", {fills})
def test_{name}(ask, case, fill):
    """The same probe with more and more of the session in the context; the evidence is always inside.

    The profile {name} sets the fills, the strategies and the models. To send requests as your product does, pass
    ask.probe its other arguments, such as system=… or temperature=…, or name your own strategy: strategies/FILE.py.
    """
    session = SESSIONS[case.session]
    ask.probe(session.filled(fill, case, whole_exchanges=True), case)
'''
PROFILE = """about = "How full may the window get? A fill is the number of tokens of the session in the context."

[test_{name}]
models = ["{model}"]
fill = {fills}
strategies = {strategies}  # besides these: truncate-at-N, clear_tool_uses-N, compact-N, strategies/FILE.py
"""


def add(commands: Any) -> None:
    parser = add_task(
        commands,
        NAME,
        "write a test of how full the window may get, from the log of a session",
        ". Its profile is written, too. A model drafts probes; those that need the text are kept.",
    )
    option = parser.add_argument
    option("sessions", type=Path, nargs="+", metavar="SESSION", help="a log: requests, or an agent's session")
    option("--line", type=number(int, 1), metavar="N", help="the line of a log (default: the one with most turns)")
    option("--system", type=Path, metavar="FILE", help="the system prompt, if the log does not have it")
    option("--tools", type=Path, metavar="FILE", help="the tools as JSON, if the log does not have them")
    option("--probes", type=Path, metavar="FILE", help="your own probes, JSON lines, instead of drafting")
    option(
        "--fill",
        type=number(int, 1),
        action="append",
        metavar="TOKENS",
        help="tokens in the context (repeatable)",
    )
    option("--strategy", action="append", metavar="NAME", help="context-management strategy (repeatable)")
    add_options(parser)
    parser.set_defaults(run=run)


@dataclasses.dataclass(frozen=True, slots=True)
class Measuring:
    """What the profile measures."""

    fills: list[int]
    strategies: list[str]
    probes: int

    def price(self, model: ModelProfile, thinking: int = 0) -> float | None:
        """Return about what a run costs in USD; None if prices are not known."""
        from longctx.functions.ask import PROBE_TOKENS
        from longctx.functions.strategies import SUMMARY_TOKENS, Strategy
        from longctx.live.cost.prefixes import QUESTION_TOKENS, ContextPrice
        from longctx.workspace import Workspace

        total = 0.0
        for given in self.strategies:
            at = Strategy.of(given, Workspace(Path())).at if not given.partition("-at-")[0].endswith(".py") else None
            for fill in self.fills:
                parts = [(min(fill, at or fill), PROBE_TOKENS)]
                parts += [(at, SUMMARY_TOKENS)] * ((fill - 1) // at) if at and given.startswith("summary") else []
                for size, reply in parts:
                    tokens = size * model.tokens.reference + QUESTION_TOKENS
                    price = ContextPrice.of(model, tokens, reply + thinking, self.probes)
                    if price is None:
                        return None
                    total += price.direct
        return total


def run(options: argparse.Namespace) -> int:
    from longctx.config.models import load_model
    from longctx.engine.drafting import Drafting, in_words
    from longctx.functions.keys import keys_in

    new = NewTest.of(options, NAME, "probes.jsonl")
    model = load_model(options.workspace, options.model)
    sessions = _sessions(options)
    for each in sessions.values():
        print_at_once(_found(each))
    if keys := [f"{key}" for each in sessions.values() for key in keys_in(each)]:
        more = f", and {len(keys) - 5:,} more" if len(keys) > 5 else ""
        print_at_once(
            f"These look like keys, and would be sent: {'; '.join(keys[:5])}{more}. Remove them from the log first."
        )
    fills = sorted(options.fill) if options.fill else _fills(sessions.values(), model)
    drafts = _own(options.probes, sessions) if options.probes else []
    work = Drafting(run_of(options), model, _texts(sessions), options.number)
    if not confirmed(work.doing(drafts, "probe"), options):
        return 1
    kept = work.kept(drafts or _placed(work.drafted(), sessions, fills[0]))
    if not kept.drafts:
        raise UserError(
            "no-probe-kept",
            f"No probe can be used: {kept.sentence('the session')} Use a longer session, another model, or your own "
            "probes with --probes FILE.",
        )
    lines = _lines(kept)
    plan = Measuring(fills, options.strategy or ["none", f"summary-at-{fills[-1] // 2}"], len(lines))
    values = {"name": new.name, "sessions": json.dumps([*sessions]), "fills": fills, "model": options.model}
    values |= {"strategies": json.dumps(plan.strategies), "cluster": ', cluster="session"' if len(sessions) > 1 else ""}
    beside = {f"{one}.json": _as_json(each) for one, each in sessions.items()}
    beside[".gitignore"] = "# The session may be private: delete this file to commit it.\n*\n!.gitignore\n"
    new.write(lines, TEST.format(**values), PROFILE.format(**values), beside)
    usual, most = plan.price(model), plan.price(model, model.thinking_tokens)
    costs = "price not known" if usual is None or most is None else in_words(usual, most)
    uncached = plan.price(model.model_copy(update={"caching": None}), model.thinking_tokens)
    sizes = f"{count(plan.probes, 'probe')} × {count(len(fills), 'fill')} × "
    sizes += count(len(plan.strategies), "strategy", "strategies")
    new.print_next_steps(kept.sentence("the session"), sizes, costs, new.recorded(options.base_url, uncached))
    return 0


def _sessions(options: argparse.Namespace) -> dict[str, Transcript]:
    """Return the sessions by name, with what their logs lack. Raises UserError."""
    from longctx.config.project_files import read_text
    from longctx.functions.transcript import read_transcript

    found: dict[str, Transcript] = {}
    for path in options.sessions:
        session = read_transcript(path, options.line)
        if options.system:
            session = dataclasses.replace(session, system=read_text(options.system).strip())
        if options.tools:
            session = dataclasses.replace(session, tools=_tools(options.tools))
        given = {"system prompt": options.system, "tool descriptions": options.tools}
        lacks = tuple(each for each in session.lacks if not given[each])
        name = "".join(letter if letter.isalnum() else "_" for letter in path.stem.lower())
        if name in found:
            raise UserError("session-given-twice", f"Two sessions are named {name!r}: rename the file {path}.")
        found[name] = dataclasses.replace(session, lacks=lacks)
    return found


def _tools(path: Path) -> list[dict[str, Any]]:
    from longctx.config.project_files import read_text

    try:
        tools = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise UserError("bad-tools", f"{path} is not JSON ({error}): write the list of tools of a request.") from None
    if not (isinstance(tools, list) and all(isinstance(tool, dict) and "name" in tool for tool in tools)):
        raise UserError(
            "bad-tools", f"{path} is not a list of tools: write a JSON list of objects with a name, as in a request."
        )
    return tools


def _found(session: Transcript) -> str:
    """Return what a session has, and what its log lacks."""
    from longctx.functions.strategies import tokens_of

    parts = [
        count(len(session.messages), "turn"),
        f"{_rounded(tokens_of(session.messages))} tokens",
        count(len(session.tools), "tool"),
    ]
    parts += [count(session.compactions, "compaction")] if session.compactions else []
    options = {"system prompt": "--system FILE", "tool descriptions": "--tools FILE"}
    lacks = [f"{each} (add it with {options[each]})" for each in session.lacks]
    left_out = f" Left out: {', '.join(session.left_out)}." if session.left_out else ""
    return f"{', '.join(parts)}.{left_out}" + (f" Not in the log: {', '.join(lacks)}." if lacks else "")


def _rounded(tokens: int) -> str:
    return f"{tokens / 1000:,.0f}k" if tokens >= 10_000 else f"{tokens:,}"


def _fills(sessions: Any, model: ModelProfile) -> list[int]:
    """Return fills of which each is twice the one before, up to the shortest session and the window."""
    from longctx.functions.ask import PROBE_TOKENS
    from longctx.functions.strategies import tokens_of
    from longctx.functions.transcript import ENOUGH

    most = min(tokens_of(session.messages) for session in sessions) / ENOUGH
    if model.window:
        room = model.window - PROBE_TOKENS - model.thinking_tokens
        most = min(most, 0.95 * room / model.tokens.reference)
    largest = LEAST_FILL
    while 2 * largest <= most:
        largest *= 2
    fills = [largest >> step for step in range(FILLS)]
    if most < 2 * LEAST_FILL:
        raise UserError(
            "session-too-short",
            f"The session has room for less than {2 * LEAST_FILL:,} tokens, too few to compare fills: use a longer "
            "session.",
        )
    return sorted(fill for fill in fills if fill >= LEAST_FILL)


def _texts(sessions: dict[str, Transcript]) -> list[Section]:
    """Return the stretches of all sessions that probes can be drafted about. Raises UserError."""
    from longctx.corpus.documents import reference_tokens
    from longctx.functions.transcript import stretches
    from longctx.vocabulary.bank import Section

    found = [
        Section(f"{name}-{turn}", text, reference_tokens(text))
        for name, session in sessions.items()
        for turn, text in stretches(session, STRETCH)
    ]
    short = [each for each in found if each.tokens <= MOST_STRETCH]
    if not (short or found):
        raise UserError("session-without-facts", "The session contains no text: use another one.")
    return short or [min(found, key=lambda each: each.tokens)]


def _placed(drafts: Sequence[Draft], sessions: dict[str, Transcript], smallest: int) -> list[Draft]:
    """Return drafts with a text of the turn that answers them, or its number, as far as that fits the smallest fill."""
    from longctx.functions.transcript import place_of

    placed = []
    for draft in drafts:
        name, _, first = draft.section.rpartition("-")
        evidence, turn = place_of(sessions[name], draft.probe, int(first) - 1)
        probe = dataclasses.replace(draft.probe, evidence=evidence, turn=turn)
        with contextlib.suppress(UserError):
            sessions[name].filled(smallest, probe, whole_exchanges=True)
            placed.append(dataclasses.replace(draft, probe=probe))
    return placed


def _own(path: Path, sessions: dict[str, Transcript]) -> list[Draft]:
    """Return the user's own probes. Raises UserError for one whose evidence is in no session."""
    from longctx.engine.drafting import Draft, own_probes
    from longctx.functions.strategies import blocks_of
    from longctx.functions.transcript import read_block

    drafts = []
    for case, probe in own_probes(path, "probe"):
        places = (
            (name, session.turn_of(probe)) for name, session in sessions.items() if case.get("session") in (None, name)
        )
        name, turn = next(((name, turn) for name, turn in places if turn is not None), ("", None))
        if turn is None:
            raise UserError(
                "probe-without-evidence",
                f"{path}, the probe {case['id']}: no turn of the session is its turn {probe.turn or ''} or contains "
                f"its evidence {probe.evidence[:60]!r}: quote a turn exactly.",
            )
        text = "\n".join(map(read_block, blocks_of(sessions[name].messages[turn])))
        drafts.append(Draft(str(case["id"]), f"{name}-{turn + 1}", probe, text))
    return drafts


def _lines(kept: Tried) -> list[dict[str, Any]]:
    from longctx.engine.drafting import accepted

    lines = []
    for draft in kept.drafts:
        probe = draft.probe
        place = {"evidence": probe.evidence} if probe.turn is None else {"turn": probe.turn}
        stale = {"stale": [*probe.stale]} if probe.stale else {}
        line = {"id": draft.id, "session": draft.section.rpartition("-")[0], "question": probe.question}
        lines.append({**line, "accept": accepted(probe), **stale, "kind": probe.kind or "fact", **place, "alone": True})
    return lines


def _as_json(session: Transcript) -> str:
    request = {"system": session.system, "tools": list(session.tools), "messages": session.messages}
    return json.dumps({name: value for name, value in request.items() if value}, ensure_ascii=False) + "\n"
