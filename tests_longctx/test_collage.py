"""Long-context QA over a randomized collage: the profile's [collage] tables give its cells."""

from longctx.protocols.collage import collage as test_collage

__all__ = ["test_collage"]
