"""The answers to trials under two conditions as columns, of which clusters are made when they are counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from longctx.stats.averaged import AnswerPair, Averaged


@dataclass(slots=True)
class ByCluster:
    """Trials in their order."""

    names: list[object] = field(default_factory=list)
    """What identifies the cluster of each; the clusters of several bands may be the same."""
    answers: list[AnswerPair] = field(default_factory=list)
    """The answers to each."""

    @classmethod
    def of(cls, clusters: Mapping[object, Sequence[AnswerPair]]) -> ByCluster:
        """Return the trials of clusters that have these names."""
        names = [name for name, answers in clusters.items() for _ in answers]
        return cls(names, [trial for answers in clusters.values() for trial in answers])

    def add(self, name: object, answers: AnswerPair) -> None:
        """Add a trial."""
        self.names.append(name)
        self.answers.append(answers)

    def add_each(self, names: Iterable[object], answers: Iterable[AnswerPair]) -> None:
        """Add trials, given by what identifies the cluster of each and by its answers."""
        self.names += names
        self.answers += answers

    def extend(self, other: ByCluster, function: str) -> None:
        """Add the trials of a test or a check. function: the test's name; only named clusters extend over several."""
        self.names += [name if isinstance(name, str) else (function, name) for name in other.names]
        self.answers += other.answers

    @property
    def clusters(self) -> list[list[AnswerPair]]:
        """The answers by cluster, in the order of their first trials."""
        if len({*self.names}) == len(self.names):  # equal answers may share a list
            alone = {answers: [answers] for answers in {*self.answers}}
            return [*map(alone.__getitem__, self.answers)]
        groups: dict[object, list[AnswerPair]] = {}
        for name, answers in zip(self.names, self.answers, strict=True):
            groups.setdefault(name, []).append(answers)
        return [*groups.values()]

    @property
    def averaged(self) -> Averaged:
        return Averaged(self.clusters)
