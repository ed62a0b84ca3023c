"""A person's review of a question file: the decisions, the files they are kept in, and the page they are made on."""
