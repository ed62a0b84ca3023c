"""Short answers, to questions of long-context QA: the profile's [short_answers] tables give its cells."""

from longctx.protocols.short_answers import short_answers as test_short_answers

__all__ = ["test_short_answers"]
