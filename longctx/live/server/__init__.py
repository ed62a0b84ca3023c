"""What a model server tells of itself and of its models, and the SDK's clients that ask it."""
