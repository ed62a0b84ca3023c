"""The types of the protocols' cells, which tests build and judge without a run."""

from longctx.protocols.abstention import abstention
from longctx.protocols.aggregation import aggregation
from longctx.protocols.collage import collage
from longctx.protocols.control import control
from longctx.protocols.coreference import coreference
from longctx.protocols.frequent_words import frequent_words
from longctx.protocols.graph_walks import graph_walks
from longctx.protocols.latest_value import latest_value
from longctx.protocols.line_retrieval import line_retrieval
from longctx.protocols.multiple_needles import multiple_needles
from longctx.protocols.passkey import passkey
from longctx.protocols.short_answers import short_answers
from longctx.protocols.variable_tracking import variable_tracking
from longctx.vocabulary.protocol import cells_of

Abstention = cells_of(abstention)
Aggregation = cells_of(aggregation)
Collage = cells_of(collage)
Control = cells_of(control)
FrequentWords = cells_of(frequent_words)
GraphWalks = cells_of(graph_walks)
Coreference = cells_of(coreference)
LatestValue = cells_of(latest_value)
LineRetrieval = cells_of(line_retrieval)
MultipleNeedles = cells_of(multiple_needles)
Passkey = cells_of(passkey)
ShortAnswers = cells_of(short_answers)
VariableTracking = cells_of(variable_tracking)
