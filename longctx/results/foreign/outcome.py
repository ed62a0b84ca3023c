"""The outcome of a result as a share: of any scale, in either direction, as tables and people write it."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass

from longctx.results.foreign.values import short

SCORES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""The values of inspect_ai's scorers, as its value_to_float maps them."""
RIGHT = """yes true correct pass passed
wahr vrai verdadero vero verdadeiro waar prawda sant sand sann tosi istina истина ja oui sí si sì sim"""
WRONG = """no false incorrect wrong fail failed
falsch faux falso onwaar fałsz falskt falsk usann epätosi ложь nein non não"""
WORDS = dict.fromkeys(RIGHT.split(), 1.0) | dict.fromkeys(WRONG.split(), 0.0)
"""What people, and spreadsheets in their languages, write for right and wrong."""
COMMA = re.compile(r"[+-]?\d*,\d+")
"""Matches a number with a decimal comma."""
LOWER = frozenset(
    """hallucination hallucinations hallucinated toxic toxicity error errors errored wer cer ter mer loss losses
    perplexity ppl bias biased harm harms harmful harmfulness risk violation violations latency distance rmse mae mse
    brier nll fail failed failure failures miss missed misses wrong incorrect unsafe leak leaked leakage
    minimize""".split()
)
"""Words in the name of a metric of which less is better."""
SCALES = (0, 1), (1, 5), (0, 5), (1, 10), (0, 10), (0, 100)
"""Scales that are suggested: the first that contains all marks of a file."""


class OffScale(ValueError):
    """A number that is not on the scale."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What the marks of a file mean: --scale, and --lower-is-better or --higher-is-better."""

    lowest: float = 0.0
    highest: float = 1.0
    lower: bool | None = None
    """Whether less is better; None if the person did not say."""

    def __bool__(self) -> bool:
        return self != Scale()

    def share(self, value: object) -> float | None:
        """Return an outcome between 0 (worst) and 1 (best); None if it was not measured. Raises ValueError."""
        found = self._read(value)
        if found is None:
            return None
        return 1 - found if self.lower else found

    def _read(self, value: object) -> float | None:
        if value is True or value is False:
            return float(value)
        number = value
        if isinstance(value, str):
            text = value.strip()
            if text in SCORES or text.lower() in WORDS:
                return SCORES.get(text, WORDS.get(text.lower()))
            if not text:
                return None
            if text.endswith("%"):
                if (percent := _number(text[:-1].strip())) is not None and 0 <= percent <= 100:
                    return percent / 100
            else:
                number = _number(text)
        if number is None and not isinstance(value, str):
            return None
        if isinstance(number, int | float):
            if number != number and not isinstance(value, str):  # NaN
                return None
            if self.lowest <= number <= self.highest:
                return float((number - self.lowest) / (self.highest - self.lowest))
        kind = OffScale if isinstance(number, int | float) and not isinstance(number, str) else ValueError
        between = f"a number between {self.lowest:g} and {self.highest:g}"
        raise kind(
            f"{short(str(value))!r} is no outcome, which is true, false, {between}, a percentage, or null (not "
            "measured)"
        )


def _number(text: str) -> float | None:
    """Return the number that a text is, with a decimal point or comma; None if it is none."""
    with contextlib.suppress(ValueError):
        return float(text.replace(",", ".") if COMMA.fullmatch(text) else text)
    return None


def suggested(values: list[object]) -> str | None:
    """Return a scale that contains all numbers among some outcomes, such as `1:5`; None if none does."""
    numbers = [
        number
        for value in values
        if isinstance(number := _number(value) if isinstance(value, str) else value, int | float)
        and not isinstance(number, bool)
        and abs(number) <= SCALES[-1][1]
    ]
    if not numbers:
        return None
    low, high = min(numbers), max(numbers)
    return next((f"{lowest}:{highest}" for lowest, highest in SCALES if lowest <= low and high <= highest), None)


def is_lower_better(name: str) -> bool:
    """Return whether the name of a metric suggests that less is better, such as `hallucination_score`.

    Example:
        >>> [is_lower_better(name) for name in ("hallucination_score", "ToxicityMetric", "exact_match")]
        [True, True, False]
    """
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    return not LOWER.isdisjoint(words)
