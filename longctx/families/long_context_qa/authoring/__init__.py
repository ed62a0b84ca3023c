"""Questions of a bank: how a model is asked to write them, and what their controls say they are worth."""
