"""The families of longctx: a folder each, or one for several that are alike.

The registry finds them here: a folder says FAMILIES, in the order of all tables, and its ORDER among the folders.
"""
