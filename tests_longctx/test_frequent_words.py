"""Frequent words, after RULER: the profile's [frequent_words] tables give its cells."""

from longctx.protocols.frequent_words import frequent_words as test_frequent_words

__all__ = ["test_frequent_words"]
