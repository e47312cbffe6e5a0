"""Page of the organizations that an internal token may read, by name.

Row-level security shows the service one organization at a time. The function `organizations_of_token` runs as the owner
of the tables, and returns the names of those that the token covers (`db/admin/functions.sql`).
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Integer, Text, Uuid, func, select
from sqlalchemy import column as result_column

from db.reading.connection import Row
from db.reading.database import Database
from db.reading.statement import Statement
from db.tables.columns import bind
from db.tables.keys import PUBLIC_ID

_listed = func.organizations_of_token(
    PUBLIC_ID, bind("search", Text()), bind("after", Uuid()), bind("page_size", Integer())
).table_valued(
    result_column("organization_id", Uuid),
    result_column("name", Text),
    result_column("status", Text),
    result_column("total", Integer),
)

LISTED_ORGANIZATIONS = Statement(select(_listed))


class OrganizationPage(NamedTuple):
    """Rows of organizations in the order of their names, and how many there are on all pages.

    None is deleted; `status` is `active` or `suspended`.
    """

    organizations: Sequence[Row]
    total: int
    has_next: bool


async def list_organizations_of(
    database: Database, public_id: str, *, search: str | None, after: UUID | None, size: int
) -> OrganizationPage:
    """The page of a token that follows the organization `after`. `search`: part of a name, or an id.

    Raises what `Database.read_key` raises; psycopg.errors.UndefinedFunction if `orgdata migrate` has not run.
    """
    values = {"search": search, "after": after, "page_size": size + 1}
    (rows,) = await database.read_key(public_id, [LISTED_ORGANIZATIONS], values)
    return OrganizationPage(rows[:size], rows[0].total if rows else 0, len(rows) > size)
