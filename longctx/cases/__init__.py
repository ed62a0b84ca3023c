"""What is asked: a case is a scenario for one model and prompt set, and a question is one of its trials."""
