"""A made-up issue of the register, for the tests of its questions too."""

from functools import cache

from longctx.corpus.register.issue import Issue, generate

OTHERS = (1, 7)


@cache
def issue(seed: int) -> Issue:
    return generate(seed)
