"""`db/jobs/doctor/new_database.json`: the catalogue that migrations make, with which `orgdata doctor` compares."""

from collections import defaultdict
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import orjson
from sqlalchemy import Connection

from db.admin.engine import connect

FILE = Path(__file__).parents[2] / "db" / "jobs" / "doctor" / "new_database.json"

NOT_CHECKED = ("comment", "replica identity")
"""The kinds that decide nothing, or that logical replication changes."""

Catalogue = Mapping[tuple[str, str], str]
"""The definition of each object of the schema public, by kind and name, such as `teams.set_updated_at`. Those of two
databases are equal if PostgreSQL and the names of the roles are, too."""


def catalogue_of(connection: Connection) -> Catalogue:
    """The catalogue that the transaction sees."""
    query = files("db.jobs.doctor").joinpath("catalogue.sql").read_text()
    found = connection.exec_driver_sql(query, execution_options={"no_parameters": True})
    return {(row.kind, row.name): row.definition for row in found}


def write(url: str) -> None:
    """Write the file from a migrated, empty database."""
    with connect(url).connect() as connection:
        FILE.write_bytes(content(catalogue_of(connection)))


def content(catalogue: Catalogue) -> bytes:
    """What the file should hold: definitions by kind and name, each on a line."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for (kind, name), definition in sorted(catalogue.items()):
        if kind not in NOT_CHECKED:
            found[kind][name] = definition
    return orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
