"""Hypothesis profiles: `make test` draws the same examples each time, `make fuzz` draws new ones, ten times as many."""

from hypothesis import settings

FIXED, FUZZ = "fixed", "fuzz"
TIMES = 10
DEFAULT_EXAMPLES = 100

settings.register_profile(FIXED, derandomize=True, deadline=None, max_examples=DEFAULT_EXAMPLES, print_blob=True)
settings.register_profile(FUZZ, deadline=None, max_examples=DEFAULT_EXAMPLES * TIMES, print_blob=True)


def examples(count: int) -> int:
    """What a property test gives as `max_examples`: `count` in `make test`, ten times as many in `make fuzz`."""
    return count * TIMES if settings.get_current_profile_name() == FUZZ else count
