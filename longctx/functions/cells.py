"""The cells of a test function: one for each combination of its parameters, as a protocol has them."""

from __future__ import annotations

import enum
import functools
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from longctx.cells.cell import Cell
from longctx.config.models import ModelProfile
from longctx.config.project_files import read_text
from longctx.config.prompts import PromptSet, Wording
from longctx.errors import Absent, UserError, closest, did_you_mean
from longctx.fields import fault
from longctx.links import inside
from longctx.results.records import likely_id, records
from longctx.text import visible
from longctx.vocabulary.counts import Counts
from longctx.vocabulary.grid import Count, Trials, shortest_band
from longctx.vocabulary.point import PROTOCOL, Declaration, Identity, Items, Point, Templates, is_number
from longctx.vocabulary.shapes import TEXT, Shape
from longctx.workspace import Workspace

SAME_CONTEXT = "cell"
"""What trials share that may all begin alike."""
READABLE = 40
"""The most characters of a text before its digest."""
NAME = re.compile(r"[A-Za-z0-9_.+-]{1,80}")
HALF = re.compile("[\ud800-\udfff]")
"""Half of a character that UTF-16 writes as two, which no text in UTF-8 can contain."""
CASE_ID = re.compile(r"(?! )[A-Za-z0-9_.:@+ -]{1,120}(?<! )")
LONGEST_LIST = 400
"""The most characters of the names of fields that an error lists."""
ParameterValue = int | float | str | None


class CaseItem(dict[str, Any]):
    """A line of a file of cases. Its fields are attributes, too: `case.question`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                f"the case {self.get('id')!r} has no field {name!r}. It has: {', '.join(self)}"
            ) from None


class FunctionTable(BaseModel):
    """The marker of a test function, with the profile's table of the function's name."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    trials: Trials | None = None
    """How many items are drawn, or how many of the cases are sent; by default all cases."""
    cases: str | None = None
    """A file of cases (JSON lines, a JSON array, CSV or TSV, also gzipped): each is an item and has an `id`."""
    id_field: str = "id"
    """The field of the cases that identifies each; `case.id` is its value."""
    cluster: str | None = None
    """The field of the cases that names what items share, such as a document."""
    same_context: bool = False
    """Whether the cases of a cell begin alike, as probes of one filled session do: they are sent one after another, so
    that the prompt cache serves all but the first. Statistics take no notice of it."""
    share: PositiveInt = 1
    """How many drawn items, one after another, share what `draw.shared()` draws."""
    repeats: PositiveInt = 1
    """How often each item is asked."""
    models: tuple[str, ...] = ()
    """The models to measure; `--ctx-model` replaces them."""
    prompts: tuple[str, ...] = ()
    """Prompt sets, by name or path; `--ctx-prompts` replaces them."""
    shapes: tuple[Shape, ...] = Field(default=(TEXT,), min_length=1)
    """The shapes in which `ask(context, question)` asks; `--ctx-shape` replaces them."""
    strategies: tuple[str, ...] = ()
    """The strategies of context management under which a transcript is asked about; `--ctx-strategy` replaces them."""
    min_rate: float | None = Field(default=None, ge=0, le=1)
    """A cell whose accuracy is significantly below it fails its test."""
    guessing: float | None = Field(default=None, ge=0, lt=1, allow_inf_nan=False)
    """The accuracy that guessing reaches, such as 0.5 with two answers: a baseline near it has nothing to lose."""
    bands: dict[str, Count] = {}
    """The gate's bands: name -> the largest length in it. Without any, all lengths are one band."""
    gated: bool = True
    """False leaves the function out of the gate."""
    own_profile: bool = False
    """Whether only profiles with a table of the function measure it, as those that `longctx window` writes do."""
    version: PositiveInt = 1
    """A number to raise whenever the test draws other items: what was recorded of the earlier ones stays readable."""
    allowed_hosts: tuple[str, ...] = ()
    """The hosts that the code under test may connect to besides this machine, such as a database: names, addresses or
    patterns, each with or without a port. What it sends there is not recorded."""


FUNCTION_ENTRIES = frozenset(FunctionTable.model_fields)
"""The entries of a table that every test function has; its others are the test's own axes."""


@dataclass(frozen=True, slots=True)
class FunctionPoint(Point):
    """A test function with one value of each of its parameters. It cannot build its trials: pytest runs them."""

    declared: Declaration
    values: tuple[tuple[str, ParameterValue], ...] = ()

    @property
    def params(self) -> dict[str, Any]:
        return dict(self.values)


class FunctionItems(Items):
    """The items of a test function: its cases, or items that are drawn, some of which share what `draw.shared()` draws.

    A case keeps its identity when others are added before it.
    """

    def __init__(self, point: Point, table: FunctionTable, cases: Sequence[tuple[str, str]] | None) -> None:
        """cases: the id and the cluster of each; None for drawn items."""
        super().__init__(point)
        self._table, self._cases = table, cases

    def indices(self, trials: int) -> Sequence[int]:
        return range(trials if self._cases is None else min(trials, len(self._cases)))

    def identity(self, identity: Identity, index: int) -> Identity:
        if self._cases is None:
            return identity
        if index >= len(self._cases):
            raise ValueError(f"there is no trial {index} (--ctx-only), since it has {len(self._cases):,} cases")
        return replace(identity, trial=0, item=self._cases[index][0])

    def index_of(self, name: str) -> int:
        ids = [item for item, _ in self._cases or ()]
        if name in ids:
            return ids.index(name)
        if self._cases is None or is_number(name):
            return super().index_of(name)
        hint = closest(name, ids)
        raise ValueError(f"there is no case {name!r}{f': did you mean {hint!r}?' if hint else ''}")

    def cluster(self, index: int) -> str:
        """Return what the case names, or the context of a drawn item, which it has at every length."""
        if self._cases is not None:
            return self._cases[index][1]
        return f"context-{index // self.share}" if self.share > 1 else ""

    @property
    def all_share(self) -> str:
        return SAME_CONTEXT if self._table.same_context else ""

    @property
    def share(self) -> int:
        return self._table.share


class CheckedCounts(Counts):
    """The counts of a marker. What is counted names them, and they are kept themselves: the test may be edited."""

    __slots__ = ()

    def key(self, digest: str, templates: Templates) -> str:
        counted = {"system": templates.get("system", ""), "probes": self.probes(templates)}
        return hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).hexdigest()[:12]

    def kept(self, counts: Mapping[str, int]) -> dict[str, float]:
        self.values(counts)
        return {name: float(number) for name, number in counts.items()}

    def given(self, kept: Mapping[str, float]) -> Mapping[str, float]:
        return self.values({name: int(number) for name, number in kept.items()})


def checked_counts_of(name: str, stated: Counts) -> CheckedCounts:
    """Return what a marker states, whose functions raise UserError for a mistake of theirs. name: the test's."""

    def wrong(why: str) -> UserError:
        return UserError("bad-counts", f"{name}: the counts of its marker: {why}")

    def called(function: str, given: object) -> Any:
        """Call one of the functions, all of which but `probes` may raise ValueError."""
        try:
            made = getattr(stated, function)(given)
        except Exception as error:
            if isinstance(error, UserError) or (isinstance(error, ValueError) and function != "probes"):
                raise
            raise wrong(f"{function} fails with {type(error).__name__}: {error}.") from None
        if not isinstance(made, Mapping) and function != "fits":
            raise wrong(f"{function} must return a dict, not {type(made).__name__}.")
        return made

    def probes(templates: Templates) -> dict[str, str]:
        texts = dict(called("probes", templates))
        if not texts or not all(isinstance(text, str) and text.strip() for text in texts.values()):
            raise wrong("probes must return a dict of names and texts that are not empty.")
        return texts

    def values(counts: Mapping[str, int]) -> dict[str, float]:
        made = dict(called("values", counts))
        if not all(isinstance(value, int | float) for value in made.values()):
            raise wrong("values must return a dict of names and numbers.")
        for needed in stated.needs:
            if needed not in made:
                raise wrong(f"values must return {needed!r}, as needs requires.")
            if not made[needed] > 0:
                raise ValueError(f"{needed!r} would take {made[needed]:g} tokens")
        return made

    def fits(point: Point) -> None:
        called("fits", SimpleNamespace(**point.params, counted=point.counted))

    return CheckedCounts(probes, values, stated.needs, fits)


def declaration_of(
    name: str, table: FunctionTable, cases: Sequence[tuple[str, str]] | None = None, counts: Counts | None = None
) -> Declaration:
    """Return what a test function declares. cases: the id and the cluster of each; None for drawn items.

    How many pieces it gives to `ask` is not known before it runs: at least one.
    """
    return Declaration(
        name=name,
        version=table.version,
        guessing=table.guessing,
        pieces=lambda cell: 1,
        items=functools.partial(FunctionItems, table=table, cases=cases),
        counts=counts and checked_counts_of(name, counts),
    )


@dataclass(frozen=True, slots=True)
class Function:
    """A marked test function: its table, and its cases."""

    name: str
    table: FunctionTable
    cases: tuple[CaseItem, ...] | None
    """None for drawn items."""
    declared: Declaration

    @classmethod
    def of(
        cls, name: str, marked: Mapping[str, Any], table: Mapping[str, Any] | None, folder: Path, workspace: Workspace
    ) -> Function:
        """Return a function from its marker and the profile's table, if any. Raises UserError.

        folder: that of the test's file, from which a file of cases is looked up, and then from the project's.
        """
        counts = marked.get("counts")
        marked = {name: value for name, value in marked.items() if name != "counts"}
        if counts is not None and not isinstance(counts, Counts):
            raise UserError(
                "bad-marker",
                f"{name}: counts of its marker is {str(counts)[:40]!r}: write counts=longctx.Counts(probes, values, "
                "needs), as the reference explains.",
            )
        try:
            merged = FunctionTable.model_validate({**marked, **(table or {})})
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            known = [*FunctionTable.model_fields, "counts", "axes", "report"]
            hint = did_you_mean(where, known) if first["type"] == "extra_forbidden" else ""
            raise UserError(
                "bad-marker",
                f"{name}: {where} of its marker or of its table in the profile: {fault(first)}. {hint}".rstrip(),
            ) from None
        if merged.trials is None and merged.cases is None:
            raise UserError(
                "neither-trials-nor-cases",
                f"The marker of {name} has neither a number of trials nor a file of cases: write "
                f"@pytest.mark.longctx(trials=200), or @pytest.mark.longctx(cases='cases.jsonl').",
            )
        if merged.cluster is not None and merged.cases is None:
            raise UserError(
                "cluster-without-cases",
                f"{name}: cluster names a field of the cases, but the items are drawn: remove cluster.",
            )
        if merged.share > 1 and merged.cases is not None:
            raise UserError(
                "share-with-cases",
                f"{name}: share is for drawn items, but its items are cases: name the field of their common context in "
                "cluster=….",
            )
        cases = (
            None
            if merged.cases is None
            else load_cases(_path(merged.cases, folder, workspace), merged.cluster, merged.id_field)
        )
        field = merged.cluster
        items = [(str(case["id"]), str(case[field]) if field else "") for case in cases] if cases else None
        return cls(name, merged, cases, declaration_of(name, merged, items, counts))

    def cell(
        self,
        values: Mapping[str, ParameterValue],
        model: ModelProfile,
        wording: Wording,
        seed: int,
        trials: int | None = None,
        shape: Shape = TEXT,
    ) -> Cell:
        """Return the cell of some parameters for one model and prompt set. Raises UserError."""
        point = FunctionPoint(self.declared, tuple(values.items()), max_tokens=1024)
        if (counts := self.declared.counts) is not None:
            counts.probes(wording.templates)  # a mistake fails the test alone, and before anything is sent
        band = self._band(point)
        given = self.table.trials.get(band, 0) if isinstance(self.table.trials, dict) else self.table.trials
        return Cell(
            model=model,
            wording=wording,
            point=point,
            seed=seed,
            trials=trials or (len(self.cases or ()) if given is None else given),
            repeats=self.table.repeats,
            min_rate=self.table.min_rate,
            band=band,
            in_gate=self.table.gated,
            shape=shape,
        )

    def _band(self, point: FunctionPoint) -> str:
        try:
            return shortest_band(self.table.bands, point)
        except ValueError as error:
            raise UserError("longer-than-bands", f"{self.name}, {error}") from None


def named_values(
    function: str, params: Mapping[str, object], ids: Mapping[str, str] | None = None
) -> dict[str, ParameterValue]:
    """Return parameters as the names of a cell hold them; a text that cannot be part of a name gets its digest there.

    ids: the names of values that have none, such as dataclasses, by their parameters. Raises UserError without one.
    """
    return {name: _named(function, name, value, ids or {}) for name, value in params.items()}


def _named(function: str, name: str, value: object, ids: Mapping[str, str]) -> ParameterValue:
    if isinstance(value, enum.Enum):
        value = value.name
    if value is None or type(value) in (int, float):
        return value  # type: ignore[return-value]
    text = str(value) if isinstance(value, bool | str) else getattr(value, "__name__", "")
    if isinstance(value, str) or NAME.fullmatch(text):
        return name_of(text)
    if name in ids:
        return name_of(ids[name])
    raise UserError(
        "parameter-is-no-name",
        f"{function}: the parameter {name} has the value {str(value)[:40]!r}, which cannot be part of a name: "
        "parametrize with numbers or texts, or give it an id, as in pytest.param(value, id='small').",
    )


def name_of(text: str) -> str:
    """Return a text as a part of names: one that cannot be part of a name gets its digest there."""
    if NAME.fullmatch(text):
        return text
    plain = re.sub(r"[^A-Za-z0-9_.+-]+", "_", text)[:READABLE]
    return f"{plain}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def load_cases(path: Path, cluster: str | None, id_field: str = "id") -> tuple[CaseItem, ...]:
    """Read a file of cases: JSON lines, a JSON array, CSV or TSV, also gzipped. Raises UserError, which names the line.

    Args:
        cluster: The field that names what cases share.
        id_field: The field that identifies a case.
    """
    cases: dict[str, CaseItem] = {}
    try:
        for record in records(path):
            case = _case(f"{path}, {record.place}", CaseItem(record.value), cluster, id_field)
            if cases.setdefault(str(case["id"]), case) is not case:
                raise UserError(
                    "duplicate-case-id",
                    f"{path}, {record.place} has the id {case['id']!r} of an earlier case: give each case its own id.",
                )
    except FileNotFoundError:
        raise Absent(
            "no-cases-file", f"There is no file of cases {path}: write one, with one JSON object per line.", path=path
        ) from None
    except ValueError as error:
        raise UserError("bad-case", f"{path}: {error}. Write one JSON object per line.") from None
    if not cases:
        raise UserError("no-cases", f"{path} contains no case: write one JSON object per line.")
    return tuple(cases.values())


def _case(where: str, case: CaseItem, cluster: str | None, id_field: str) -> CaseItem:
    """Return a case with its id. Raises UserError."""
    if not CASE_ID.fullmatch(_text(case.get(id_field))):
        likely = likely_id(name for name in case if name != id_field) or "_id"
        raise UserError(
            "case-without-id",
            f'{where} has no valid id: write an object with "{id_field}", of letters, digits, spaces and any of '
            "_.:@+-, which it keeps when cases are added; or name its field in the marker, as in "
            f"id_field={likely!r}. Its fields are: {visible(', '.join(case))[:LONGEST_LIST] or 'none'}.",
        )
    case["id"] = case[id_field]
    if HALF.search(json.dumps(case, ensure_ascii=False)):
        raise UserError(
            "half-a-character",
            f"{where}, the case {case['id']!r}, contains half of a character (a lone surrogate such as \\ud83d), "
            "which no request can contain: write the complete character.",
        )
    if cluster is not None and not _text(case.get(cluster)):
        raise UserError(
            "case-without-cluster",
            f"{where} has no text or number in the field {cluster!r}: add it, or name another field in the marker's "
            "cluster.",
        )
    return case


def _text(value: object) -> str:
    """Return a text or an integer as text; anything else, which cannot be a name, as an empty one."""
    return str(value) if type(value) in (str, int) else ""


def wording_of(workspace: Workspace, function: str, prompt_set: str, typed: bool = False) -> Wording:
    """Return the templates of a function: all .txt files of fixtures/prompts/SET/FUNCTION; there may be none.

    typed: whether the person gave the name of the set, which may then be a folder outside the project. Raises UserError
    if there is no such set.
    """
    found = PromptSet.open(workspace, prompt_set, typed)
    sets = found.folder, *found.further
    files = next((sorted(folder.glob("*.txt")) for each in sets if (folder := each / function).is_dir()), [])
    templates = {path.stem: read_text(inside(path, workspace.root, *sets)).removesuffix("\n") for path in files}
    content = "\0".join(f"{name}\0{text}" for name, text in sorted(templates.items()))
    return Wording(found.name, hashlib.sha256(content.encode()).hexdigest()[:12], templates)


def prompts_of(table: FunctionTable, given: Sequence[str]) -> Iterable[str]:
    """Return the prompt sets of a function. given: the user's, which replace those of the table."""
    return given or table.prompts or (PROTOCOL,)


def _path(name: str, folder: Path, workspace: Workspace) -> Path:
    """Return the file of cases, next to the test or in the project. Raises UserError if it lies outside the project."""
    beside = folder / name
    path = beside if beside.exists() else workspace.root / name
    inside(path, workspace.root)
    return path
