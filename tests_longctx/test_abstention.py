"""Abstention, with the questions of long-context QA: the profile's [abstention] tables give its cells."""

from longctx.protocols.abstention import abstention as test_abstention

__all__ = ["test_abstention"]
