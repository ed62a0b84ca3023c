"""What a run is given and has come to: its settings, its plan, its recordings. All that the engine does takes it."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from longctx import clocks
from longctx.engine.settings import Settings, of_arguments
from longctx.files import check_is_no_file, write_file
from longctx.gate.rules import DEFAULT_CAP
from longctx.redaction import keep_out
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.config.models import ModelProfile
    from longctx.engine.changed_since_recording import RecordedTexts
    from longctx.engine.judging_code import JudgingCode
    from longctx.engine.run_plan import Plan
    from longctx.gate.judged_by_base import JudgedByBase
    from longctx.live.bounds import Terms
    from longctx.live.cost.estimate import Estimates
    from longctx.live.failure import Failure
    from longctx.live.watch import Say
    from longctx.recording.rewriting import Rewriting
    from longctx.recording.tape import Tape
    from longctx.vocabulary.report import Report

FAILURES = "asking.json"
"""The file in the run's folder in which the live pass lists why trials could not be sent."""


class RunData:
    """A run of a profile as the engine's functions take it; `Run` has its arguments and what users do with it."""

    def __init__(
        self,
        profile: str | Mapping[str, Any] | None = None,
        model: str | Sequence[str] = (),
        prompts: str | Sequence[str] = (),
        *,
        root: str | os.PathLike[str] = ".",
        say: Say = print,
        **options: Any,
    ) -> None:
        models, sets = (((given,) if isinstance(given, str) else tuple(given)) for given in (model, prompts))
        self._begin(of_arguments({"profile": profile, "models": models, "prompts": sets, **options}), root, say)

    @classmethod
    def with_settings(
        cls,
        settings: Settings,
        root: str | os.PathLike[str],
        *,
        say: Say = print,
        name: str = "",
        folder: Path | None = None,
        private: Path | None = None,
    ) -> Self:
        """Return the run that has all of these settings.

        name: by default the time; answers that are recorded under this name count as live. folder: where its report
        goes, by default reports/NAME. private: a folder for answers that no cassette keeps.
        """
        run = cls.__new__(cls)
        run._begin(settings, root, say, name, folder, private)
        return run

    def _begin(
        self,
        settings: Settings,
        root: str | os.PathLike[str],
        say: Say,
        name: str = "",
        folder: Path | None = None,
        private: Path | None = None,
    ) -> None:
        self.settings = settings
        self.workspace = Workspace(Path(root).absolute())
        keep_out(self._key_variables)
        self.folder = folder or free_folder(self.settings, self.workspace)
        self.name = name or (self.folder.name if self.settings.report is None else now())
        self.private = private
        self.say = say
        self.functions: dict[str, float | None] = {}
        """The minimum rates of the cells of test functions that were collected, by `cell_name`."""
        self.reports: dict[str, Report | None] = {}
        """The reports that test functions declare, by their names: see `views.reporting.Reports`."""
        self.homes: dict[str, Path] = {}
        """The folders of recordings of tests that are nearer to their files than the project's, by the tests' names."""
        self.cells: list[Cell] = []
        """The selected cells of test functions, whose trials pytest runs; those of protocols are in `plan.cells`."""
        self.unasked: dict[str, dict[str, Any]] = {}
        """The fields of the Failure of each question that the live pass could not ask, by its key."""
        self.to_send: list[Cell] = []
        """All cells, of protocols and test functions, whose trials this run set out to send."""
        self.rewriting: Rewriting | None = None
        """What the project's hooks make of requests and answers; None without pytest."""
        self.spent = 0.0
        """USD of the cap that the last live pass spent."""
        self.judging_code: JudgingCode | None = None
        """Its test code beside that of the base branch; None until that was looked up, and without a base."""
        self.judged_by_base: JudgedByBase | None = None
        """What the base's test code makes of its answers; None if that judges nothing."""
        self.take_estimates: Callable[[Estimates], None] | None = None
        """Takes what an estimate of tests found; None to print it."""
        self.has_asked = False
        """Whether it has begun to ask: its own looks then say what it leaves out."""

    def _key_variables(self) -> Iterable[str]:
        from longctx.config.models import key_variables

        own = (entry.get("key") for entry in self.settings.model_profiles.values())
        return [*key_variables(self.workspace), *(name for name in own if isinstance(name, str))]

    @functools.cached_property
    def plan(self) -> Plan:
        """The profile, its cells and the baseline, which are loaded when first needed."""
        from longctx.engine.run_plan import Plan

        return Plan(self.settings, self.workspace)

    def tape(self, mode: str = "none") -> Tape:
        """Return the project's recordings. mode: a record mode."""
        from longctx.recording.base import Base
        from longctx.recording.tape import Tape

        base, cassettes = self.settings.base, self.workspace.cassettes
        known = Base(base, self.workspace.root, cassettes) if base else None
        tape = Tape(cassettes, mode, self.name, self.private, known, self.settings.trust == "base")
        tape.rewriting, tape.homes = self.rewriting or tape.rewriting, self.homes
        return tape

    @functools.cached_property
    def recorded(self) -> Tape:
        """The recordings before any request of this run; afterwards they are read again."""
        return self.tape()

    @functools.cached_property
    def recorded_texts(self) -> RecordedTexts:
        """The texts that baselines and earlier runs keep."""
        from longctx.engine.changed_since_recording import RecordedTexts

        return RecordedTexts(self.workspace)

    @property
    def asking_mode(self) -> str:
        """The record mode in which it asks: that of the settings, or `once` if that is `none`."""
        return "once" if self.settings.record == "none" else self.settings.record

    def answers(self) -> Tape:
        """Return the recordings that this run measures: with the record mode `all`, the answers of its own alone."""
        return self.tape("all" if self.settings.record == "all" else "none")

    def not_asked(self, failures: Mapping[str, Failure], spent: float) -> None:
        """Note what a live pass could not ask, by the keys of the questions, and the USD that it spent."""
        self.unasked |= {key: asdict(failure) for key, failure in failures.items()}
        self.spent = spent

    @property
    def stated_cap(self) -> float | None:
        """USD that the user lets the run spend: by the settings, else by the profile; None if neither states a cap."""
        given, own = self.settings.max_cost, self.plan.own
        return own.max_cost if given is None and own else given

    def default_cap(self, models: Iterable[ModelProfile]) -> float | None:
        """Return the cap that holds because none is stated; None if one is, or if none of the models has a price."""
        from longctx.live.cost.money import has_price

        return DEFAULT_CAP if self.stated_cap is None and any(map(has_price, models)) else None

    def cap(self, models: Iterable[ModelProfile]) -> float | None:
        """Return the USD that requests to these models may cost; None for no cap."""
        default = self.default_cap(models)
        return self.stated_cap if default is None else default

    def terms(self, models: Sequence[ModelProfile], max_cost: float | None = None) -> Terms:
        """Return the terms of a live pass over these models. max_cost: USD; by default the run's cap."""
        from longctx.live.bounds import Terms

        settings = self.settings
        return Terms(
            base_url=settings.base_url,
            in_flight=settings.in_flight,
            max_cost=self.cap(models) if max_cost is None else max_cost,
            stated_cap=max_cost is not None or self.stated_cap is not None,
            batch=settings.batch,
            batch_wait_s=None if settings.batch_wait is None else 3600 * settings.batch_wait,
            patience_s=60 * settings.patience,
            canary=settings.canary,
        )

    def keep_failures(self) -> None:
        """Tell people in the run's folder why questions could not be sent, if there are any."""
        if self.unasked:
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(self.unasked, indent=1)
            write_file(self.folder / FAILURES, lambda part: part.write_text(text, "utf-8"))

    def forget_plan(self) -> None:
        """Read the project's files again when they are next needed: asking adds to models' profiles and recordings."""
        self.__dict__.pop("plan", None)
        self.__dict__.pop("recorded", None)


def now() -> str:
    """Return the local time to the millisecond, as the name of a run."""
    return clocks.local().strftime("%Y-%m-%dT%H-%M-%S-%f")[:-3]


def free_folder(settings: Settings, workspace: Workspace) -> Path:
    """Return a folder for the report that contains no run yet. Raises UserError if the user's own cannot be used."""
    if settings.report is not None:
        from longctx.results.run_folders import check_folder_has_no_run

        check_is_no_file("--ctx-report", settings.report)
        check_folder_has_no_run(settings.report)
        return settings.report.absolute()
    name, number = now(), 2
    folder = workspace.reports / name
    while folder.exists():
        folder, number = workspace.reports / f"{name}-{number}", number + 1
    return folder
