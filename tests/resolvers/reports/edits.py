"""An organization whose rows a test edits with SQL, as a writer does."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import text

from tests.factories.base import set_row_organization
from tests.factories.rows import Rows


@dataclass
class EditedOrganization:
    """An organization, a partner key of it, and the ids of its rows by name, which are the parameters of an edit."""

    ids: dict[str, UUID]
    key: str
    rows: Rows

    def edit(self, statement: str) -> None:
        """Execute a statement that changes one row."""
        connection = self.rows.connection
        with connection.begin():
            set_row_organization(connection, self.ids["own"])
            assert connection.execute(text(statement), self.ids).rowcount == 1, statement

    def now(self) -> datetime:
        """The time of the database."""
        with self.rows.connection.begin():
            moment: datetime = self.rows.connection.execute(text("SELECT clock_timestamp()")).scalar_one()
        return moment
