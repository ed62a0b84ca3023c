"""Passkey retrieval: the profile's [passkey] tables give its cells."""

from longctx.protocols.passkey import passkey as test_passkey

__all__ = ["test_passkey"]
