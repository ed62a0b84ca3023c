"""The project in this folder needs products that the tests do not install: .ci/products runs it."""

collect_ignore = ["project"]
