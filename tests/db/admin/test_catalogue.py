"""The catalogue of a new database is the file with which `orgdata doctor` compares; differences are named."""

from db.admin.catalogue import CatalogueObject, catalogue_of, differences
from db.admin.engine import connect
from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server
from tests.generate import new_database


def test_file_of_a_new_database_is_current(server: Server, template: str) -> None:
    with connect(server.url(OWNER, template)).connect() as connection:
        found = new_database.content(catalogue_of(connection))
    assert found == new_database.FILE.read_bytes(), f"{new_database.FILE.name} is out of date: run make generated"


def test_difference_names_both_definitions() -> None:
    first, second, third = (CatalogueObject("index", name) for name in ("first", "second", "third"))
    assert list(differences({first: "one", second: "two"}, {second: "other", third: "three"})) == [
        "The index first is missing: one",
        "The index second is other instead of two",
        "The index third is not expected: three",
    ]
