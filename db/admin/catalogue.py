"""The catalogue of a database: every object that migrations make, with its definition, to compare two databases."""

from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import NamedTuple

from sqlalchemy import Connection


class CatalogueObject(NamedTuple):
    """An object of the schema public, such as the trigger `teams.set_updated_at`."""

    kind: str
    name: str


Catalogue = Mapping[CatalogueObject, str]
"""The definition of each object. Those of two databases are equal if PostgreSQL and the names of the roles are, too."""


def catalogue_of(connection: Connection) -> Catalogue:
    """The catalogue that the transaction sees. Any role may read it."""
    query = files(__package__).joinpath("catalogue.sql").read_text()
    found = connection.exec_driver_sql(query, execution_options={"no_parameters": True})
    return {CatalogueObject(row.kind, row.name): row.definition for row in found}


def differences(expected: Catalogue, found: Catalogue) -> Iterator[str]:
    """A sentence for each object that is missing, is too many, or has another definition."""
    for each in sorted(expected.keys() | found.keys()):
        title = f"The {each.kind} {each.name}"
        if each not in found:
            yield f"{title} is missing: {expected[each]}"
        elif each not in expected:
            yield f"{title} is not expected: {found[each]}"
        elif found[each] != expected[each]:
            yield f"{title} is {found[each]} instead of {expected[each]}"
