"""The SDK's clients, and a server's description of itself and its models."""
