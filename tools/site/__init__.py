"""Additions to the documentation site: Markdown from outside docs/, and pages generated from the code."""
