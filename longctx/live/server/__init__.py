"""The SDK's clients, and what a server tells of itself and of its models."""
