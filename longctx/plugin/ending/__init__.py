"""The end of a run: its report, its verdict, and what the terminal shows of them."""
