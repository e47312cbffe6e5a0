"""`db/jobs/doctor/new_database.json`: the catalogue that migrations make, with which `orgdata doctor` compares."""

from collections import defaultdict
from pathlib import Path

import orjson

from db.admin.catalogue import Catalogue, catalogue_of
from db.admin.engine import connect

FILE = Path(__file__).parents[2] / "db" / "jobs" / "doctor" / "new_database.json"

NOT_CHECKED = ("comment", "replica identity")
"""The kinds that decide nothing, or that logical replication changes."""


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
