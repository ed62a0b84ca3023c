"""The tape: the questions, and their recorded answers, which are found by trial and by the request's digest."""
