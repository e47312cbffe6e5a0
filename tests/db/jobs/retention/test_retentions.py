"""Retentions: which days organizations keep, and how operators change them."""

from uuid import UUID

import pytest
from sqlalchemy import Connection, text

from db.admin.keys import set_organization
from db.jobs.retention.retentions import read_retentions, set_retention
from tests.factories.rows import Rows


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization(timezone="Asia/Tokyo")


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
