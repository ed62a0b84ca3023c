"""A user's mistake: one sentence that says what is wrong, where, and what to do."""


class UserError(Exception):
    """Shown as its sentence alone, without a traceback."""


class TapeError(UserError):
    """A cassette that cannot be read."""
