"""What a protocol reports of a run: views, tables, charts, findings and entries, made of its Report."""
