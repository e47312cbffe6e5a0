"""Trusted documents: add them to a team, list and remove them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, and_, delete, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert

from db.errors import OperatorError
from db.tables.keys import api_keys, trusted_documents
from db.values.purpose import Purpose


def add_documents(connection: Connection, team: str, documents: Sequence[Mapping[str, str]]) -> set[str]:
    """Store rows of `trusted_documents` for a team, and return the ids of those that it did not have.

    Raises OperatorError.
    """
    if not team.strip():
        raise OperatorError("A document belongs to a team: name it, as the label of its tokens.")
    rows = [{"team": team, **each} for each in documents]
    added = connection.scalars(
        insert(trusted_documents).on_conflict_do_nothing().returning(trusted_documents.c.document_id).values(rows)
    )
    return set(added)


def list_documents(connection: Connection, team: str | None = None) -> list[Any]:
    """Documents by team and name, the oldest of a name first; of one team if given."""
    columns = trusted_documents.c
    query = select(trusted_documents).order_by(
        columns.team, columns.operation_name, columns.created_at, columns.document_id
    )
    if team is not None:
        query = query.where(columns.team == team)
    return list(connection.execute(query))


def remove_documents(connection: Connection, ids: Collection[str], team: str | None = None) -> list[Any]:
    """Delete documents of a team, or of all teams, and return their rows. Raises OperatorError for an unknown id.

    Caches may answer them for up to 120 seconds more.
    """
    statement = delete(trusted_documents).where(trusted_documents.c.document_id.in_(ids))
    if team is not None:
        statement = statement.where(trusted_documents.c.team == team)
    removed = list(connection.execute(statement.returning(trusted_documents)))
    unknown = sorted(set(ids) - {row.document_id for row in removed})
    if unknown:
        of_team = f" of the team {team}" if team is not None else ""
        raise OperatorError(f"There is no document {unknown[0]}{of_team}; nothing was removed.")
    return removed


def has_live_token(connection: Connection, team: str) -> bool:
    """Whether a team has a token that is neither revoked nor expired."""
    columns = api_keys.c
    live = and_(columns.revoked_at.is_(None), or_(columns.expires_at.is_(None), columns.expires_at > func.now()))
    query = exists().where(columns.purpose == Purpose.internal.value, columns.label == team, live)
    return bool(connection.scalar(select(query)))
