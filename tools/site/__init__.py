"""The documentation site: pages from outside docs/, and pages that are made from the code."""
