"""The protocols that ship: one module each, a test function with its axes, its source and what it reports.

`tests_longctx/test_NAME.py` collects each. Installed packages add theirs as entry points of the group
`longctx.protocols`.
"""

ORDER = (
    *("line_retrieval", "passkey", "collage", "control", "coreference"),
    *("variable_tracking", "multiple_needles", "frequent_words", "graph_walks"),
    *("latest_value", "abstention", "aggregation", "short_answers"),
)
"""The order of tables and reports."""
