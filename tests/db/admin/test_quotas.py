"""Quota overrides: setting, listing and clearing them."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from db.admin.keys import AccessError
from db.admin.quotas import clear_quotas, list_quotas, set_quota
from tests.factories.rows import Rows


def test_quota_is_set_changed_and_cleared(owner: Connection, own: UUID, rows: Rows) -> None:
    other = rows.organization()
    set_quota(owner, own, "members", 100)
    set_quota(owner, own, "", 60)
    set_quota(owner, own, "members", 200)
    set_quota(owner, other, "members", 5)
    assert [tuple(row) for row in list_quotas(owner, own)] == [(own, "", 60), (own, "members", 200)]
    assert {(own, "members", 200), (other, "members", 5)} <= {tuple(row) for row in list_quotas(owner)}
    assert clear_quotas(owner, own, "tasks") == 0
    assert clear_quotas(owner, own, "members") == 1
    assert [tuple(row) for row in list_quotas(owner, own)] == [(own, "", 60)]
    assert clear_quotas(owner, own, "") == 1
    set_quota(owner, own, "a", 1)
    set_quota(owner, own, "b", 1)
    assert clear_quotas(owner, own) == 2
    assert [tuple(row) for row in list_quotas(owner, other)] == [(other, "members", 5)]


def test_quota_of_unknown_organization_is_refused(owner: Connection) -> None:
    with pytest.raises(AccessError, match=r"^There is no organization "):
        set_quota(owner, uuid4(), "members", 1)


@pytest.mark.parametrize("limit", [0, -1])
def test_quota_below_one_is_refused(limit: int, owner: Connection, own: UUID) -> None:
    with pytest.raises(IntegrityError):
        set_quota(owner, own, "members", limit)
