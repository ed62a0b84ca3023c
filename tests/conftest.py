"""Hypothesis for all tests: the same examples every time, and no limit on the time of one."""

from hypothesis import settings

settings.register_profile("longctx", max_examples=50, deadline=None, derandomize=True)
settings.load_profile("longctx")
