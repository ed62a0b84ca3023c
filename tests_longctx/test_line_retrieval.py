"""The Little Retrieval Test: the profile's [line_retrieval] tables give its cells."""

from longctx.protocols.line_retrieval import line_retrieval as test_line_retrieval

__all__ = ["test_line_retrieval"]
