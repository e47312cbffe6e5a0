"""Hypothesis profiles: `make test` draws the same examples each time, `make fuzz` draws new ones, ten times as many.

At other dates (`tests/dates`) few are drawn, since a date matters to each example alike.
"""

from hypothesis import settings

FIXED, FUZZ, FEW = "fixed", "fuzz", "few"
TIMES = 10
DEFAULT_EXAMPLES = 50
FEW_EXAMPLES = 5

settings.register_profile(FIXED, derandomize=True, deadline=None, max_examples=DEFAULT_EXAMPLES, print_blob=True)
settings.register_profile(FUZZ, deadline=None, max_examples=DEFAULT_EXAMPLES * TIMES, print_blob=True)
settings.register_profile(FEW, derandomize=True, deadline=None, max_examples=FEW_EXAMPLES, print_blob=True)


def examples(count: int) -> int:
    """What a property test gives as `max_examples`: `count` in `make test`, ten times as many in `make fuzz`."""
    profile = settings.get_current_profile_name()
    return min(count, FEW_EXAMPLES) if profile == FEW else count * TIMES if profile == FUZZ else count
