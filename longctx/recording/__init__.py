"""The tape: what is asked, and the answers that were recorded, each found by its trial and its request's digest."""
