"""Trusted documents in the database: who may read them, and which teams have a live token.

`tests/rest_facade/commands/graphql/test_documents.py` adds, lists and removes them.
"""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, text, update
from sqlalchemy.exc import IntegrityError

from db.admin.graphql.trusted_documents import add_documents, has_live_token, remove_documents
from db.admin.keys import Grant, create_key
from db.errors import OperatorError
from db.reading.transaction import SERVICE_ROLE
from db.tables.keys import api_keys, trusted_documents
from db.values.purpose import Purpose

FIRST, OTHER = (f"sha256:{digit * 64}" for digit in "ab")
APPS, BI = "trusted A", "trusted B"


def test_unknown_document_is_refused(owner: Connection) -> None:
    add_documents(owner, BI, [{"document_id": FIRST, "operation_name": "A", "document": "{ x }"}])
    with pytest.raises(OperatorError, match=f"There is no document {OTHER}; nothing was removed."):
        remove_documents(owner, [FIRST, OTHER])
    with pytest.raises(OperatorError, match=f"{FIRST} of the team {APPS}; nothing"):
        remove_documents(owner, [FIRST], APPS)


@pytest.mark.parametrize("values", [{"team": ""}, {"document_id": "sha256:abc"}, {"document_id": "a" * 64}], ids=str)
def test_table_refuses_malformed_document(values: dict[str, str], owner: Connection) -> None:
    sound = {"team": BI, "document_id": FIRST, "operation_name": "A", "document": "{ x }"}
    with pytest.raises(IntegrityError):
        owner.execute(trusted_documents.insert(), {**sound, **values})


def test_service_reads_and_writer_does_not(owner: Connection) -> None:
    rights = text("SELECT has_table_privilege(:role, 'trusted_documents', :privilege)")
    found = {
        (role, privilege): owner.scalar(rights, {"role": role, "privilege": privilege})
        for role in (SERVICE_ROLE, "orgdata_writer")
        for privilege in ("SELECT", "INSERT", "UPDATE", "DELETE")
    }
    assert [right for right, granted in found.items() if granted] == [(SERVICE_ROLE, "SELECT")]


def test_live_token_is_neither_revoked_nor_expired(owner: Connection) -> None:
    assert not has_live_token(owner, BI)
    create_key(owner, Grant(Purpose.internal, label=BI, expires_at=datetime.now(UTC) + timedelta(days=1)))
    assert has_live_token(owner, BI)
    assert not has_live_token(owner, APPS)
    own = api_keys.c.label == BI
    owner.execute(update(api_keys).where(own).values(revoked_at=datetime.now(UTC)))
    assert not has_live_token(owner, BI)
    expired = datetime.now(UTC) - timedelta(seconds=1)
    owner.execute(update(api_keys).where(own).values(revoked_at=None, expires_at=expired))
    assert not has_live_token(owner, BI)
