"""Multi-round coreference, after MRCR: the profile's [coreference] tables give its cells."""

from longctx.protocols.coreference import coreference as test_coreference

__all__ = ["test_coreference"]
