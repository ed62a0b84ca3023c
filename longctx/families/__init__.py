"""The families of longctx, with a folder for each family or group of similar ones.

The registry finds them here: a folder defines FAMILIES, in the order in which tables show them, and its own ORDER.
"""
