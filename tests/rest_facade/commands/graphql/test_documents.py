"""`orgdata documents`: add, list, check and remove; and tokens that are limited to documents."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import update

from db.admin.engine import connect
from db.tables.keys import trusted_documents
from tests.rest_facade.commands.conftest import CommandResult, Run, assert_refused, succeed

PEOPLE = """\
query Names { members(limit: 10) { results { ...Name } } }
query Teams { teams(limit: 5) { results { name } } }
fragment Name on Member { full_name }
"""
ID = re.compile(r"sha256:[0-9a-f]{64}")


@pytest.fixture
def documents(run: Run, own_url: str) -> Run:
    """`documents("list")` runs `orgdata documents` on a database of its own."""
    return partial(run, "documents", url=own_url)


@pytest.fixture
def people(folder: Path) -> Path:
    file = folder / "people.graphql"
    file.write_text(PEOPLE)
    return file


def test_documents_are_added_once_and_listed(run: Run, documents: Run, own_url: str, people: Path) -> None:
    added = documents("add", "people.graphql", "--team", "BI")
    sentence = "orgdata: No live token has the label BI, so that no client can ask for them yet.\n"
    assert (added.code, added.err) == (0, sentence)
    (state, names, name), (_, teams, other) = (line.split("\t") for line in added.out.splitlines())
    assert (state, name, other) == ("new", "Names", "Teams")
    assert ID.fullmatch(names)
    assert run("keys", "create", "--purpose", "internal", "--label", "BI", url=own_url).code == 0
    people.write_text(PEOPLE + "query Count { members { count } }")
    again = succeed(documents("add", "people.graphql", "--team", "BI"))
    assert [line.split("\t")[::2] for line in again.splitlines()] == [
        ["known", "Names"],
        ["known", "Teams"],
        ["new", "Count"],
    ]
    documents("add", "people.graphql", "--team", "Apps")
    listed = [line.split("\t") for line in documents("list").out.splitlines()]
    assert [(row[1], row[2]) for row in listed] == [
        (team, name) for team in ("Apps", "BI") for name in ("Count", "Names", "Teams")
    ]
    own = [line.split("\t") for line in documents("list", "--team", "BI").out.splitlines()]
    assert own[1][:3] == [names, "BI", "Names"]
    assert re.fullmatch(r"added \d{4}-\d\d-\d\d \d\d:\d\dZ", own[1][3])
    assert own[2][0] == teams
    assert {row[4] for row in listed} == {"valid"}


def test_manifest_has_ids_by_name(documents: Run, people: Path, folder: Path) -> None:
    (folder / "work.graphql").write_text("\ufeffquery Projects { projects { count } }")
    manifest = json.loads(documents("add", "people.graphql", "work.graphql", "--team", "BI", "--json").out)
    assert list(manifest) == ["Names", "Teams", "Projects"]
    listed = [line.split("\t") for line in documents("list").out.splitlines()]
    assert {row[2]: row[0] for row in listed} == manifest


def test_problems_have_file_and_line_and_nothing_is_added(documents: Run, people: Path, folder: Path) -> None:
    (folder / "wrong.graphql").write_text(
        "query Good { teams { count } }\n"
        "query Large { members(limit: 100) { results { tasks(limit: 100) { next } } } }\n"
    )
    (folder / "typo.graphql").write_text("query Typo {\n  teams { cuont }\n}\n")
    (folder / "bytes.graphql").write_bytes(b"query \xff")
    (folder / "double.graphql").write_text("query Names { teams { count } }")
    files = ("people.graphql", "wrong.graphql", "typo.graphql", "bytes.graphql", "double.graphql")
    assert_refused(
        documents("add", *files, "--team", "BI"),
        "Nothing was added.\n"
        "wrong.graphql:2:1: The operation asks for up to 10100 rows; at most 5000 are allowed. members.tasks costs"
        " most, up to 10000 rows: ask for fewer by `limit`, there or in a list around it."
        " With `limit: 50` in each list with more it asks for 2550: see `details`.\n"
        "typo.graphql:2:11: Cannot query field 'cuont' on type 'TeamPage'. Did you mean 'count'?\n"
        "bytes.graphql: The file is not UTF-8 text.\n"
        "double.graphql: people.graphql has an operation Names, too; ids are listed by name.",
    )
    assert documents("list") == CommandResult(0, "", "")


def test_empty_team_is_refused(documents: Run, people: Path) -> None:
    sentence = "A document belongs to a team: name it, as the label of its tokens."
    assert_refused(documents("add", "people.graphql", "--team", ""), sentence)


def test_document_that_became_invalid_is_marked(documents: Run, people: Path, own_url: str) -> None:
    added = documents("add", "people.graphql", "--team", "BI").out.splitlines()
    assert documents("check") == CommandResult(0, "2 documents are valid.\n", "")
    with connect(own_url).begin() as owner:
        former = "query Names { members(limit: 10) { results { nickname } } }"
        names = trusted_documents.c.operation_name == "Names"
        owner.execute(update(trusted_documents).where(names).values(document=former))
    assert [line.rpartition("\t")[2] for line in documents("list").out.splitlines()] == ["invalid", "valid"]
    id_ = added[0].split("\t")[1]
    assert documents("check") == CommandResult(
        1,
        f"{id_}\tBI\tNames\tCannot query field 'nickname' on type 'Member'.\n",
        "orgdata: 1 of 2 documents are not valid: calls for them get these errors.\n",
    )
    assert documents("check", "--team", "Apps") == CommandResult(0, "0 documents are valid.\n", "")


def test_documents_are_removed_all_or_none(documents: Run, people: Path) -> None:
    for team in ("BI", "Apps"):
        documents("add", "people.graphql", "--team", team)
    names, teams = (line.split("\t")[0] for line in documents("list", "--team", "BI").out.splitlines())
    absent = "sha256:" + "0" * 64
    assert_refused(documents("remove", names, absent), f"There is no document {absent}; nothing was removed.")
    assert_refused(
        documents("remove", names, "Names"),
        "Names is not an id: ids are sha256: and 64 hexadecimal digits in lower case.",
    )
    assert documents("remove", names, "--team", "BI") == CommandResult(0, f"{names}\tBI\tNames\n", "")
    assert len(documents("remove", teams).out.splitlines()) == 2
    assert [line.split("\t")[:3] for line in documents("list").out.splitlines()] == [[names, "Apps", "Names"]]


def test_limited_token_is_listed_and_rotated(run: Run, own_url: str) -> None:
    keys = partial(run, "keys", url=own_url)
    limited = ("create", "--purpose", "internal", "--trusted-documents-only")
    assert keys(*limited, "--label", "BI").code == 0
    (public_id, _, _, scopes, *_) = keys("list").out.split("\t")
    assert scopes == "trusted documents only"
    assert keys("rotate", public_id).code == 0
    assert [line.split("\t")[3:5] for line in keys("list").out.splitlines()][1] == ["trusted documents only", "live"]
