"""The role and the settings that a transaction has behind PgBouncer."""

from uuid import uuid4

from sqlalchemy import String, cast, func, select

from db.reading.database import Database
from db.reading.statement import Statement

SETTINGS = "transaction_read_only timezone statement_timeout jit client_connection_check_interval".split()
SESSION = Statement(
    select(func.current_user()).add_columns(
        *(cast(func.current_setting(name), String).label(name) for name in SETTINGS)
    )
)
UNKNOWN_ORGANIZATION = uuid4()


async def settings_of(database: Database) -> tuple[str, ...]:
    """The role and the settings of a transaction."""
    ((row,),) = await database.read_rows(UNKNOWN_ORGANIZATION, [(SESSION, {})])
    return tuple(row)
