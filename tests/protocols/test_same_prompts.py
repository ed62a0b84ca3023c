"""A seed builds the same prompt for ever.

A changed digest means other trials than those on record: raise the version of the protocol.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.given import words_of
from tests.protocols import GraphWalks, LatestValue, LineRetrieval
from tests.protocols.tokens import TOKENS_OF

KINDS: dict[str, Any] = {kind.declared.name: kind for kind in (LineRetrieval, *TOKENS_OF)}
DIGESTS = """
aggregation window-1500-notices-12-question-count 0 0 4fdcfa0733749a99fee91a136fbef887
aggregation window-1500-notices-12-question-largest 0 1 089817e8ff1b7a9f722e1db5c29ddced
aggregation window-4096-notices-24-question-missing 7 9 f1085019b30dedf528350a2038f4008c
aggregation window-131072-notices-12-question-count 0 0 f1818d6834848c00bad5f712f58528a5
coreference needles-2-window-1024 0 0 806fe25d97fcdad68a35fc5659e6d642
coreference needles-4-window-2048 0 1 5ebb0ef6d136761abc576856ba471022
coreference needles-8-window-4096 7 9 8853f3be06ba4b4c2cd66f012a58d04c
coreference needles-2-window-131072 0 0 6fdf7211e70f47ac8313039f455a2908
frequent_words window-512-alpha_percent-200 0 0 d8edbc3b9c6e0be00a242bf6d577a223
frequent_words window-512-alpha_percent-200 0 1 36f5837c9cf0b70399d66ef9c8314ba3
frequent_words window-4096-alpha_percent-150 7 9 b7166a5514bc3322d85d5ef3d878a930
frequent_words window-131072-alpha_percent-200 0 0 d2938e6bd8aa543fd0d091672eea9ae1
graph_walks context-1000-operation-parents 0 0 c0955d9f098c7933d94e63b1d6c0f271
graph_walks context-1000-operation-bfs-depth-1 0 0 763c996468ea5fea2bc7b0b2648fa4ef
graph_walks context-3000-operation-bfs-depth-2 7 3 1a9b8608c1d0af560f74accd3869384e
graph_walks context-8000-operation-bfs-depth-3 1 49 ec1c8fbfb0b069ec51cb4662fd547b84
graph_walks context-120000-operation-parents 0 0 08097df2809d44db50edff3e9dd521a1
graph_walks context-950000-operation-bfs-depth-3 1099511627776 2 82c6677d4c77aff3f78119f31d5bf9c1
latest_value window-1000-updates-1-question-now 0 0 30979edf46e08897f6198473f2bf900b
latest_value window-1000-updates-4-question-before 0 1 1a4dc7eb8afc846b849abe63f9853421
latest_value window-4096-updates-16-question-when 7 9 657e1713e5f84f347bb505d79ce10a61
latest_value window-131072-updates-4-question-now 0 0 0327cf6496e9f10b704172e2551c83f4
line_retrieval lines-1 0 0 0cff7c3032e556c519acbc41c1abca3c
line_retrieval lines-10 0 0 c5c69a5443dc1c2b692c5c42d5e6ff68
line_retrieval lines-10-block_size-1 0 0 1859e531f64dffda7a34d82ea3f136ef
line_retrieval lines-23-block_size-5 7 3 45d3011c45cfa0e497420e4fe2431312
line_retrieval lines-500 1 49 a9323992f554b7c1804df94f0d935d87
line_retrieval lines-6500 0 0 37c38bd16646931dae474917a16137cd
line_retrieval lines-6500-block_size-1 0 0 feec66367eb470ff5eea24d3874e6465
line_retrieval lines-6500-block_size-50 0 0 3d244c475af311aaa0fbfb182110485d
line_retrieval lines-62000-block_size-100 1099511627776 2 517269b0afce456853bdbd0669772456
multiple_needles window-600-keys-1-values-4-queries-1 0 0 384283790f2caac86790adc9df6b733d
multiple_needles window-600-keys-4-values-1-queries-4 0 1 bf41aae0337dbfd3451d13c27feddf8f
multiple_needles window-4096-keys-8-values-2-queries-4 7 9 ff36965acca36bb37fad4ea86d344aae
multiple_needles window-131072-keys-4-values-1-queries-4 0 0 fe5a823650b538cbddcea2b761157c25
passkey window-128-k-1 0 0 05a245d9271def8ee79c0e0407f48031
passkey window-1024-k-512 0 0 3b1288614b5953323e5c4c6e04f35041
passkey window-1024-k-1024 0 1 b9f5af7f7e92dc02e03cc1b4d57056f7
passkey window-8192-k-1792 7 9 11694583e0cf9761325f1b922345e2bd
passkey window-32768-k-18432 0 0 744d2dcf11af077c35a79323890757e5
variable_tracking window-1000-chains-1-hops-4 0 0 f6da65d8ac722b913c549ab0cd05e53e
variable_tracking window-1000-chains-1-hops-4 0 1 ebba04600ae880a24383410f9a7b422e
variable_tracking window-4096-chains-4-hops-8 7 9 b2e08e44e97bb8e8338ec16ff8be6aac
variable_tracking window-131072-chains-2-hops-4 0 0 5f2ebbd8633e795c5d453ba906638983
"""
"""The test, the slug of the cell, the seed, the number of the trial, and the first half of the digest."""


@pytest.mark.parametrize("pinned", DIGESTS.strip().splitlines(), ids=lambda pinned: pinned.rpartition(" ")[0])
def test_a_seed_builds_the_same_prompt_for_ever(pinned: str) -> None:
    test, slug, seed, index, digest = pinned.split()
    kind = KINDS[test]
    cell = kind.from_slug(slug, **{"max_tokens": 128} if kind is LatestValue else {})
    trial = cell.fit(TOKENS_OF.get(kind, {})).build(words_of(kind), int(seed), int(index))
    text = f"{trial.user}\n{trial.expected}" if kind is GraphWalks else trial.user
    assert hashlib.sha256(text.encode()).hexdigest()[:32] == digest
