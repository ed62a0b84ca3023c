"""Fixtures of the live room's tests."""

from tests.certificates import certificates_read_once

__all__ = ["certificates_read_once"]
