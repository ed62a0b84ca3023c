"""A grid: the entries of a family's table in a profile, and the scenarios that they span."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from longctx.vocabulary.bank import SHIPPED, Bank
from longctx.vocabulary.prompt_sets import PROTOCOL
from longctx.vocabulary.scenario import Scenario

Count = Annotated[int, Field(ge=1, strict=True)]


def _trials(value: Any) -> int | dict[str, int]:
    numbers = list(value.values()) if isinstance(value, dict) else [value]
    if numbers and all(type(number) is int and number >= 1 for number in numbers):
        return value  # type: ignore[no-any-return]
    raise ValueError(
        "trials are a number that is greater than or equal to 1, or one of each band, as in { short = 20, long = 50 }"
    )


Trials = Annotated[int | dict[str, int], BeforeValidator(_trials)]


class Grid(BaseModel):
    """The entries that every family's table may have. A family adds its own, and turns them into scenarios."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: tuple[str, ...] = ()
    """The models to measure; `--ctx-model` replaces them. It may be left out where that is always given."""
    prompts: tuple[str, ...] = Field(default=(PROTOCOL,), min_length=1)
    """Prompt sets, by name or path; `--ctx-prompts` replaces them."""
    trials: Trials
    """Trials of each scenario, or of those of each band by its name: a band that is not named is left out. In
    long-context QA, a trial is a question."""
    min_rate: float | None = Field(default=None, ge=0, le=1)
    """A scenario whose rate is shown to lie below it fails its test."""
    bands: dict[str, Count] = {}
    """The gate's bands: name -> the largest length in it (lines, or tokens). Without any, all lengths are one band."""

    gated: bool = True
    """False leaves the table out of the gate: its trials are asked and reported, and no band judges them."""

    @model_validator(mode="after")
    def _trials_are_of_bands(self) -> Self:
        names = self.trials if isinstance(self.trials, dict) else {}
        if strange := [name for name in names if name not in (self.bands or {"all"})]:
            raise ValueError(f"`trials` names the band {strange[0]!r}, which `bands` does not define: correct the name")
        return self

    @property
    def minimums(self) -> int:
        """How many stated minimums the gate tests beside bands, for each model and prompt set."""
        return 0

    @property
    def draws_on(self) -> str:
        """The name of the bank that the questions come from, for families that ask about documents."""
        return SHIPPED

    def band(self, scenario: Scenario) -> str:
        """Return the shortest band that holds the scenario. Raises ValueError if none does."""
        if not self.bands:
            return "all"
        holding = [(largest, name) for name, largest in self.bands.items() if scenario.length <= largest]
        if not holding:
            raise ValueError(
                f"{scenario.slug} is longer than every band: {scenario.length} against {max(self.bands.values())}. "
                "Raise the largest band, or add one."
            )
        return min(holding)[1]

    def trials_of(self, scenario: Scenario) -> int:
        """Return the scenario's number of trials; 0 if its band is left out."""
        band = self.band(scenario)
        return self.trials.get(band, 0) if isinstance(self.trials, dict) else self.trials

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        """Yield the table's scenarios. bank: loads the questions, for families that ask about documents."""
        raise NotImplementedError
