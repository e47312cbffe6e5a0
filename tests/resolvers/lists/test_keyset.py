"""Keyset positions: their text, parsing, and refusal of any other text."""

from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import literal, select

from db.reading.database import Database
from db.reading.statement import Statement
from db.tables.columns import bind as value
from db.tables.people import members, team_members
from db.tables.work import clients
from resolvers.errors import Invalid
from resolvers.lists.keyset import Keyset
from resolvers.lists.orders import PageOrder

ID = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
AT = datetime(2026, 1, 5, 9, 0, 0, 123456, tzinfo=UTC)
ORDER = PageOrder(("created_at", "id"))
TEXT = f"7,2026-01-05T09:00:00.123456+00:00,{ID}"

totals = st.integers(0, 2**31 - 1)
moments = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("table", "order"),
    [
        (clients, ("created_at", "id")),
        (clients, ("updated_at", "id")),
        (members, ("created_at", "user_id")),
        (team_members, ("joined_at", "id")),
    ],
    ids=str,
)
@given(count=totals, at=moments, id_=st.uuids())
def test_position_is_parsed_as_it_was_written(
    table: Any, order: tuple[str, str], count: int, at: datetime, id_: UUID
) -> None:
    row = SimpleNamespace(**dict(zip(order, (at, id_), strict=True)))
    position = Keyset.of(row, PageOrder(order), count)
    assert position.values == {f"after_{order[0]}": at, f"after_{order[1]}": id_}
    assert Keyset.parse(position.text(), PageOrder(order), table) == position


def test_text_is_total_time_and_id() -> None:
    position = Keyset.of(SimpleNamespace(created_at=AT, id=ID), ORDER, 7)
    assert position.text() == TEXT
    assert Keyset.parse(TEXT, ORDER, clients) == Keyset(7, {"after_created_at": AT, "after_id": ID})


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",",
        ",,",
        "7",
        f"7,{ID}",
        f"{TEXT},",
        f"{TEXT},{ID}",
        f",2026-01-05T09:00:00+00:00,{ID}",
        f"-1,2026-01-05T09:00:00+00:00,{ID}",
        f"+1,2026-01-05T09:00:00+00:00,{ID}",
        f"1.0,2026-01-05T09:00:00+00:00,{ID}",
        f" 7,2026-01-05T09:00:00+00:00,{ID}",
        f"1_0,2026-01-05T09:00:00+00:00,{ID}",
        f"\u0667,2026-01-05T09:00:00+00:00,{ID}",
        f"{'9' * 5000},2026-01-05T09:00:00+00:00,{ID}",
        f"9223372036854775808,2026-01-05T09:00:00+00:00,{ID}",
        f"7,2026-01-05T09:00:00,{ID}",
        f"7,2026-13-05T09:00:00+00:00,{ID}",
        f"7,now(),{ID}",
        f"7,infinity,{ID}",
        f"7,,{ID}",
        f"7,{ID},2026-01-05T09:00:00+00:00",
        "7,2026-01-05T09:00:00+00:00,",
        "7,2026-01-05T09:00:00+00:00,x",
        f"7,2026-01-05T09:00:00+00:00,{ID}\0",
        f"7,2026-01-05T09:00:00+00:00,{ID} ",
        f"7;2026-01-05T09:00:00+00:00;{ID}",
        "null",
        "7,null,null",
    ],
)
def test_text_that_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        Keyset.parse(text, ORDER, clients)
    assert caught.value.message == "Invalid after."
    assert caught.value.extensions == {"code": "VALIDATION_ERROR"}


def test_position_of_another_order_is_refused() -> None:
    with pytest.raises(Invalid):
        Keyset.parse(TEXT, PageOrder(("created_at", "updated_at")), clients)


@given(st.text() | st.lists(st.text(), min_size=3, max_size=3).map(",".join))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        position = Keyset.parse(text, ORDER, clients)
    except Invalid:
        return
    assert Keyset.parse(position.text(), ORDER, clients) == position


@given(count=totals, at=moments, id_=st.uuids(), data=st.data())
def test_text_with_one_changed_letter_is_parsed_or_refused(
    count: int, at: datetime, id_: UUID, data: st.DataObject
) -> None:
    text = f"{count},{at.isoformat()},{id_}"
    place = data.draw(st.integers(0, len(text) - 1))
    changed = (
        text[:place] + data.draw(st.sampled_from("0123456789abcdefABCDEF,+-:.TZtz{} _\u0660\0")) + text[place + 1 :]
    )
    try:
        position = Keyset.parse(changed, ORDER, clients)
    except Invalid:
        return
    assert Keyset.parse(position.text(), ORDER, clients) == position


@pytest.mark.anyio
@pytest.mark.parametrize(
    "moment",
    [
        "2026-01-05T09:00:00.123456+00:00",
        "0001-01-01T00:00:00+00:00",
        "9999-12-31T23:59:59.999999+00:00",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59.999999-23:59",
        "2026-01-05T09:00:00+05:30:15",
        "2026-01-05T09:00:00+05:30:15.000001",
        "20260105T090000Z",
        "2026-W02-1T09+00",
    ],
)
async def test_parsed_positions_are_valid_for_the_database(owner_url: str, moment: str) -> None:
    try:
        position = Keyset.parse(f"7,{moment},{ID}", ORDER, clients)
    except Invalid:
        return
    compared = Statement(
        select(
            (literal(AT, clients.c.created_at.type) > value("after_created_at", clients.c.created_at.type)).label(
                "later"
            )
        )
    )
    database = Database(owner_url)
    await database.open()
    try:
        ((row,),) = await database.read(ID, [(compared, position.values)])
    finally:
        await database.close()
    assert row.later is (position.values["after_created_at"] < AT)


def test_times_with_any_offset_are_the_same_time() -> None:
    east = datetime(2026, 1, 5, 14, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert Keyset.parse(f"7,{east.isoformat()},{ID}", ORDER, clients).values["after_created_at"] == AT
