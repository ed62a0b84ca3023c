"""The values of the command-line options, typed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from longctx.gate.defaults import ALPHA, MAX_AGE_DAYS

if TYPE_CHECKING:
    from longctx.config.models import Prices
    from longctx.config.shards import Shard


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of one run, with the options' defaults. None means that the profile decides.

    profile: None for the project's default profile (config/profiles.py). max_cost: USD. max_age: days. batch_wait:
    hours; None to wait until the batches end.
    """

    models: tuple[str, ...] = ()
    profile: str | None = None
    prompts: tuple[str, ...] = ()
    record: str = "none"
    corpus: Path | None = None
    questions: Path | None = None
    base_url: str | None = None
    in_flight: int = 4
    trials: int | None = None
    only_trial: int | None = None
    repeats: int = 1
    seed: int | None = None
    min_rate: float | None = None
    labels: tuple[tuple[str, str], ...] = ()
    shard: Shard | None = None
    report: Path | None = None
    lock: bool = True
    page: bool = True
    estimate: bool = False
    ask_only: bool = False
    max_cost: float | None = None
    prices: tuple[tuple[str, Prices], ...] = ()
    no_text: bool = False
    baseline: str | None = None
    margin: float | None = None
    alpha: float = ALPHA
    on_inconclusive: str = "fail"
    max_age: float = MAX_AGE_DAYS
    early_stop: bool = False
    batch: bool = False
    batch_wait: float | None = None
