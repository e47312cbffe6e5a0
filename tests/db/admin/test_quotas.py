"""Quota overrides that the table refuses. `tests/rest_facade/commands/test_quotas.py` sets, lists and clears them."""

from uuid import UUID

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from db.admin.quotas import set_quota


@pytest.mark.parametrize("limit", [0, -1])
def test_quota_below_one_is_refused(limit: int, owner: Connection, own: UUID) -> None:
    with pytest.raises(IntegrityError):
        set_quota(owner, own, "members", limit)
