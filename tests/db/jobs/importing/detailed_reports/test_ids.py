"""Ids of imported rows."""

from datetime import UTC, datetime, timedelta
from uuid import RFC_4122, UUID

from db.jobs.importing.detailed_reports.ids import EntryIds, new_id

MOMENT = datetime(2026, 3, 2, 8, tzinfo=UTC)
DAY = timedelta(days=1)
ORGANIZATION, ANN, BOB = UUID(int=1), UUID(int=2), UUID(int=3)
IDS = EntryIds(ORGANIZATION, "toggl", "timesheets")


def test_id_of_an_entry_has_time_version_and_hash() -> None:
    id = IDS.id(ANN, MOMENT, 0, MOMENT)
    assert (id.version, id.variant) == (7, RFC_4122)
    assert id.int >> 80 == MOMENT.timestamp() * 1000
    assert id == UUID("019cad8f-ac00-7b92-b83d-ab64b9e399b7")


def test_everything_that_identifies_an_entry_changes_its_id() -> None:
    ids = [
        IDS.id(ANN, MOMENT, 0, MOMENT),
        IDS.id(BOB, MOMENT, 0, MOMENT),
        IDS.id(ANN, MOMENT + DAY, 0, MOMENT + DAY),
        IDS.id(ANN, MOMENT, 1, MOMENT),
        IDS.id(ANN, MOMENT, 0, MOMENT + DAY),
        EntryIds(ORGANIZATION, "clockify", "timesheets").id(ANN, MOMENT, 0, MOMENT),
        EntryIds(ORGANIZATION, "toggl", "break_times").id(ANN, MOMENT, 0, MOMENT),
        EntryIds(BOB, "toggl", "timesheets").id(ANN, MOMENT, 0, MOMENT),
    ]
    assert len({*ids, *(UUID(int=id.int & (1 << 80) - 1) for id in ids)}) == 15


def test_stored_ids_of_a_time_tracker_are_told() -> None:
    begin = MOMENT + 3 * DAY
    assert IDS.has(IDS.id(ANN, MOMENT, 2, begin), ANN, begin)
    assert not IDS.has(IDS.id(ANN, MOMENT, 2, begin), BOB, begin)
    assert not IDS.has(EntryIds(ORGANIZATION, "clockify", "timesheets").id(ANN, MOMENT, 2, begin), ANN, begin)
    assert not IDS.has(new_id(), ANN, begin)


def test_new_ids_differ() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert {id.version for id in ids} == {7}
