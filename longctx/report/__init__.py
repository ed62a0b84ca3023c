"""Reports for people and programs: text, tables, charts and the page. What they show is computed elsewhere."""
