"""Graph walks, after OpenAI: the profile's [graph_walks] tables give its cells."""

from longctx.protocols.graph_walks import graph_walks as test_graph_walks

__all__ = ["test_graph_walks"]
