"""The requests, checks and judgements of a test function: the values of the fixtures `ask`, `check` and `judge`."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longctx.config.models import ModelProfile, treatments
from longctx.errors import UserError
from longctx.extras import require
from longctx.functions.case import Case
from longctx.functions.cells import NAME
from longctx.functions.strategies import AskForStrategy, Managed, tokens_of
from longctx.functions.transcript import CHUNKS, PROBE, Probe, Transcript
from longctx.functions.trial import FunctionTrial, TestMistake, mistake, no_answer
from longctx.recording.request import with_model_profile
from longctx.recording.trials import Role
from longctx.results.row import AGREEMENT, ALONE, CALLS_TOOL
from longctx.text import count
from longctx.vocabulary.answer import Answer, Unparseable
from longctx.vocabulary.lexical import lexically_right
from longctx.vocabulary.shapes import TEXT, Context, Piece, as_text, rendered

if TYPE_CHECKING:
    import httpx2

DECIDED = ("model", "thinking", "output_config", "betas", "stream", "extra_headers", "extra_body")
"""The arguments of the SDK that `ask` does not take: the model's profile decides them, or they are no question."""
MAX_TOKENS = 1024
PARAGRAPHS = re.compile(r"\n\s*\n")
PROBE_TOKENS = 60
"""The most tokens of the reply to a probe."""


class Ask:
    """The fixture `ask` sends a request to the model under test. A replay returns the recorded answer.

    Example:
        >>> def test_refund_code(ask: Ask):
        ...     assert "refund" in ask("What is the refund code?", system="Answer in one sentence.").text
    """

    def __init__(self, current: Callable[[], FunctionTrial], load: Callable[[str], ModelProfile]) -> None:
        self._current, self._load = current, load

    @property
    def trial(self) -> FunctionTrial:
        """The trial that is running."""
        return self._current()

    def model(self, name: str) -> ModelProfile:
        """Return the profile of another model. Raises TestMistake."""
        try:
            return self._load(name)
        except UserError as error:
            raise TestMistake(error) from None

    def __call__(
        self,
        context: str | Transcript | Sequence[object] | None = None,
        question: str | None = None,
        /,
        *,
        messages: Sequence[dict[str, Any]] | None = None,
        system: str | Sequence[dict[str, Any]] | None = None,
        max_tokens: int = MAX_TOKENS,
        **given: Any,
    ) -> Answer:
        """Send a request and return the answer.

        Accepts the arguments of the SDK's `messages.create`, such as `tools`, `tool_choice` and `stop_sequences`,
        except for `model`, thinking, effort and `betas`, which the model profile sets.

        Args:
            context: Without `question`, the text of a single user turn. With `question`, a text or a list of texts or
                documents; the run's shape determines how they are rendered (by default, as one text). A transcript is
                first shortened by the run's strategy, and the question becomes its last turn.
            question: A question about the context.
            messages: The turns of a conversation. Pass either these or `context`.
            system: The system prompt, appended to any system prompt in the model profile.
            max_tokens: The maximum number of tokens in the reply, excluding thinking.
        """
        no_text = context is not None and not isinstance(context, Transcript | Iterable)
        if (context is None) == (messages is None) or no_text or isinstance(context, bytes):
            raise mistake(
                "nothing-to-say", f"{self.trial.function}: pass ask either a text or messages, as in ask(text)."
            )
        if refused := [name for name in DECIDED if name in given]:
            raise mistake(
                "decided-by-profile",
                f"{self.trial.function}: ask does not accept {refused[0]}: set it in the model profile "
                "(fixtures/models), so that one test can run on several models. ask.client() may send it.",
            )
        if isinstance(context, Transcript):
            return self._of_transcript(context, question, system, max_tokens, given)
        shape = self.trial.cell.shape
        if messages is not None:
            asked: dict[str, Any] = {"messages": list(messages)}
        elif question is None or shape == TEXT:
            asked = {"messages": [{"role": "user", "content": as_text(_context(context, question or ""))}]}
        else:
            asked = rendered(_context(context, question), shape)
            if twice := [name for name in ("tools", "tool_choice") if name in asked and name in given]:
                raise mistake(
                    "tools-of-shape",
                    f"{self.trial.function}: ask was called with {twice[0]}, but the shape {shape!r} defines "
                    "its own: leave out that shape, or the tools.",
                )
        return self._answer(self.trial.cell.model, {**asked, "max_tokens": max_tokens, **given}, system)

    def tokens(self) -> Mapping[str, float]:
        """Return the values that the marker's `counts` computes from the model's token counts.

        They are known before the first trial, and are the same in every trial.
        """
        known = self.trial.cell.point.tokens
        if known is None:
            raise mistake(
                "no-counts",
                f"{self.trial.function} calls ask.tokens(), but its marker has no counts: add "
                "counts=longctx.Counts(probes, values, needs).",
            )
        return dict(known)

    def probe(
        self,
        transcript: Transcript,
        probe: Probe | Case | Mapping[str, Any],
        *,
        max_tokens: int = PROBE_TOKENS,
        **given: Any,
    ) -> Answer:
        """Send a probe's question about a transcript. Raises AssertionError if the answer is not accepted.

        The kind of the probe and its place in the transcript are recorded, and whether a wrong answer is out of date
        (`stale`), invented, or said to be not known (`lost`).

        Args:
            transcript: The conversation, which the strategy of the run shortens first.
            probe: A probe, or a case with `question` and `accept`, and perhaps `stale`, `kind` and `evidence`.
            max_tokens: The maximum number of tokens in the reply, excluding thinking.
        """
        trial = self.trial
        try:
            probe = probe if isinstance(probe, Probe) else Probe.of(probe)
        except ValueError as error:
            raise mistake("bad-probe", f"{trial.function}, the probe {trial.item}: {error}.") from None
        if probe.evidence or probe.turn is not None:
            trial.depth = transcript.depth_for(probe)
            if trial.depth is None:
                sought = f"evidence {probe.evidence[:60]!r}" if probe.turn is None else f"turn {probe.turn}"
                raise mistake(
                    "probe-without-evidence",
                    f"{trial.function}, the probe {trial.item}: the transcript has "
                    f"{count(len(transcript.messages), 'turn')}, but not the probe's {sought}: name a turn, or "
                    "quote one exactly.",
                )
        template = trial.cell.wording.templates.get("probe", PROBE)
        answer, grade = self._graded(transcript, template, probe, max_tokens, given)
        for name in ("stale", "lost", "invented"):
            trial.counted[name] = trial.counted.get(name, 0) + (grade == name)
        _must_answer(answer, grade)
        if grade != "kept":
            raise AssertionError(f"{grade}: {answer.text[:200]!r}, where {probe.accept[0]!r} is accepted")
        return answer

    def chunks(
        self,
        chunks: Sequence[object],
        case: Probe | Case | Mapping[str, Any],
        *,
        max_tokens: int = PROBE_TOKENS,
        **given: Any,
    ) -> Answer:
        """Send a question about retrieved chunks. Raises AssertionError if the answer is not accepted.

        Whether the answer was among the chunks is recorded: a chunk has the case's `evidence`, or is its `chunk` by id.

        Args:
            chunks: Texts, or objects with a `text`, such as `longctx.chunks(…).retrieve(…)` returns.
            case: A case with `question`, `accept`, and `evidence` or `chunk`.
            max_tokens: The maximum number of tokens in the reply, excluding thinking.
        """
        trial = self.trial
        try:
            probe = case if isinstance(case, Probe) else Probe.of(case)
        except ValueError as error:
            raise mistake("bad-probe", f"{trial.function}, the probe {trial.item}: {error}.") from None
        named = "" if isinstance(case, Probe) or "chunk" not in case else str(case["chunk"])
        if not (probe.evidence or named):
            raise mistake(
                "question-without-evidence",
                f"{trial.function}, the question {trial.item} has neither `evidence` nor `chunk`: add one, so that "
                "longctx can tell whether the answer was retrieved.",
            )
        texts = [_piece(chunk).text for chunk in chunks]
        there = any(named and getattr(chunk, "id", None) == named for chunk in chunks)
        there = there or any(probe.is_in(text) for text in texts)
        template = trial.cell.wording.templates.get("chunks", CHUNKS)
        answer, grade = self._graded(list(chunks), template, probe, max_tokens, given)
        trial.counted |= {"retrieved": int(there), "missed": int(there and grade != "kept")}
        _must_answer(answer, grade)
        if grade != "kept":
            where = "" if there else ", and the answer was not retrieved"
            raise AssertionError(f"{grade}: {answer.text[:200]!r}, where {probe.accept[0]!r} is accepted{where}")
        return answer

    def _graded(
        self, context: Any, template: str, probe: Probe, max_tokens: int, given: Mapping[str, Any]
    ) -> tuple[Answer, str]:
        """Send a probe's question about a context; return the answer and its grade, empty for one that is no answer."""
        trial = self.trial
        trial.probe = probe.kind
        trial.judge_by("accepted", [probe.accept, probe.stale])
        if probe.alone is not None:
            trial.counted[ALONE] = int(probe.alone)
        answer = self(context, template.replace("{question}", probe.question), max_tokens=max_tokens, **given)
        grade = probe.grade(answer.text) if answer.text.strip() else ""
        if answer.tool_uses and grade != "kept":
            trial.counted[CALLS_TOOL] = 1
            grade = ""
        return answer, grade

    @property
    def api(self) -> str:
        """The API of the model under test: `anthropic`, `openai-chat`, `openai-responses` or `gemini`."""
        return self.trial.cell.model.api

    def client(self, api: str = "anthropic", *, model: str | None = None, like: Any = None) -> Any:
        """Return an SDK client that records and replays, for your product's code.

        It is an `anthropic.Anthropic`, an `openai.OpenAI` or a `google.genai.Client`.

        What that code sends is recorded and compared, whatever it is; only the model's name is replaced by that of the
        model under test. Plain, streamed and parsed answers, tool loops and counts of tokens work as with a server.

        Args:
            api: The SDK: `anthropic`, `openai` or `google`.
            model: The model to ask instead, such as a helper that is no part of what is tested.
            like: A client of the product, instead of `api`: a client of its class, with its headers and retries.
        """
        from longctx.functions import clients

        if like is not None:
            return clients.client_like(self, like, model)
        if api in clients.NAMES:
            require(f"ask.client({api!r})", clients.MODULES[api])
        return clients.client(self, api, model)

    def async_client(self, api: str = "anthropic", *, model: str | None = None) -> Any:
        """Return the asynchronous form of `client`.

        It is an `anthropic.AsyncAnthropic`, an `openai.AsyncOpenAI` or the `aio` of a `google.genai.Client`.
        """
        from longctx.functions import clients

        if api in clients.NAMES:
            require(f"ask.async_client({api!r})", clients.MODULES[api])
        return clients.client(self, api, model, asynchronous=True)

    def http_client(self, *, model: str | None = None) -> httpx2.Client:
        """Return a plain HTTP client that records and replays, for other SDKs and HTTP code.

        The path of a request states which API it speaks; its host is not looked at, and nothing is sent there.
        """
        from longctx.functions import clients

        return clients.http_client(self, model)

    def async_http_client(self, *, model: str | None = None) -> httpx2.AsyncClient:
        """Return the asynchronous form of `http_client`."""
        from longctx.functions import clients

        return clients.async_http_client(self, model)

    def endpoint(self, api: str = "anthropic") -> str:
        """Return a base URL for code that accepts no client and ignores the SDKs' environment variables.

        Needs `longctx_endpoint = true` in pytest's settings.

        Args:
            api: The SDK whose requests go there: `anthropic`, `openai` or `google`.
        """
        address = self.trial.endpoint
        if not address:
            raise mistake(
                "no-endpoint",
                f"{self.trial.cell.id}: ask.endpoint() needs the local endpoint: add longctx_endpoint = true to the "
                "settings of pytest.",
            )
        from longctx.functions.clients import ROOT_PATHS

        if api not in ROOT_PATHS:
            raise mistake(
                "unknown-sdk",
                f"{self.trial.cell.id}: ask.endpoint({api!r}) is not an SDK: use 'anthropic', 'openai' or 'google'.",
            )
        return f"{address}{ROOT_PATHS[api]}"

    def judged(
        self,
        prompt: str,
        *,
        label: object = None,
        system: str | None = None,
        max_tokens: int = MAX_TOKENS,
        **given: Any,
    ) -> Answer:
        """Ask the judge, the model that the profile names for that: see the fixture `judge`.

        Args:
            prompt: What the judge is to judge, and how it answers.
            label: A human's own verdict, as a reader such as `choice` returns it: how often the judge agrees is shown
                in addition to the accuracy. None for none.
            system: The system prompt.
            max_tokens: The maximum number of tokens in the reply, excluding thinking.
        """
        judge = self.trial.judge
        if judge is None:
            raise mistake(
                "no-judge",
                f"{self.trial.function} uses a judge, but the profile names none: add judge = 'MODEL' at its top.",
            )
        asked = {"messages": [{"role": "user", "content": prompt}]}
        return self._answer(judge, {**asked, "max_tokens": max_tokens, **given}, system, "judge", label)

    def check(self, name: str, condition: object) -> bool | float:
        """Score one aspect of the trial without stopping: see the fixture `check`."""
        trial, checks = self.trial, self.trial.checks
        if not NAME.fullmatch(name):
            raise mistake(
                "bad-check-name",
                f"{self.trial.function} names a check {name[:40]!r}: use letters, digits and any of _.+-, since the "
                "name is part of the results.",
            )
        if name == AGREEMENT:
            raise mistake(
                "reserved-check-name",
                f"{self.trial.function} has a check {name!r}, a name that is reserved for the judge's agreement with "
                "labels: rename the check.",
            )
        if name in checks:
            raise mistake(
                "check-given-twice",
                f"{self.trial.function} checks {name!r} twice in one trial: give each check its own name.",
            )
        value = condition.item() if hasattr(condition, "item") else condition  # a number of NumPy's
        if trial.last and no_answer(trial.last) and isinstance(value, float | int):
            value = type(value)(0)  # what holds of no answer says nothing
        if isinstance(value, float) and 0 <= value <= 1:
            checks[name] = value
        elif isinstance(value, int) and value in (0, 1):
            checks[name] = bool(value)
        else:
            raise mistake(
                "bad-check-value",
                f"{self.trial.function} gives the check {name!r} {reprlib.repr(condition)}: pass a condition (True or "
                "False), or a number from 0 to 1 for partial credit.",
            )
        return checks[name]

    def lexical(self, context: str | Sequence[object], question: str, answer: str, options: Sequence[str] = ()) -> bool:
        """Return whether word matching alone finds the answer. The report compares its accuracy with the test's.

        It sends no request, and does not count in the trial's outcome.

        Args:
            context: A text, whose paragraphs are its sections, or a list of texts or documents, as `ask` takes them.
            question: The question about it.
            answer: The right answer; one of the options, if there are any. Without options, it is found if it is in the
                section that matching words picks.
            options: The answers to choose from.
        """
        given = PARAGRAPHS.split(context) if isinstance(context, str) else context
        sections = [piece.text for piece in map(_piece, given) if piece.text.strip()]
        if not sections or not answer.strip() or (options and answer not in options):
            raise mistake(
                "no-lexical-baseline",
                f"{self.trial.function}: ask.lexical needs a context with text, and an answer that is not empty "
                "and is one of the options, if there are any.",
            )
        self.trial.lexical = lexically_right(sections, question, answer, options)
        return self.trial.lexical

    def _of_transcript(
        self,
        transcript: Transcript,
        question: str | None,
        system: str | Sequence[dict[str, Any]] | None,
        max_tokens: int,
        given: dict[str, Any],
    ) -> Answer:
        """Ask about a transcript, as the strategy leaves it."""
        trial = self.trial
        if question is None or trial.cell.shape != TEXT:
            raise mistake(
                "transcript-is-turns",
                f"{trial.function}: use ask(transcript, question), in the shape {TEXT!r} only, since a transcript "
                "already consists of turns; --ctx-strategy varies it.",
            )
        tools = {"tools": list(transcript.tools)} if transcript.tools else {}
        fixed = tools | ({"system": own} if (own := system or transcript.system) else {})
        quiet = {"tool_choice": {"type": "none"}} if tools else {}

        def ask_for_strategy(
            messages: Sequence[dict[str, Any]], /, *, max_tokens: int = MAX_TOKENS, **more: Any
        ) -> Answer:
            body = {"messages": list(messages), "max_tokens": max_tokens, **fixed, **quiet, **more}
            return trial.answer(_completed(body, trial.cell.model), trial.cell.model, role="strategy")

        managed = self._managed(transcript, ask_for_strategy)
        model = trial.cell.model
        if refused := [name for name in DECIDED if name in managed.body]:
            raise mistake(
                "decided-by-profile",
                f"The strategy {trial.strategy.name!r} returns {refused[0]}, which belongs in the model profile "
                "(fixtures/models): remove it.",
            )
        if transcript.fill and model.window:
            size = round(tokens_of(managed.messages) * model.tokens.reference) + max_tokens
            if size > model.window:
                raise mistake(
                    "fill-beyond-window",
                    f"{trial.function}: a fill of {transcript.fill:,} tokens takes about {size:,} of "
                    f"{model.model}, whose window has {model.window:,}: leave it out of `fill` in the profile.",
                )
        body = {
            "messages": transcript.asked(managed.messages, question),
            "max_tokens": max_tokens,
            **fixed,
            **quiet,
            **given,
            **managed.body,
        }
        headers = treatments([*model.treatments.items(), *managed.headers])
        answer = trial.answer(_completed(body, model), model, headers=headers)
        try:
            trial.measure_kept(transcript.messages, managed, answer.message)
        except UserError as error:
            raise TestMistake(error) from None
        return answer

    def _managed(self, transcript: Transcript, ask: AskForStrategy) -> Managed:
        """Return what the strategy leaves of a transcript, which is computed once per trial and transcript."""
        trial = self.trial
        if id(transcript) not in trial.managed:
            try:
                managed = trial.strategy.applied(transcript.messages, ask, trial.cell.wording.templates)
            except UserError as error:
                raise TestMistake(error) from None
            trial.managed[id(transcript)] = transcript, managed
        return trial.managed[id(transcript)][1]

    def _answer(
        self,
        model: ModelProfile,
        asked: dict[str, Any],
        system: object,
        role: Role = "test",
        label: object = None,
    ) -> Answer:
        body = asked | ({"system": system} if system else {})
        return self.trial.answer(_completed(body, model), model, role=role, label=label)


def _must_answer(answer: Answer, grade: str) -> None:
    """Raise Unparseable for a reply without a grade: it is empty, or calls a tool instead of answering."""
    if grade:
        return
    names = dict.fromkeys(str(use.get("name")) for use in answer.tool_uses)
    raise Unparseable(f"it calls the tool {', '.join(names)} and does not answer" if names else "an empty reply")


def _completed(body: dict[str, Any], model: ModelProfile) -> dict[str, Any]:
    """Return a body as the model's API takes it. Raises TestMistake for what that cannot express."""
    try:
        return with_model_profile(body, model)
    except UserError as error:
        raise TestMistake(error) from None


def _context(context: str | Sequence[object] | None, question: str) -> Context:
    """Return context and question; a document has `text`, and may have a `title`."""
    given = [context] if isinstance(context, str) else context or ()
    return Context([_piece(one) for one in given], question)


def _piece(given: object) -> Piece:
    if isinstance(given, str):  # whose `title` is a method
        return Piece(given)
    title = getattr(given, "title", None)
    return Piece(str(getattr(given, "text", given)), title if isinstance(title, str) else "")
