"""What a gate compares: bands of trials in clusters. The profiles `paper` and `recorded`."""

from __future__ import annotations

from dataclasses import dataclass

from longctx.gate.bands import Band


@dataclass(frozen=True, slots=True)
class Part:
    """A band's trials. questions: of each section; trials: of each question. A section is a cluster."""

    band: Band
    questions: tuple[int, ...]
    trials: int = 1

    @property
    def n(self) -> int:
        return sum(self.questions) * self.trials


@dataclass(frozen=True, slots=True)
class Axes:
    """blocks: parts of one block ask about the same sections and questions; different blocks share nothing."""

    name: str
    blocks: tuple[tuple[Part, ...], ...]

    @property
    def parts(self) -> list[Part]:
        return [part for block in self.blocks for part in block]

    @property
    def longest(self) -> dict[str, Band]:
        """The last band of each test that has several."""
        by_test: dict[str, list[Band]] = {}
        for part in self.parts:
            by_test.setdefault(part.band.test, []).append(part.band)
        return {test: bands[-1] for test, bands in by_test.items() if len(bands) > 1}


def alone(test: str, **bands: int) -> tuple[tuple[Part, ...], ...]:
    """Return bands with these numbers of trials, each of which is a cluster of its own."""
    return tuple((Part(Band(test, name), (1,) * trials),) for name, trials in bands.items())


def _sections(sections: int, questions: int) -> tuple[int, ...]:
    """Return the number of questions of each section, spread as evenly as possible."""
    each, left = divmod(questions, sections)
    return tuple(each + (place < left) for place in range(sections))


PAPER = Axes(
    "paper",
    (
        *alone("line_retrieval", short=3 * 5 * 50, middle=5 * 5 * 50, long=5 * 5 * 50),
        # Of the windows 8192, 16384 and 32768 with 32 even distances each: 56 lie within 8192, 24 and 16 beyond.
        *alone("passkey", short=560, middle=240, long=160),
        (
            Part(Band("collage", "70000"), _sections(86, 390), 3 * 8),
            Part(Band("collage", "95000"), _sections(86, 390), 3 * 8),
            Part(Band("control", "right"), _sections(86, 430)),
        ),
    ),
)

RECORDED = Axes(
    "recorded",
    (
        *alone("line_retrieval", short=2 * 4 * 50, middle=2 * 4 * 50, long=2 * 2 * 50),
        *alone("passkey", first=320, second=320, third=160),
        (
            Part(Band("collage", "only"), (*_sections(25, 30), *(0,) * 25), 3 * 8),
            Part(Band("control", "right"), _sections(50, 100)),
        ),
    ),
)
