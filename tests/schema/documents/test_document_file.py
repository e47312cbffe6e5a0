"""Files of documents: operations with their fragments, problems with their lines, and ids of documents.

Covers `schema/documents/document_id.py`.
"""

from uuid import UUID

import pytest
from graphql import parse

from schema.documents.cache import DocumentCache
from schema.documents.document_file import InvalidFile, operations_of
from schema.documents.document_id import document_id, is_document_id

FILE = """\
# The people of an organization.
query Names($limit: Int = 10) { members(limit: $limit) { results { ...Name } } }

query Teams { teams(limit: 5) { results { name members(limit: 5) { results { user { ...Person } } } } } }
fragment Person on Member { ...Name job_title }
fragment Name on Member { full_name }
"""

NAMES = """\
query Names($limit: Int = 10) {
  members(limit: $limit) {
    results {
      ...Name
    }
  }
}

fragment Name on Member {
  full_name
}"""

TOO_MANY_ROWS = (
    "The operation asks for up to 6060 rows; at most 5000 are allowed. members.tasks costs most, up to 6000 rows: ask"
    " for fewer by `limit`, there or in a list around it. With `limit: 50` in each list with more it asks for 2550: see"
    " `details`."
)


def problems_of(text: str) -> list[str]:
    with pytest.raises(InvalidFile) as caught:
        operations_of(text)
    return [str(problem) for problem in caught.value.problems]


def test_operation_has_the_fragments_that_it_uses() -> None:
    names, teams = operations_of(FILE)
    assert (names.name, names.text, names.id) == ("Names", NAMES, document_id(NAMES))
    assert teams.name == "Teams"
    assert "fragment Person on Member" in teams.text
    assert "fragment Name on Member" in teams.text


def test_white_space_and_comments_do_not_change_the_id() -> None:
    compact = "query Names($limit:Int=10){members(limit:$limit){results{...Name}}}fragment Name on Member{full_name}"
    assert operations_of(compact) == operations_of(FILE)[:1]


def test_printed_operation_is_read_again_unchanged() -> None:
    for operation in operations_of(FILE):
        assert operations_of(operation.text) == [operation]
        assert DocumentCache().find(operation.text, operation.name, {}).operation.name == operation.name


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("query A {", ["1:10: Syntax Error: Expected Name, found <EOF>."]),
        ("fragment Name on Member { full_name }", ["1:1: The file has no operation."]),
        ("query A { teams { count } }\nfragment Name on Member { full_name }", ["2:1: Fragment 'Name' is never used."]),
        ("\n{ organization { name } }", ["2:1: Give the operation a name: clients look its id up by the name."]),
        (
            "query A { organization { nam } }\nquery B {\n  x\n}",
            [
                "1:26: Cannot query field 'nam' on type 'Organization'. Did you mean 'name'?",
                "3:3: Cannot query field 'x' on type 'Query'.",
            ],
        ),
        (
            "query A { organization { name } }\nquery A { teams { count } }",
            ["1:7: There can be only one operation named 'A'."],
        ),
        (
            "query B { teams { count } }\n\nquery A { members(limit: 60) { results { tasks(limit: 101) { next } } } }",
            [f"3:1: {TOO_MANY_ROWS}", "3:55: limit must be from 1 to 100."],
        ),
    ],
)
def test_problem_has_its_line(text: str, problems: list[str]) -> None:
    assert problems_of(text) == problems


def test_long_operation_is_refused() -> None:
    fields = " ".join(["name"] * 1_000)
    message = "1:1: The operation has more than 1,000 tokens with the fragments that it uses: ask in two operations."
    assert problems_of(f"query A {{ organization {{ {fields} }} }}") == [message]
    # The limit is that of an operation, not of a file.
    half = " ".join(f'"{UUID(int=number)}"' for number in range(600))
    long = "\n".join(f"query {name}($ids: [UUID!] = [{half}]) {{ members(id: $ids) {{ count }} }}" for name in "AB")
    assert len(operations_of(long)) == 2


def test_deep_nesting_is_refused() -> None:
    (problem,) = problems_of("query A " + "{ a " * 20_000 + "}" * 20_000)
    assert problem.endswith("Syntax Error: Document is nested too deeply. Parsing aborted.")
    chain = " ".join(f"fragment F{number} on Team {{ ...F{number + 1} }}" for number in range(3_000))
    assert problems_of(f"query A {{ teams {{ results {{ ...F0 }} }} }} {chain}") == [
        "1:1: The file is nested too deeply."
    ]


def test_fragments_that_refer_to_each_other_are_refused() -> None:
    cycle = "fragment A on Team { ...B } fragment B on Team { ...A } query C { teams { results { ...A } } }"
    assert parse(cycle)
    assert problems_of(cycle) == ["1:22: Cannot spread fragment 'A' within itself via 'B'."]


# The examples of GraphQL over HTTP, appendix "Persisted Documents".
QUERY = "query ($id: ID!) {\n  user(id: $id) {\n    name\n  }\n}"
ID = "sha256:7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6e"


def test_id_is_that_of_the_specification() -> None:
    assert document_id(QUERY) == ID
    other = "sha256:71f7dc5758652baac68e4a10c50be732b741c892ade2883a99358f52b555286b"
    assert document_id("query($id:ID!){user(id:$id){name}}") == other


def test_text_is_hashed_in_utf_8() -> None:
    assert document_id("{ ä }") == "sha256:9c211dc5e4588ab5e9a60b789be050b384f7d12358ca9ba671572614bb76b591"


@pytest.mark.parametrize(
    "text", ["", "sha256:", ID[7:], ID.upper(), ID[:-1], ID + "0", ID + "\n", ID.replace("sha256", "md5"), "x" + ID]
)
def test_other_text_is_no_id(text: str) -> None:
    assert is_document_id(ID)
    assert not is_document_id(text)
