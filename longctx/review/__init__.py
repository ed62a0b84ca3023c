"""A person's review of a question file: the decisions, the files that keep them, and the page to make them on."""
