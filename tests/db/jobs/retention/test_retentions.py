"""Retentions: which days organizations keep, and how operators change them."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text

from db.admin.keys import AccessError, set_organization
from db.jobs.retention.retentions import Retention, read_retentions, set_retention
from tests.factories.rows import Rows


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization(timezone="Asia/Tokyo")


def test_changed_days_are_read_back(owner: Connection, own: UUID) -> None:
    set_retention(owner, own, {"screenshots": 0, "url_usage": 36_500})
    days = {"screenshots": 0, "app_usage": 365, "url_usage": 36_500}
    assert read_retentions(owner, own) == [Retention(own, "Asia/Tokyo", days)]


@pytest.mark.parametrize(("days", "moves"), [({"screenshots": 90}, True), ({"screenshots": 180}, False)])
def test_changed_days_move_updated_at(days: dict[str, int], moves: bool, owner: Connection, own: UUID) -> None:
    read = text("SELECT updated_at FROM organizations WHERE organization_id = :own")
    set_organization(owner, own)
    before = owner.execute(read, {"own": own}).scalar_one()
    set_retention(owner, own, days)
    assert (owner.execute(read, {"own": own}).scalar_one() > before) is moves


def test_all_organizations_are_read(owner: Connection, rows: Rows, own: UUID) -> None:
    others = {rows.organization(status="suspended"), own}
    assert others <= {retention.organization_id for retention in read_retentions(owner)}


def test_unknown_organization_is_refused(owner: Connection) -> None:
    unknown = uuid4()
    with pytest.raises(AccessError, match=f"There is no organization {unknown}."):
        read_retentions(owner, unknown)
    with pytest.raises(AccessError, match=f"There is no organization {unknown}."):
        set_retention(owner, unknown, {"screenshots": 1})
