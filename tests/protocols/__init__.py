"""The types of the protocols' cells, which tests build and judge without a run."""

from longctx.protocols.aggregation import aggregation
from longctx.protocols.frequent_words import frequent_words
from longctx.protocols.graph_walks import graph_walks
from longctx.protocols.latest_value import latest_value
from longctx.protocols.line_retrieval import line_retrieval
from longctx.protocols.multiple_needles import multiple_needles
from longctx.protocols.passkey import passkey
from longctx.protocols.variable_tracking import variable_tracking
from longctx.vocabulary.protocol import cells_of

Aggregation = cells_of(aggregation)
GraphWalks = cells_of(graph_walks)
VariableTracking = cells_of(variable_tracking)
MultipleNeedles = cells_of(multiple_needles)
FrequentWords = cells_of(frequent_words)
LatestValue = cells_of(latest_value)
LineRetrieval = cells_of(line_retrieval)
Passkey = cells_of(passkey)

PASSKEY_TOKENS = {"filler": 24, "fixed": 69, "after_key": 16}
"""What a tokenizer made of passkey's wording."""
