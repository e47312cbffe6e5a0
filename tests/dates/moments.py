"""Moments at which the suite is run: hours of a week, ends of months and years, changes of clocks."""

from datetime import UTC, datetime

MOMENTS = tuple(
    datetime.fromisoformat(text).replace(tzinfo=UTC)
    for text in (
        # An ordinary week; Berlin is two hours ahead.
        *("2027-06-07T00:20", "2027-06-08T12:00", "2027-06-09T17:30", "2027-06-10T23:40"),
        *("2027-06-11T00:20", "2027-06-12T12:00", "2027-06-13T23:40"),
        # Monday and Sunday of the ISO week 53 of 2026.
        *("2026-12-28T09:00", "2027-01-03T21:00"),
        # Ends of a year, of months, and of a half year in Berlin only.
        *("2027-12-31T23:10", "2028-01-01T00:10", "2027-03-01T00:10", "2028-02-28T23:40", "2028-02-29T12:00"),
        "2027-06-30T22:30",
        # Changes of clocks. Berlin: before, in and after the hour; New York; Sydney.
        *("2027-03-28T00:40", "2027-03-28T01:20", "2027-03-28T12:00"),
        *("2027-10-30T23:30", "2027-10-31T01:30", "2027-10-31T02:30"),
        *("2027-03-14T07:30", "2027-11-07T06:30", "2027-04-03T16:30"),
        # Some years later.
        "2030-05-15T08:00",
    )
)
