"""Variable tracking, after RULER: the profile's [variable_tracking] tables give its cells."""

from longctx.protocols.variable_tracking import variable_tracking as test_variable_tracking

__all__ = ["test_variable_tracking"]
