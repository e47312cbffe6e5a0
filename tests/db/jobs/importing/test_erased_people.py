"""Imports after an erasure: data of an erased person is refused, and other rows are not.

Covers `db/jobs/importing/checks.py`.
"""

from uuid import UUID

import pytest
from sqlalchemy import Connection

from db.jobs.retention.erase import erase
from tests.db.jobs.importing.conftest import Import, Refused, Select

REASON = "is of a person whose data was erased: leave it out"
ADA = {"email": "ada@example.com", "full_name": "Ada Byron"}


@pytest.fixture
def ada(merge: Import, select: Select, owner: Connection, own: UUID) -> str:
    """The id of a person who was imported by e-mail address, and erased."""
    merge(members=[ADA, {"email": "bob@example.com", "full_name": "Bob Carter"}])
    ((user_id,),) = select("user_id FROM members WHERE full_name = 'Ada Byron'")
    with owner.begin():
        erase(owner, own, user_id, list_objects=lambda _: None, force=True)
    return str(user_id)


@pytest.mark.usefixtures("ada")
def test_file_with_the_old_address_is_refused(refused: Refused) -> None:
    assert refused(members=[ADA, {"email": "bob@example.com", "full_name": "Bob Carter"}]) == [
        f'members.csv:2: email "ada@example.com" {REASON}'
    ]


def test_value_of_an_erased_person_is_refused(ada: str, refused: Refused) -> None:
    assert refused(members=[{"user_id": ada, "job_title": "Engineer"}]) == [
        f'members.csv:2: job_title "Engineer" {REASON}'
    ]
    record = {"external_id": "1", "user_id": ada, "clock_in_at": "2026-03-02T09:00:00Z", "clock_in_note": "I am late"}
    assert refused(clock_records=[record])[-1:] == [f'clock_records.csv:2: clock_in_note "I am late" {REASON}']


def test_rows_without_erased_values_are_imported(ada: str, merge: Import) -> None:
    merge(members=[{"user_id": ada, "email": None, "full_name": "Former member", "weekly_limit_seconds": "3600"}])
    sheet = {"user_id": ada, "started_at": "2026-03-02T09:00:00Z", "ended_at": "2026-03-02T10:00:00Z"}
    assert merge(timesheets=[{"external_id": "1", **sheet}]) == {"timesheets": (1, 0, 0)}
