"""The request of a trial, its body in the form of its API, and the digest by which the tape finds its answer.

The restoring of Messages requests that the clients of other providers have rewritten.

Those of Bedrock and Vertex move the model to the path and add the API's version to the body, and Bedrock's copies the
betas there. The rest is unchanged.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Self

from pydantic_core import to_json

from longctx.cells.cell import Cell, RequestTokens, Trial
from longctx.config.models import Caching, ModelProfile, header_lines
from longctx.recording.apis import api_at, api_of, chat, messages, split_path_and_body, with_extra_body
from longctx.recording.apis.messages import PATH
from longctx.results.request_parts import as_mapping
from longctx.vocabulary import shapes
from longctx.vocabulary.point import BuiltTrial


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an answer on the tape: the file and the trial, and the digest of the request that it answers.

    It is all that the tape and the ledger of batches know of a request. Two are equal if an answer to one is an answer
    to the other.
    """

    file: str
    trial: str
    sha256: str
    """Empty as long as the prompt of a protocol was not built."""
    prompt_set: str = field(compare=False)
    wording: str = field(compare=False)
    """The digest of the templates of the prompt set."""
    prefill: str = field(default="", compare=False)
    """The beginning of the answer that the request ends with."""
    model: str = field(default="", compare=False)
    """The model's id in the digest."""
    sent_as: str = field(default="", compare=False)
    """The id that the provider knows."""
    headers: str = field(default="", compare=False)
    """The headers in the digest, one a line."""
    number: int = field(default=0, compare=False)
    """The place of the request among those of its trial, from 0."""
    same: int = 0
    """How many earlier requests of the trial are equal to it."""
    after: str = field(default="", compare=False)
    """The digest of the reply before it."""
    counts: bool = field(default=False, compare=False)
    """Whether it asks how many tokens a prompt has, and not for an answer."""
    path: str = field(default=PATH, compare=False)
    """The path of its API."""
    parts: str = field(default="", compare=False)
    """The digests of its parts."""

    @property
    def key(self) -> str:
        """The key of its answer among those of the trial: two equal requests have two answers."""
        return f"{self.sha256}#{self.same}" if self.same else self.sha256

    @classmethod
    def of(cls, trial: Trial, built: BuiltTrial | None = None) -> Self:
        """Return the place of the answer to a protocol's trial, whose digest is known once its prompt is built."""
        cell, model = trial.cell, trial.cell.model
        path = api_of(model).PATH
        sha256, parts = request_digests(request_body(built, model), model.treatments, path) if built else ("", "")
        return cls(
            file=cell.file,
            trial=str(built.identity if built else trial.identity),
            sha256=sha256,
            prompt_set=cell.wording.prompt_set,
            wording=cell.wording.digest,
            prefill=prefill(built, model) if built else "",
            model=model.model,
            sent_as=model.sent_as,
            headers=header_lines(model.treatments),
            path=path,
            parts=parts,
        )


@dataclass(frozen=True, slots=True)
class Shared:
    """The prefixes that a prompt shares with those asked around it (live/cost/prefixes.py), in characters."""

    length: int = 0
    """The length of the user's turn."""
    cuts: tuple[int, ...] = ()
    """Where the shared prefixes end, ascending; the longest are marked for the model's prompt cache."""
    read: int = 0
    """The length of the prefix that an earlier request wrote to the cache."""
    after: str | None = None
    """The key of that request."""
    direct: bool = False
    """Whether it is sent directly in a run with batches, because the prompt cache is cheaper."""

    @property
    def read_share(self) -> float:
        """The share of the prompt that is read from the cache, between 0 and 1."""
        return self.read / self.length if self.read else 0.0

    @property
    def write_share(self) -> float:
        """The share of the prompt that is written to the cache, between 0 and 1."""
        return (self.cuts[-1] - self.read) / self.length if self.cuts else 0.0


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a trial: what it may cost, where its answer belongs, and what is sent.

    That of a protocol is known without its prompt, which is built when it is sent and need not be kept until then.
    """

    trial: Trial
    model: ModelProfile
    """The model that the request names, which is not the trial's if it judges or summarizes."""
    tokens: RequestTokens
    place: Place
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The body that its API takes, with the provider's id of the model; empty until it is `ready`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    built: BuiltTrial | None = field(default=None, compare=False, repr=False)
    """The trial of a protocol, if it was kept."""
    shared: Shared = field(default=Shared(), compare=False)
    """The prefixes that it shares with other requests."""

    @classmethod
    def of(cls, trial: Trial) -> Self:
        """Return the request of a protocol's trial, whose prompt is not built yet."""
        return cls(trial, trial.cell.model, trial.cell.tokens, Place.of(trial))

    @property
    def cell(self) -> Cell:
        return self.trial.cell

    @property
    def key(self) -> str:
        """The text that identifies its trial, for the model that the request names."""
        return self.trial.key_of(self.model)

    def of_cell(self, cell: Cell) -> Self:
        """Return the same request of a cell of which more is known."""
        return replace(self, trial=replace(self.trial, cell=cell), model=cell.model, tokens=cell.tokens)

    def build(self) -> BuiltTrial:
        """Return the trial of a protocol. Raises UserError if it cannot be built."""
        return self.built or self.trial.build()

    def ready(self) -> Self:
        """Return the request as it is sent. Raises UserError if a protocol's cannot be built."""
        if self.body:
            return self
        built, model = self.build(), self.model
        body = sent_body(built, model, self.shared.cuts)
        return replace(self, place=Place.of(self.trial, built), built=built, body=body, headers=model.treatments)

    @property
    def in_batch(self) -> Self:
        """The same request as a batch takes it, without `stream`."""
        return replace(self, body={name: value for name, value in self.body.items() if name != "stream"})

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the SDK's call."""
        return sdk_arguments(self.place.path, self.body, self.headers)


def request_body(built: BuiltTrial, model: ModelProfile) -> dict[str, Any]:
    """Return the body as the API takes it. The model profile's `extra_body` overrides everything else."""
    return with_extra_body(api_of(model).rendered(parameters(built, model), model), model)


def parameters(built: BuiltTrial, model: ModelProfile, cuts: Sequence[int] = ()) -> dict[str, Any]:
    """Return a Messages request without the model profile's `extra_body`, which the SDK takes as its own argument.

    cuts: where the shared prefixes of the user's turn end, in characters; used for models with prompt caching.
    """
    body = {"max_tokens": built.max_tokens, **_shaped(built, model, cuts)}
    return _with_profile(body | ({"system": built.system} if built.system else {}), model)


def with_model_profile(body: Mapping[str, Any], model: ModelProfile) -> dict[str, Any]:
    """Return a Messages request with everything that the model profile decides, as the model's API takes it.

    max_tokens: without thinking. Raises UserError for what that API cannot express.
    """
    return with_extra_body(api_of(model).rendered(_with_profile(body, model), model), model)


def _with_profile(given: Mapping[str, Any], model: ModelProfile) -> dict[str, Any]:
    body = {"model": model.model, **given, "max_tokens": given["max_tokens"] + model.thinking_tokens}
    system = given.get("system", "")
    if not isinstance(system, str):
        body["system"] = [*([{"type": "text", "text": model.system}] if model.system else []), *system]
    elif text := model.system_prompt(system):
        body["system"] = text
    if model.thinking:
        body["thinking"] = model.thinking.model_dump(exclude_none=True)
    if model.effort:
        body["output_config"] = {"effort": model.effort}
    return body


def sent_body(built: BuiltTrial, model: ModelProfile, cuts: Sequence[int] = ()) -> dict[str, Any]:
    """Return the body as it is sent: with the provider's id of the model, and with marks for the prompt cache.

    cuts: where the shared prefixes of the user's turn end, in characters.
    """
    api = api_of(model)
    return with_extra_body(api.rendered(parameters(built, model, cuts), model) | {"model": model.sent_as}, model)


def sdk_arguments(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """Return a request as the arguments of the SDK's call; of another API than Messages, those of its `post`."""
    if path not in messages.PATHS:
        return post_arguments(path, body, headers)
    named = {name: value for name, value in body.items() if name in ("model", "max_tokens", "messages")}
    others = {name: value for name, value in body.items() if name not in named}
    return {**named, "extra_body": others or None, "extra_headers": dict(headers) or None}


def post_arguments(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """Return a request of another API than Messages as the arguments of the client's `post`."""
    where, sent = split_path_and_body(path, body)
    return {"path": where, "body": sent, "options": {"headers": dict(headers)}}


def count_arguments(built: BuiltTrial, model: ModelProfile) -> dict[str, Any]:
    """Return the arguments of the SDK's count_tokens for everything that a request holds."""
    added = {"extra_body": messages.counting(model.extra_body) or None, "extra_headers": model.treatments or None}
    return messages.counting(parameters(built, model)) | {"model": model.sent_as} | added


def count_post_arguments(body: Mapping[str, Any], model: ModelProfile) -> dict[str, Any]:
    """Return the arguments of a plain POST that counts the tokens of a request of another API than Messages."""
    api = api_of(model)
    return post_arguments(api.COUNT_PATH, api.counting({**body, "model": model.sent_as}), model.treatments)


def _shaped(built: BuiltTrial, model: ModelProfile, cuts: Sequence[int]) -> dict[str, Any]:
    """Return the messages and what else the trial's shape adds to the body.

    If the trial has a prefill and the model takes it, the messages end with the beginning of the answer.
    """
    if built.context is not None:
        context = dataclasses.replace(built.context, question=_asking(built.context.question, built, model))
        body = shapes.rendered(context, built.shape)
    else:
        text = user_text(built, model)
        content = _blocks(text, cuts, model.caching) if cuts and model.caching else text
        body = {"messages": [{"role": "user", "content": content}]}
    if beginning := prefill(built, model):
        body["messages"].append({"role": "assistant", "content": beginning})
    return body


def user_text(built: BuiltTrial, model: ModelProfile) -> str:
    """Return the user's turn, or of another shape than the text what it would be in that."""
    return _asking(built.user, built, model)


def _asking(text: str, built: BuiltTrial, model: ModelProfile) -> str:
    """Return the end of the prompt. For a model that takes no prefill it asks to begin the answer that way."""
    return f"{text}\n{built.without_prefill}" if built.prefill and not model.prefill else text


def _blocks(text: str, cuts: Sequence[int], caching: Caching) -> list[dict[str, Any]]:
    """Return the text as blocks that end at the cuts; the last cuts are marked for the cache."""
    mark = cache_mark(caching)
    marked = cuts[-caching.breakpoints :]
    ends = sorted({0, *cuts, len(text)})
    return [
        {"type": "text", "text": text[start:end]} | ({"cache_control": mark} if end in marked else {})
        for start, end in pairwise(ends)
    ]


def cache_mark(caching: Caching) -> dict[str, str]:
    """Return the `cache_control` of a block that ends a shared prefix."""
    return {"type": "ephemeral"} | ({"ttl": caching.ttl} if caching.ttl != "5m" else {})


def prefill(built: BuiltTrial, model: ModelProfile) -> str:
    """Return the beginning of the answer that is sent with the question; empty if model or trial have none."""
    return built.prefill if model.prefill else ""


def digest_of(built: BuiltTrial, model: ModelProfile) -> str:
    """Return the digest of a trial's request."""
    return digest(request_body(built, model), model.treatments, api_of(model).PATH)


def digest(body: Mapping[str, Any], headers: Mapping[str, str] | None = None, path: str = messages.PATH) -> str:
    """Return the SHA-256 of the canonical request in hex: of a Messages request its body, of others also the path.

    In a Messages request, a text in one piece and in blocks has the same digest. headers: those on which the answer may
    depend; without any, they are no part of the digest.
    """
    return digest_of_fields(fields_of(body, path), headers, path)


def digest_of_fields(fields: Mapping[str, bytes], headers: Mapping[str, str] | None, path: str) -> str:
    """Return the digest of a request whose fields are known. See `digest`."""
    asked = in_braces(fields)
    if (api_at(path) or messages) is not messages:
        asked = in_braces({"method": canonical("POST"), "path": canonical(path), "body": asked})
    sha256 = hashlib.sha256(asked)
    if headers:
        sha256.update(canonical({"headers": dict(headers)}))
    return sha256.hexdigest()


def fields_of(body: Mapping[str, Any], path: str = messages.PATH) -> dict[str, bytes]:
    """Return the fields of a request on which its answer depends, each in canonical JSON."""
    api = api_at(path) or messages
    kept = ((name, value) for name, value in body.items() if name not in api.TRANSPORT_ONLY)
    return {name: canonical(with_joined_texts(value) if api is messages else value) for name, value in kept}


def in_braces(fields: Mapping[str, bytes]) -> bytes:
    """Return the canonical JSON of an object with these fields."""
    return b"{%b}" % b",".join(b"%b:%b" % (canonical(name), fields[name]) for name in sorted(fields))


def without_cache_marks(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body without the marks for the cache on its tool calls and results, as it was before it was marked."""
    turns = [
        {**turn, "content": [_without_mark(block) for block in turn["content"]]}
        if isinstance(turn, dict) and isinstance(turn.get("content"), list)
        else turn
        for turn in body.get("messages") or ()
    ]
    return {**body, "messages": turns}


def _without_mark(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    return {name: value for name, value in block.items() if name != "cache_control"}


def canonical(value: Any) -> bytes:
    """Return the UTF-8 JSON that the standard library writes with sorted keys and without spaces.

    pydantic's encoder writes it ten times as fast. The standard library writes everything on which the two may differ,
    such as numbers and lone surrogates.
    """
    try:
        return to_json(_in_order(value))
    except ValueError:
        return _standard(value)


def _in_order(value: Any) -> Any:
    """Return a value with sorted keys. Raises ValueError for what encoders may write in different ways."""
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise ValueError("a key that is no text")
        return {name: _in_order(value[name]) for name in sorted(value)}
    if isinstance(value, list | tuple):
        return [_in_order(item) for item in value]
    if value is None or isinstance(value, str | bool) or type(value) is int:
        return value
    raise ValueError("a number, or no JSON")


def _standard(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def with_joined_texts(value: Any) -> Any:
    """Return the value with each list of text blocks, marked for the cache or not, joined to one text."""
    if isinstance(value, dict):
        return {name: with_joined_texts(item) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    if value and all(isinstance(block, dict) and _is_text_block(block) for block in value):
        return "".join(block["text"] for block in value)
    return [with_joined_texts(item) for item in value]


def _is_text_block(value: dict[str, Any]) -> bool:
    return value.keys() - {"cache_control"} == {"type", "text"} and value["type"] == "text"


PART_OF = {
    "model": "model",
    "system": "system",
    "instructions": "system",
    "systemInstruction": "system",
    "system_instruction": "system",
    "tools": "tools",
    "tool_choice": "tools",
    "toolConfig": "tools",
    "tool_config": "tools",
    "messages": "messages",
    "input": "messages",
    "contents": "messages",
}
"""The part of each field of a request, in all APIs; all others are parameters."""
SYSTEM_ROLES = ("system", "developer")
SHORT = 8
"""The characters of a digest: a change goes unseen in one of four billion."""


def part_digests(body: Mapping[str, Any], headers: Mapping[str, str] | None = None, path: str = messages.PATH) -> str:
    """Return the digest of each part that a request has, as in `messages=0a1b2c3d system=4e5f6a7b`, sorted by name."""
    return _parts(body, fields_of(body, path), headers, path)


def request_digests(body: Mapping[str, Any], headers: Mapping[str, str], path: str) -> tuple[str, str]:
    """Return the digest of a request, and those of its parts."""
    fields = fields_of(body, path)
    return digest_of_fields(fields, headers, path), _parts(body, fields, headers, path)


def _parts(body: Mapping[str, Any], fields: Mapping[str, bytes], headers: Mapping[str, str] | None, path: str) -> str:
    parts = _fields_by_part(body, fields, headers, path)
    return " ".join(f"{name}={_digest(in_braces(parts[name]))}" for name in sorted(parts) if parts[name])


def parts_of(body: Mapping[str, Any], headers: Mapping[str, str], path: str) -> dict[str, tuple[str, dict[str, bytes]]]:
    """Return each part of a request: its digest, and its fields in canonical JSON."""
    parts = _fields_by_part(body, fields_of(body, path), headers, path)
    return {name: (_digest(in_braces(fields)), fields) for name, fields in parts.items() if fields}


def _fields_by_part(
    body: Mapping[str, Any], fields: Mapping[str, bytes], headers: Mapping[str, str] | None, path: str
) -> dict[str, dict[str, bytes]]:
    parts: dict[str, dict[str, bytes]] = defaultdict(dict)
    for name, written in fields.items():
        parts[PART_OF.get(name, "parameters")][name] = written
    if api_at(path) is chat and isinstance(turns := body.get("messages"), list):
        system = [turn for turn in turns if isinstance(turn, Mapping) and turn.get("role") in SYSTEM_ROLES]
        if system:
            parts["system"]["messages"] = canonical(system)
            parts["messages"]["messages"] = canonical([turn for turn in turns if turn not in system])
    if headers:
        parts["parameters"]["headers"] = canonical(dict(headers))
    return parts


def parts_of_all(requests: Sequence[str]) -> str | None:
    """Return the parts of several requests as those of one; None if those of any are not known."""
    if not requests or not all(requests):
        return None
    several = [as_mapping(request) for request in requests]
    if len(several) == 1:
        return requests[0]
    names = sorted({name for parts in several for name in parts})
    return " ".join(f"{name}={_digest(canonical([parts.get(name) for parts in several]))}" for name in names)


def _digest(written: bytes) -> str:
    return hashlib.sha256(written).hexdigest()[:SHORT]


MODEL_IN_PATH = re.compile(r"/model/(.+)/invoke$|/publishers/anthropic/models/(?!count-tokens:)([^/]+):rawPredict$")
"""The paths of Bedrock and of Vertex. Vertex's path for counting tokens looks like a model's and is excluded."""


def is_messages_path(path: str) -> bool:
    """Return whether a Messages request goes to this path. path: without escapes."""
    return path.endswith(PATH) or bool(MODEL_IN_PATH.search(path))


def messages_body(path: str, content: bytes, betas: str = "") -> dict[str, Any] | None:
    """Return the body of a Messages request with its model; None for any other request.

    path: without escapes. betas: the value of its header.
    """
    if path.endswith(PATH):
        plain: dict[str, Any] = json.loads(content)
        return plain
    if match := MODEL_IN_PATH.search(path):
        body: dict[str, Any] = json.loads(content)
        body.pop("anthropic_version", None)
        if betas and body.get("anthropic_beta") == betas.split(","):
            del body["anthropic_beta"]
        return body | {"model": match[1] or match[2]}
    return None
