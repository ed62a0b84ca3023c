"""The options of a run, typed: those of the command line, or of a Run in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.gate.defaults import ALPHA, MAX_AGE_DAYS

if TYPE_CHECKING:
    from longctx.config.models import Prices
    from longctx.config.shards import Shard
    from longctx.vocabulary.shapes import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTerms:
    """The terms of a verdict that a user may set.

    margin, run_margin: None for the profile's.
    """

    margin: float | None = None
    alpha: float = ALPHA
    max_age: float = MAX_AGE_DAYS
    """Days."""
    looks: bool = True
    """Whether asking stops in bands that are settled."""
    run_margin: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of one run, with the options' defaults. None means that the profile decides."""

    models: tuple[str, ...] = ()
    profile: str | Mapping[str, Any] | None = None
    """Its name, path or entries; None for the project's default profile (config/profiles.py)."""
    prompts: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()
    strategies: tuple[str, ...] = ()
    record: str = "none"
    corpus: Path | None = None
    questions: Path | None = None
    base_url: str | None = None
    in_flight: int = 4
    trials: int | None = None
    only_trial: str | None = None
    """The name of the only trial to measure: its number, or the id of its question or case."""
    repeats: int = 1
    seed: int | None = None
    min_rate: float | None = None
    labels: tuple[tuple[str, str], ...] = ()
    shard: Shard | None = None
    report: Path | None = None
    lock: bool = True
    page: bool = True
    parquet: bool = False
    """Whether to write the rows as results.parquet too: `longctx_parquet` in the file that configures pytest."""
    estimate: bool = False
    ask_only: bool = False
    canary: bool = True
    max_cost: float | None = None
    """USD."""
    prices: tuple[tuple[str, Prices], ...] = ()
    model_profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Entries of model profiles, which come before those of files."""
    no_text: bool = False
    baseline: str | None = None
    base: str | None = None
    """The branch or commit that the change is judged against."""
    trust: str = "all"
    """`base` to accept only answers that are recorded there or that the run asks for."""
    margin: float | None = None
    alpha: float = ALPHA
    on_inconclusive: str = "fail"
    max_age: float = MAX_AGE_DAYS
    """Days."""
    looks: bool = True
    batch: bool = False
    batch_wait: float | None = None
    """Hours; None to wait until the batches end."""
    save_baseline: str | None = None
    """The name under which the finished run is saved as a baseline."""

    @property
    def gate(self) -> GateTerms:
        return GateTerms(margin=self.margin, alpha=self.alpha, max_age=self.max_age, looks=self.looks)

    def repeating_options(self) -> tuple[str, ...]:
        """Return the options of the command line that repeat the same trials with the same models and prompts."""
        repeated = {
            "profile": [self.profile] if isinstance(self.profile, str) else [],
            "model": self.models,
            "prompts": self.prompts,
            "shape": self.shapes,
            "strategy": self.strategies,
            "corpus": filter(None, [self.corpus]),
            "questions": filter(None, [self.questions]),
            "seed": [] if self.seed is None else [self.seed],
        }
        return tuple(f"--ctx-{name}={value}" for name, values in repeated.items() for value in values)
