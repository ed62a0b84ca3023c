"""Aggregation, after OOLONG: the profile's [aggregation] tables give its cells."""

from longctx.protocols.aggregation import aggregation as test_aggregation

__all__ = ["test_aggregation"]
