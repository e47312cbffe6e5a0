"""Numbers of entries that start together."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from db.jobs.importing.detailed_reports.repeated_starts import RepeatedStarts


@given(st.lists(st.integers(0, 20)))
def test_keys_are_numbered_in_order(keys: list[int]) -> None:
    starts = RepeatedStarts(bits=64)
    for key in keys:
        starts.mark(key)
    seen: Counter[int] = Counter()
    for key in keys:
        assert starts.number(key) == seen[key]
        seen[key] += 1


def test_keys_whose_marks_collide_are_not_numbered() -> None:
    starts = RepeatedStarts(bits=8)
    for key in range(100):
        starts.mark(key)
    assert [starts.number(key) for key in range(100)] == [0] * 100
