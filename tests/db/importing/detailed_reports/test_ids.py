"""Ids of imported rows."""

from datetime import UTC, datetime
from uuid import RFC_4122

from db.importing.detailed_reports.ids import new_id, stable_id

MOMENT = datetime(2026, 3, 2, 8, tzinfo=UTC)


def test_stable_id_has_time_version_and_hash() -> None:
    id = stable_id(MOMENT, "a", 1)
    assert (id.version, id.variant) == (7, RFC_4122)
    assert id.int >> 80 == MOMENT.timestamp() * 1000
    assert id == stable_id(MOMENT, "a", 1)
    assert len({id, stable_id(MOMENT, "a1"), stable_id(MOMENT, "a", 2), stable_id(MOMENT, "a", 1, "")}) == 4


def test_new_ids_differ() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert {id.version for id in ids} == {7}
