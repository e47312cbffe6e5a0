"""Databases of earlier versions, with rows in every table, made from the statements that those versions ran.

`predecessors.tar.xz` has a file of SQL for each form that a database had: the statements of `orgdata migrate` of that
commit, as they were sent, and the rows of a world. A dump of the schema would not do: PostgreSQL prints expressions in
other words than those it got, so that an index or a constraint would differ after it was restored.
"""

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg import sql

from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server

FILE = Path(__file__).with_name("predecessors.tar.xz")

FORMS = "0024_of_c20d811 0025_of_ded4f09b 0025_of_ddfcc3d5 0025_of_df3a349f 0025_of_b9e970bd 0025_of_066b7554".split()
"""Revision and commit of each form that landed."""


@contextmanager
def predecessor(server: Server, form: str) -> Iterator[str]:
    """The owner's URL of a database of this form. Its roles exist already."""
    with tarfile.open(FILE) as forms:
        statements = forms.extractfile(f"{form}.sql")
        assert statements
        commands = statements.read()
    name = f"{form}_{uuid4().hex[:8]}"
    url = ensure_database(server, name)
    with psycopg.connect(server.url("postgres", name)) as connection:
        connection.execute(commands)
    yield url
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
