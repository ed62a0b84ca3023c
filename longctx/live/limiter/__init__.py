"""How many requests are sent at once, and when a refused one is sent again."""
