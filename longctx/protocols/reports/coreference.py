"""The heat maps of coreference: which of the alike texts was given back for which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx import Answers, Chart, Subject, Table
from longctx.protocols.conversation import ordinal
from longctx.protocols.coreference import given_for_asked
from longctx.results.grouping import grouped
from longctx.views.chart import field, heat
from longctx.views.reporting import together


def given_back(analysis: Sequence[Answers]) -> Iterator[Chart]:
    """Yield a chart for each subject and number of alike texts, over all windows."""
    groups = grouped(analysis, lambda answers: (answers.subject, int(answers.params["needles"])))
    for number, ((subject, needles), group) in enumerate(groups.items(), start=1):
        if counts := given_for_asked(together(group)):
            yield _heat_map(subject, needles, counts, number)


def _heat_map(subject: Subject, needles: int, counts: dict[tuple[int, int], int], number: int) -> Chart:
    """Return the heat map of what was given back (across) for what was asked (down)."""
    names = [ordinal(place) for place in range(1, needles + 1)]
    values = []
    for asked, name in enumerate(names, start=1):
        of_asked = [counts.get((asked, given), 0) for given in range(1, needles + 1)]
        for other, given in zip(names, of_asked, strict=True):
            share = given / sum(of_asked) if given else 0.0
            say = f"asked for the {name}, the {other} was given: {given:,}"
            values.append({"asked": name, "given": other, "rate": share, "text": f"{given:,}", "say": say})
    spec = heat(
        values,
        x=field("given", "ordinal", "given back", sort=names),
        y=field("asked", "ordinal", "asked for", sort=names),
    )
    title = f"Which of {needles} needles was given back: {subject}"
    cells = [(str(value["asked"]), str(value["given"]), str(value["text"])) for value in values]
    return Chart(f"coreference-given-{number}", "", title, spec, Table.pivot(title, cells, "asked for"))
