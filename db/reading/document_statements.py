"""The statement that reads a trusted document of a team."""

from sqlalchemy import select

from db.reading.statement import Statement
from db.tables.keys import DOCUMENT_ID, TEAM, trusted_documents

TRUSTED_DOCUMENT = Statement(
    select(trusted_documents.c.document).where(
        trusted_documents.c.team == TEAM, trusted_documents.c.document_id == DOCUMENT_ID
    )
)
"""No row where the team has no such document, whether or not another team has it."""
