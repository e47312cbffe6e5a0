"""Durations of a report, in each format that a user of Toggl Track or Clockify can set.

| setting | examples |
|---|---|
| Toggl, improved; Clockify, full | 0:47:06, 00:47:06, 30:00:00 |
| Toggl, classic | 47:06 min, 30 sec |
| Clockify, compact | 0:47 |
| decimal | 0.79, 0.79 h, 0,79 |
"""

import re
from collections.abc import Callable
from typing import NamedTuple


class Duration(NamedTuple):
    """A length of time in seconds. The format cuts or rounds it to a multiple of `unit` seconds."""

    seconds: int
    unit: int


_FORMATS: list[tuple[re.Pattern[str], Callable[..., Duration]]] = [
    (re.compile(pattern, re.ASCII | re.IGNORECASE), read)
    for pattern, read in (
        (r"(\d{1,6}):([0-5]\d):([0-5]\d)", lambda h, m, s: Duration(3600 * h + 60 * m + s, 1)),
        (r"(\d{1,3}):([0-5]\d) min", lambda m, s: Duration(60 * m + s, 1)),
        (r"(\d{1,2}) sec", lambda s: Duration(s, 1)),
        (r"(\d{1,6}):([0-5]\d)", lambda h, m: Duration(3600 * h + 60 * m, 60)),
        (r"(\d{1,6})[.,](\d\d)(?: h)?", lambda h, hundredths: Duration(3600 * h + 36 * hundredths, 36)),
    )
]


def read_duration(text: str) -> Duration:
    """The duration. Raises ValueError with a sentence."""
    if text.startswith("-"):
        raise ValueError("is negative")
    for pattern, read in _FORMATS:
        match = pattern.fullmatch(text)
        if match is not None:
            return read(*map(int, match.groups()))
    raise ValueError("is not a duration such as 1:30:00, 1:30 or 1.50")
