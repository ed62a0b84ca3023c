"""Issues of the register by their seed, which the tests generate once."""

from functools import cache

from tools.register.issue import Issue, generate

OTHERS = (1, 7)


@cache
def issue(seed: int) -> Issue:
    return generate(seed)
