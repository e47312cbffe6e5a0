"""Positions in an order: their text, parsing, and refusal of any other text."""

from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import literal, select

from db.reading.database import Database
from db.reading.statement import Statement
from db.tables.columns import bind as value
from db.tables.people import team_members
from db.tables.work import clients
from resolvers.errors import Invalid
from resolvers.lists.orders import Keyset, PageOrder, may_be_null, position_after
from rest_facade.composition import Service
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of
from tests.resolvers.lists.ordered_lists import ordered_document, ordered_lists

ID = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
AT = datetime(2026, 1, 5, 9, 0, 0, 123456, tzinfo=UTC)
ORDER = PageOrder(("created_at", "id"))
COLUMNS = [clients.c.created_at, clients.c.id]
TEXT = f"7,2026-01-05T09:00:00.123456+00:00,{ID}"

totals = st.integers(0, 2**31 - 1)
moments = st.datetimes(timezones=st.just(UTC))


@given(count=totals, at=moments, id_=st.uuids())
def test_position_is_parsed_as_it_was_written(count: int, at: datetime, id_: UUID) -> None:
    order = PageOrder(("joined_at", "user_id"))
    text = position_after(SimpleNamespace(joined_at=at, user_id=id_), order, count)
    position = Keyset.parse(text, order, [team_members.c.joined_at, team_members.c.user_id])
    assert position == Keyset(count, {"after_joined_at": at, "after_user_id": id_})


def test_text_is_total_time_and_id() -> None:
    assert position_after(SimpleNamespace(created_at=AT, id=ID), ORDER, 7) == TEXT
    assert Keyset.parse(TEXT, ORDER, COLUMNS) == Keyset(7, {"after_created_at": AT, "after_id": ID})


AT_NINE = "2026-01-05T09:00:00+00:00"


def test_text_that_is_no_position_is_refused() -> None:
    for text in [
        *("", ",", ",,", "7", f"7,{ID}", f"{TEXT},", f"{TEXT},{ID}", "null", "7,null,null", f"7;{AT_NINE};{ID}"),
        *(
            f"{total},{AT_NINE},{ID}"
            for total in ("", "-1", "+1", "1.0", " 7", "1_0", "\u0667", "9" * 5000, str(2**63))
        ),
        *(f"7,{at},{ID}" for at in ("2026-01-05T09:00:00", "2026-13-05T09:00:00+00:00", "now()", "infinity", "")),
        *(f"7,{AT_NINE},{id_}" for id_ in ("", "x", f"{ID}\0", f"{ID} ")),
        f"7,{ID},{AT_NINE}",
    ]:
        with pytest.raises(Invalid) as caught:
            pytest.fail(f"{text!r} is {Keyset.parse(text, ORDER, COLUMNS)}")
        assert (caught.value.message, caught.value.extensions) == ("Invalid after.", {"code": "VALIDATION_ERROR"})


def test_position_of_another_order_is_refused() -> None:
    with pytest.raises(Invalid):
        Keyset.parse(TEXT, PageOrder(("created_at", "updated_at")), [clients.c.created_at, clients.c.updated_at])


@st.composite
def changed_texts(draw: st.DrawFn) -> str:
    """A position with one changed letter."""
    text = f"{draw(totals)},{draw(moments).isoformat()},{draw(st.uuids())}"
    place = draw(st.integers(0, len(text) - 1))
    letter = draw(st.sampled_from("0123456789abcdefABCDEF,+-:.TZtz{} _\u0660\0"))
    return text[:place] + letter + text[place + 1 :]


@given(st.text() | st.lists(st.text(), min_size=3, max_size=3).map(",".join) | changed_texts() | changed_texts())
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        position = Keyset.parse(text, ORDER, COLUMNS)
    except Invalid:
        return
    row = SimpleNamespace(created_at=position.values["after_created_at"], id=position.values["after_id"])
    assert Keyset.parse(position_after(row, ORDER, position.count), ORDER, COLUMNS) == position


@pytest.mark.parametrize(
    "moment",
    [
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
async def test_parsed_positions_are_valid_for_the_database(database: Database, moment: str) -> None:
    try:
        position = Keyset.parse(f"7,{moment},{ID}", ORDER, COLUMNS)
    except Invalid:
        return
    kind = clients.c.created_at.type
    compared = Statement(select((literal(AT, kind) > value("after_created_at", kind)).label("later")))
    ((row,),) = await database.read_rows(ID, [(compared, position.values)])
    assert row.later is (position.values["after_created_at"] < AT)


def test_times_with_any_offset_are_the_same_time() -> None:
    east = datetime(2026, 1, 5, 14, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert Keyset.parse(f"7,{east.isoformat()},{ID}", ORDER, COLUMNS).values["after_created_at"] == AT


async def test_page_behind_null_is_read_in_each_order(service: Service, rows: Rows) -> None:
    own = rows.organization()
    for name, listing in ordered_lists():
        assert listing.orders is not None
        for order in (f"{name}_desc" for name, column in listing.orders.columns.items() if may_be_null(column)):
            document = ordered_document(name, order, 1, THEN.date(), f"{order}:1,,{ID}")
            assert (await data_of(service.database, own, document))[name]["results"] == [], document
