"""Latest value, after PI-LLM: the profile's [latest_value] tables give its cells."""

from longctx.protocols.latest_value import latest_value as test_latest_value

__all__ = ["test_latest_value"]
