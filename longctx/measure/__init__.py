"""Numbers from rows: rates, k_max, the minimum rate. Pure: a table of rows in, numbers out."""
