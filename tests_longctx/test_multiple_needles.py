"""Multiple needles, after RULER: the profile's [multiple_needles] tables give its cells."""

from longctx.protocols.multiple_needles import multiple_needles as test_multiple_needles

__all__ = ["test_multiple_needles"]
