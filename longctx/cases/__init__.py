"""What is asked: a case is a cell for one model and prompt set, and a question is one of its trials."""
