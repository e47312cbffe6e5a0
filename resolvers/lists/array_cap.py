"""Cap on the rows of an array. An array has no pages: it is answered whole, or refused (spec, details shape)."""

from resolvers.errors import Invalid

MAX_ARRAY_ROWS = 10_000


def too_many(count: int, noun: str, remedy: str = "") -> Invalid:
    """The refusal of an array of `count` rows."""
    message = f"User has {count} {noun}; maximum is {MAX_ARRAY_ROWS}. {remedy}".rstrip()
    return Invalid(message, {"log_count": count, "log_cap": MAX_ARRAY_ROWS})
