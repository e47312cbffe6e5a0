"""The clock of rate counters in tests: a window of 60 seconds, half over."""

import pytest

START, END = 1_800_000_030, 1_800_000_060
"""The middle and the end of a window of 60 seconds."""


class Clock:
    """A clock that only a test moves."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def freeze(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock for counters, so that no window ends during a test. It is their monotonic clock, too."""
    clock = Clock()
    monkeypatch.setattr("rest_facade.access.rate_counter.monotonic", clock)
    return clock
