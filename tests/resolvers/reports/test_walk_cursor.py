"""Cursors of a walk: what they carry, and texts that are none."""

from datetime import UTC, date, datetime
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolvers.errors import Invalid
from resolvers.period import Period
from resolvers.reports.walk_cursor import arguments_of_walk, cursor_text

ID = UUID("0198c5a4-7a1b-7c2d-8e3f-0123456789ab")
SINCE = datetime(2026, 1, 5, 9, 0, 0, 1, UTC)
PERIOD = Period("Europe/Berlin", date(2026, 1, 5), date(2026, 1, 6))
ABSENT = {"start_date": None, "end_date": None, "timezone": None, "user_id": None, "team_id": None}
FIRST = {**ABSENT, "limit": 10, "team_id": ID, "updated_since": SINCE}
CURSOR = cursor_text(FIRST, PERIOD, "5,position")
DAYS = {"start_date": date(2026, 1, 5), "end_date": date(2026, 1, 6), "timezone": "Europe/Berlin"}
WALK = DAYS | {"team_id": ID, "updated_since": SINCE}


def test_first_request_has_no_position() -> None:
    assert arguments_of_walk(FIRST, None) == FIRST | {"after": None}


@pytest.mark.parametrize("beside", [{}, FIRST, WALK], ids=["alone", "as at first", "with all it carries"])
def test_cursor_carries_arguments_of_first_request(beside: dict[str, object]) -> None:
    assert arguments_of_walk({**beside, "limit": 3}, CURSOR) == {**beside, **WALK, "limit": 3, "after": "5,position"}


@given(
    st.text()
    | st.sampled_from(
        [
            *("", "5,position", "[]", "null", "1", "{}", '{"after":null}', '{"after":""}', '{"after":5}'),
            *('{"after":"x","start_date":"2026-1-5"}', '{"after":"x","user_id":5}', '{"after":"x","user_id":"x"}'),
            *('{"after":"x","timezone":"../UTC"}', '{"after":"x","updated_since":"2026-01-05T09:00:00"}'),
            *('{"after":"x","updated_since":"now"}', '{"after":"x","page":"1"}', '{"after":"x","end_date":null}'),
        ]
    )
)
@settings(deadline=None)
def test_other_text_is_no_cursor(text: str) -> None:
    with pytest.raises(Invalid, match="Invalid cursor"):
        arguments_of_walk({}, text)
