"""The values of the fixtures of test functions: each serves the trial that is running."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from longctx.config.models import sdk_at, servers_named
from longctx.connections import INI, Guard, is_here
from longctx.errors import UserError
from longctx.functions.ask import Ask
from longctx.functions.case import Case
from longctx.functions.cells import CaseItem, name_of
from longctx.functions.draw import Draw
from longctx.functions.measure import Result, RunOnce, TrialOf, is_failure, is_skip, reason, run
from longctx.functions.strategies import Strategy, blocks_of
from longctx.functions.transcript import Transcript, read_block
from longctx.functions.trial import CACHED, FunctionTrial, TestMistake, mistake
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.point import MEASURED
from longctx.vocabulary.shapes import NO_STRATEGY

if TYPE_CHECKING:
    from longctx.cells.cell import Cell, Trial
    from longctx.config.models import ModelProfile
    from longctx.functions.cells import Function
    from longctx.recording.tape import Tape
    from longctx.workspace import Workspace


@dataclass(slots=True)
class FunctionState:
    """What the fixtures of all test functions share."""

    workspace: Workspace
    tape: Tape
    load: Callable[[str], ModelProfile]
    """Returns the profile of a model."""
    current: FunctionTrial | None = None
    """The trial that is running."""
    case: CaseItem | None = None
    """The case of that trial."""
    models: dict[str, ModelProfile] = field(default_factory=dict)

    def trial(self) -> FunctionTrial:
        """Return the trial that is running. Raises UserError if there is none."""
        if self.current is None:
            raise UserError(
                "not-in-a-trial",
                "The fixture ctx, and ask, draw, check, judge and case can only be used while a trial runs: by a test "
                "that is marked @pytest.mark.longctx(trials=…), and by its function-scoped fixtures before they yield.",
            )
        return self.current

    def model(self, name: str) -> ModelProfile:
        if name not in self.models:
            self.models[name] = self.load(name)
        return self.models[name]

    def item(self) -> CaseItem:
        """Return the case of the trial that is running. Raises UserError, and TestMistake if the test has no cases."""
        trial = self.trial()
        if self.case is None:
            raise mistake(
                "no-case",
                f"{trial.function} uses the fixture case, but its marker names no file: write cases='FILE.jsonl'.",
            )
        return self.case

    def ctx(self, cell: Callable[[], Cell]) -> Ctx:
        """Return the fixture `ctx`. cell: returns the cell whose templates it reads."""
        draw: Any = CurrentDraw(self)
        return Ctx(Ask(self.trial, self.model), draw, Case(self.item), templates(cell))


class CurrentDraw:
    """The draw of the trial that is running."""

    def __init__(self, state: FunctionState) -> None:
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(Draw(self._state.trial(), self._state.workspace), name)


def templates(cell: Callable[[], Cell]) -> Callable[[str], str]:
    """Return a function from the name of a template to its text. cell: returns the cell that has them."""

    def template(name: str) -> str:
        of = cell()
        try:
            return of.wording.templates[name]
        except KeyError:
            known = ", ".join(of.wording.templates) or "none"
            raise mistake(
                "no-such-template",
                f"{of.point.test} uses the template {name!r}, but the prompt set "
                f"{of.wording.prompt_set!r} has {known} for it: write fixtures/prompts/"
                f"{of.wording.prompt_set}/{of.point.test}/{name}.txt.",
            ) from None

    return template


Check = Callable[[str, object], bool | float]
"""The fixture `check` scores one aspect of a trial without stopping.

Example:
    >>> def test_fee(ask: Ask, case: Case, check: Check):
    ...     check("answer", case.answer in ask(case.text, case.question).text)
"""


@dataclass(frozen=True, slots=True)
class Ctx:
    """The fixture `ctx`: the draws, requests, checks and judgements of a test function.

    Example:
        >>> def test_refund_code(ctx: Ctx, tokens: int):
        ...     code = ctx.draw.integer(10_000, 99_999)
        ...     text = ctx.draw.filler(tokens).insert(f"The refund code is {code}.", depth=0.5)
        ...     assert ctx.ask(text, "What is the refund code?", max_tokens=24).integer() == code
    """

    ask: Ask
    """Sends a request to the model under test."""
    draw: Draw
    """Draws random values, the same for every model, prompt and length."""
    case: Case
    """The trial's line of the file that the marker names."""
    prompt: Callable[[str], str]
    """Returns a template of the prompt set: `ctx.prompt("system")` reads fixtures/prompts/SET/TEST/system.txt."""

    def check(self, name: str, condition: object) -> bool | float:
        """Score one aspect of the trial without stopping: `ctx.check("cites", condition)`.

        A trial is correct if all checks hold. A number between 0 and 1 is partial credit: its mean is shown and gated,
        and the trial does not depend on it.
        """
        return self.ask.check(name, condition)

    def judge(self, prompt: str, **given: Any) -> Answer:
        """Send a prompt to the model that the profile names as `judge`, and return its answer.

        `ctx.judge(prompt, label=case.human).choice("YN")` also shows how often it agrees with a human's label.
        """
        return self.ask.judged(prompt, **given)


class Subtests:
    """The fixture `subtests` of pytest, for one run of a trial: each subtest is a check."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._held: dict[str, bool] = {}

    @contextlib.contextmanager
    def test(self, msg: str | None = None, **kwargs: Any) -> Iterator[None]:
        """Check what the block asserts. Without an error of the test, the trial goes on after it."""
        parts = [*([] if msg is None else [msg]), *(f"{name}-{value}" for name, value in kwargs.items())]
        name, trial = name_of("-".join(parts) or "subtest"), self._ask.trial
        held = True
        try:
            yield
        except BaseException as error:
            if is_skip(error):
                return
            if not is_failure(error):
                raise
            held = False
            trial.reasons.setdefault(name, reason(error))
        if name in self._held:  # of several blocks of one name, each must hold
            trial.checks.pop(name)
        self._held[name] = held and self._held.get(name, True)
        self._ask.check(name, self._held[name])


PATTERNS = {
    "an Anthropic key": r"sk-ant-[\w-]{16,}",
    "a key of OpenAI": r"sk-(?!ant-)(?:proj-)?[A-Za-z0-9_-]{20,}",
    "a token of GitHub": r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}",
    "a key of AWS": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "a key of Google": r"\bAIza[\w-]{35}",
    "a token of Slack": r"\bxox[abeoprs]-[\w-]{10,}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "a JSON web token": r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+",
    "a password in an address": r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]{3,}@",
    "a secret": r"(?i)(?:api_?key|secret|passwo?rd|access_?token)\w*[\"']?\s*[:=]\s*[\"']?[^\s\"'<>{}$]{8,}",
}
SHOWN_OF_KEY = 6
"""How many characters of it are shown."""


@dataclass(frozen=True, slots=True)
class KeyFound:
    """A text that looks like a key."""

    turn: int
    """The number of its turn, from 1; 0 for the system prompt."""
    kind: str
    beginning: str

    def __str__(self) -> str:
        return f"{f'turn {self.turn:,}' if self.turn else 'the system prompt'} has {self.kind} ({self.beginning}…)"


def keys_in(session: Transcript) -> Iterator[KeyFound]:
    """Yield what looks like a key in a session, each text once."""
    seen = set()
    system = session.system if isinstance(session.system, str) else str(session.system)
    texts = [system, *("\n".join(map(read_block, blocks_of(message))) for message in session.messages)]
    for turn, text in enumerate(texts):
        for kind, pattern in PATTERNS.items():
            for match in re.finditer(pattern, text, re.ASCII):
                if match[0] not in seen:
                    seen.add(match[0])
                    yield KeyFound(turn, kind, match[0][:SHOWN_OF_KEY])


def guard_of(test: str, allowed: Sequence[str], workspace: Workspace, base_url: str | None) -> Guard:
    """Return the guard of a test. allowed: hosts that it may connect to. base_url: that of the run's server, if given.

    A port of this machine is closed if it leads to a server of models or to a proxy.
    """

    def refusal(host: str) -> TestMistake:
        sdk = sdk_at(host)
        client = f"ask.client({sdk!r})" if sdk else "ask.client()"
        return mistake(
            "connection-refused",
            f"{test}: the code under test opens a connection to {host}, where requests are neither recorded nor "
            f"replayed. Pass it the client {client}, or, if no model answers there, allow the host: "
            f"allowed_hosts=[{host!r}] in the test's marker, or {INI} in the settings of pytest.",
        )

    return Guard(allowed, _closed_ports({base_url, *servers_named(workspace)}), refusal)


def _closed_ports(servers: Set[str | None]) -> frozenset[int]:
    import urllib.request

    urls = {*servers, *urllib.request.getproxies().values()}
    return frozenset(port for url in urls if url and (port := _port(url)))


def _port(given: str) -> int | None:
    """Return the port of a server that a test may not reach; None for none, such as that of https on another host."""
    try:
        url = urlsplit(given if "://" in given else f"http://{given}")
        return url.port or ({"http": 80, "https": 443}.get(url.scheme) if is_here(url.hostname or "") else None)
    except ValueError:  # which is refused where it is used
        return None


SENT: set[str] = set()
"""The test functions that have sent a request in this process, in which code under test may keep answers."""


@dataclass(frozen=True, slots=True)
class CellRunner:
    """Runs a test function for the trials of one of its cells."""

    function: Function
    state: FunctionState
    guard: Guard
    """That of the test, which is in force while it runs."""
    call: Callable[[], object]
    """Calls the function once, and returns what it returns."""
    strategy: Strategy | None = None
    """None if the strategy of context management is not varied."""
    judge: str = ""
    """The model that judges; empty if there is none."""
    set_up: Callable[[], object] = lambda: None
    """Sets up what the function takes, for one run of it: its trial is running then."""
    tear_down: Callable[[], object] = lambda: None
    """Tears down what was set up."""

    def trial_of(self, trial: Trial) -> FunctionTrial:
        """Return a trial that has not run yet."""
        state, judge = self.state, self.judge
        return FunctionTrial(trial, state.tape, state.model(judge) if judge else None, self.strategy or Strategy())

    def start(self, trial: FunctionTrial) -> Result:
        """Run the function once for a trial."""
        state, function = self.state, self.function
        state.current = trial
        state.case = function.cases[trial.trial.index] if function.cases is not None else None
        if state.case is not None:
            trial.judge_by("case", state.case)
        try:
            result = run(trial, self.call, self.set_up)
        finally:
            state.current = None
        SENT.update([function.name] if trial.bodies else [])
        result = self._torn_down(result)
        caught = self.guard.taken()
        if caught and not isinstance(result.error, TestMistake):
            result = Result("error", str(caught), caught)
        if not trial.answers and result.kind not in ("suspended", "skipped", "error"):
            sentence = f"{function.name} sends no request: its trials must call the fixture ask."
            if function.name in SENT:
                sentence = (
                    f"{function.name}, trial {trial.item}: it sends no request, but earlier trials of this test did. "
                    f"Unless the test ends before its request, {CACHED}"
                )
            return Result("error", sentence, TestMistake(UserError("test-never-asks", sentence)))
        if trial.strategy.name != NO_STRATEGY and not trial.managed and result.kind in MEASURED:
            sentence = (
                f"{function.name} uses no transcript, so the strategy {trial.strategy.name!r} has no effect: call "
                "ask(transcript, question), or leave out the test with -k."
            )
            return Result("error", sentence, TestMistake(UserError("strategy-not-used", sentence)))
        return result

    def _torn_down(self, result: Result) -> Result:
        """Tear down what was set up, and return the result: an error of that is the test's own."""
        try:
            self.tear_down()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            if result.kind not in ("suspended", "error"):  # what was left in the middle may not be torn down in order
                return Result("error", str(error), error)
        return result


class FunctionRun:
    """One run of all test functions, for each trial of all of their cells, in which they are not measured."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.broken: dict[str, str] = {}
        """Why tests could not run, such as a fixture that fails, by their names."""
        self.test = ""
        """The id of the test that runs."""

    def fitted(self, cell: Cell) -> Cell | None:
        """Return a cell as it is run; None if its probes could not be counted, which was reported. Raises UserError."""
        return None if cell.token_values is None else cell.fitted()

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        """Run the trials of a cell, for what this run is for."""
        raise NotImplementedError


class Functions(Protocol):
    """The test functions of a run."""

    def run(self, functions: FunctionRun) -> None:
        """Run all of them. Raises KeyboardInterrupt."""


def called(function: Callable[..., object], arguments: Mapping[str, Any]) -> object:
    """Call a test function, and wait for what it returns if it is asynchronous."""
    result = function(**arguments)
    if not inspect.isawaitable(result):
        return result
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_awaited(result))
    with ThreadPoolExecutor(1) as thread:  # this one has a loop, as a notebook's has
        return thread.submit(contextvars.copy_context().run, asyncio.run, _awaited(result)).result()


async def _awaited(result: Any) -> Any:
    return await result
