"""Trials by cluster, kept as columns."""

from longctx.stats.averaged import AnswerPair
from longctx.stats.clustered import ByCluster

KEPT: AnswerPair = ((1,), (1,))
LOST: AnswerPair = ((1,), (0,))


def test_clusters_have_their_trials_in_the_order_of_the_first_ones() -> None:
    trials = ByCluster()
    for name, answers in [("b", KEPT), ("a", LOST), ("b", LOST)]:
        trials.add(name, answers)
    assert trials.clusters == [[KEPT, LOST], [LOST]]
    assert trials.averaged.changes == [[0, -1], [-1]]


def test_trials_without_a_cluster_are_alone() -> None:
    trials = ByCluster.of({("cell", 1): [KEPT], ("cell", 2): [LOST], ("cell", 3): [KEPT]})
    assert trials.clusters == [[KEPT], [LOST], [KEPT]]
    assert trials.averaged.independent
    assert ByCluster().averaged.n == 0


def test_only_named_clusters_extend_over_tests() -> None:
    together = ByCluster()
    together.extend(ByCluster(["contract", 1], [KEPT, KEPT]), "first")
    together.extend(ByCluster(["contract", 1], [LOST, LOST]), "second")
    assert together.clusters == [[KEPT, LOST], [KEPT], [LOST]]
