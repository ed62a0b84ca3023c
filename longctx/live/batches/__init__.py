"""Message Batches: one more way to fill the tape, at the price of a batch."""
