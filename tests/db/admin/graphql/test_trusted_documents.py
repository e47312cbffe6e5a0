"""Trusted documents in the database: added to a team once, listed, removed all or none."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, text, update
from sqlalchemy.exc import IntegrityError

from db.admin.graphql.trusted_documents import (
    DocumentError,
    TrustedDocument,
    add_documents,
    has_live_token,
    list_documents,
    remove_documents,
)
from db.admin.keys import Grant, create_key
from db.reading.transaction import SERVICE_ROLE
from db.tables.keys import api_keys, trusted_documents
from db.values.purpose import Purpose

FIRST, SECOND, THIRD = (
    TrustedDocument(f"sha256:{digit * 64}", name, "{ x }") for digit, name in zip("abc", "XYZ", strict=True)
)
APPS, BI = "trusted A", "trusted B"


def ids(owner: Connection, team: str | None = None) -> list[tuple[str, str]]:
    """Team and id of the listed documents of this module."""
    rows = list_documents(owner, team)
    return [(row.team, row.document_id) for row in rows if row.team in (BI, APPS)]


def test_document_is_added_to_a_team_once(owner: Connection) -> None:
    assert add_documents(owner, BI, [FIRST]) == {FIRST.document_id}
    assert add_documents(owner, BI, [FIRST, SECOND]) == {SECOND.document_id}
    assert add_documents(owner, APPS, [FIRST]) == {FIRST.document_id}
    assert ids(owner) == [(APPS, FIRST.document_id), (BI, FIRST.document_id), (BI, SECOND.document_id)]
    assert ids(owner, BI) == [(BI, FIRST.document_id), (BI, SECOND.document_id)]


@pytest.mark.parametrize("team", ["", " "])
def test_team_without_name_is_refused(team: str, owner: Connection) -> None:
    with pytest.raises(DocumentError, match="A document belongs to a team"):
        add_documents(owner, team, [FIRST])


def test_documents_of_one_team_are_removed(owner: Connection) -> None:
    for team in (BI, APPS):
        add_documents(owner, team, [FIRST, SECOND])
    assert [row.team for row in remove_documents(owner, [FIRST.document_id], BI)] == [BI]
    assert len(remove_documents(owner, [SECOND.document_id])) == 2
    assert ids(owner) == [(APPS, FIRST.document_id)]


def test_unknown_document_is_refused(owner: Connection) -> None:
    add_documents(owner, BI, [FIRST])
    with pytest.raises(DocumentError, match=f"There is no document {THIRD.document_id}; nothing was removed."):
        remove_documents(owner, [FIRST.document_id, THIRD.document_id])
    with pytest.raises(DocumentError, match=f"{FIRST.document_id} of the team {APPS}; nothing"):
        remove_documents(owner, [FIRST.document_id], APPS)


@pytest.mark.parametrize("values", [{"team": ""}, {"document_id": "sha256:abc"}, {"document_id": "a" * 64}], ids=str)
def test_table_refuses_malformed_document(values: dict[str, str], owner: Connection) -> None:
    sound = {"team": BI, "document_id": FIRST.document_id, "operation_name": "A", "document": "{ x }"}
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
