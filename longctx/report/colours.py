"""The colours of the page and its charts in the light and the dark theme: the values of the CSS variables.

Series colours are those of Okabe and Ito, which most colour-blind readers can distinguish, darkened or lightened to a
contrast of 3:1 with the paper; text has 4.5:1.
"""

from __future__ import annotations

LIGHT = {
    "--paper": "#ffffff",
    "--panel": "#f5f6f8",
    "--ink": "#1b1f24",
    "--ink-soft": "#57606a",
    "--rule": "#d8dee4",
    "--shade": "#9aa4b0",
    "--link": "#0550ae",
    "--good": "#1a7f37",
    "--bad": "#b3261e",
    "--mark-needle": "#c7ecd0",
    "--mark-record": "#fdeeb5",
    "--mark-nowhere": "#ffd7d5",
}
DARK = {
    "--paper": "#14171c",
    "--panel": "#1f242b",
    "--ink": "#e8ecf1",
    "--ink-soft": "#a3adb9",
    "--rule": "#39414c",
    "--shade": "#788492",
    "--link": "#7cb8ff",
    "--good": "#57c578",
    "--bad": "#ff8a80",
    "--mark-needle": "#1d4d2b",
    "--mark-record": "#55460f",
    "--mark-nowhere": "#632220",
}
SERIES = {
    "light": ("#0072b2", "#c35100", "#00815a", "#b0568a", "#8a6d00", "#2a86b8", "#6f4bb2", "#555d66"),
    "dark": ("#56b4e9", "#f0864a", "#2bbd8f", "#e08fbd", "#e3c04a", "#8ecbf0", "#b79af0", "#a9b2bd"),
}
HEAT = {"light": ("#f1f5fa", "#5b97cf"), "dark": ("#1f2a38", "#35629a")}
"""The ends of the colour scale, on all of which the ink has a contrast of 4.5:1."""
OUTCOME_COLOURS = {
    "correct": 3,
    "wrong": 2,
    "unparseable": 4,
    "refusal": 5,
    "truncated": 6,
    "infra-error": 8,
    "not-asked": 8,
}
"""The number of the series colour for each outcome."""


def colours(theme: str) -> dict[str, str]:
    """Return all variables of a theme, `light` or `dark`."""
    series = {f"--series-{number}": colour for number, colour in enumerate(SERIES[theme], start=1)}
    return {
        **(LIGHT if theme == "light" else DARK),
        **series,
        **{f"--outcome-{kind}": series[f"--series-{number}"] for kind, number in OUTCOME_COLOURS.items()},
        **{f"--heat-{step}": _between(*HEAT[theme], step / 9) for step in range(10)},
    }


def css() -> str:
    """Return the variables as a style sheet that follows the reader's preference; print is always light."""
    light, dark = (" ".join(f"{name}: {colour};" for name, colour in colours(theme).items()) for theme in SERIES)
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _between(low: str, high: str, share: float) -> str:
    ends = ((int(low[place : place + 2], 16), int(high[place : place + 2], 16)) for place in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in ends)
