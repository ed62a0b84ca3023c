"""The controls of long-context QA, from which the filter is made: the profile's [control] tables give its cells."""

from longctx.protocols.control import control as test_control

__all__ = ["test_control"]
