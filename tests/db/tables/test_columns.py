"""Declaration of tables: text in rows of a person says what erasure does to it; values have descriptions.

Covers `db/tables/columns.py`.
"""

from collections.abc import Iterator
from typing import get_args

import orjson
import pytest
from sqlalchemy import Column, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.types import TypeEngine

from db.tables import columns as module
from db.tables.areas import metadata
from db.tables.belonging import of_people
from db.tables.columns import erased, erased_object, foreign_key, kept, mention_column, person_column, tenant_table


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    if "remarks" in metadata.tables:
        metadata.remove(metadata.tables["remarks"])


def declare(*columns: Column[object]) -> None:
    tenant_table("remarks", "A remark.", person_column("Id of the person.", "records", is_named=False), *columns)


@pytest.mark.parametrize("type_", [Text(), JSONB(), ARRAY(Text)])
def test_text_of_a_person_without_erasure_is_refused(type_: TypeEngine[object]) -> None:
    with pytest.raises(ValueError, match=r"remarks\.body is text in a row of a person: say whether it is kept or "):
        declare(Column("body", type_, comment="A text."))


def test_text_without_person_needs_no_erasure() -> None:
    tenant_table("remarks", "A remark.", Column("body", Text, comment="A text."))


def test_erasure_by_a_column_without_member_is_refused() -> None:
    with pytest.raises(ValueError, match=r"remarks\.body is erased by author_id, which references no member"):
        declare(erased(Column("body", Text, comment="A text."), "user_id", "author_id"))


@pytest.mark.parametrize(
    ("column", "comment"),
    [
        (kept(Column("a", Text, comment="A text.")), "A text.\nErasure keeps it."),
        (erased(Column("a", Text, comment="A text.")), "A text.\nErasure makes it null."),
        (erased(Column("a", Text, comment="A text."), to="none"), "A text.\nErasure makes it `none`."),
        (
            module.erased_mention(Column("a", Text, comment="A text.")),
            "A text.\nErasure replaces the person's name and e-mail address in it by `Former member`.",
        ),
        (
            erased_object(Column("a", Text, comment="A text.")),
            "A text.\nErasure lists it for deletion, and makes it null.",
        ),
    ],
)
def test_comment_says_what_erasure_does(column: Column[object], comment: str) -> None:
    assert column.comment == comment


def test_names_that_people_use_are_erased() -> None:
    """They are in tables without a person, so that the declaration cannot require it."""
    erasures = {
        f"{table.name}.{column.name}": erasure.used_in
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(erasure := column.info.get("erasure"), module.Erasure) and erasure.used_in is not None
    }
    assert erasures == {
        "apps.name": "app_usages.app_id",
        "domains.name": "url_usages.domain_id",
        "url_pages.url": "url_usages.page_id",
        "url_pages.title": "url_usages.page_id",
    }


def test_first_line_of_a_comment_describes_the_column() -> None:
    table = tenant_table("remarks", "A remark.", Column("size", Text, comment="Its size.\nAt most 5 letters."))
    assert table.c.size.info["description"] == "Its size."
    assert table.c.size.comment == "Its size. At most 5 letters."


def test_reference_to_a_person_says_what_the_row_is() -> None:
    with pytest.raises(ValueError, match=r"remarks\.user_id references a member: declare it by person_column"):
        tenant_table("remarks", "A remark.", foreign_key("user_id", "members.user_id", "The person."))


def test_rows_of_people_are_those_that_columns_declare() -> None:
    names = {table.name for table in metadata.sorted_tables for column in table.columns if "is_named" in column.info}
    found = {rows: {each.child.name for each in of_people(rows)} for rows in get_args(module.PersonRows)}
    assert set.union(*found.values()) == names
    assert found["memberships"] == {"team_members", "project_members", "task_members"}
    assert found["parts"] == {"activity_slots", "app_usages", "url_usages"}
    mention = mention_column("author_user_id", "Id of the user who wrote it.")
    assert (mention.info["person"], mention.nullable) == ("mention", True)


class Size(module.DescribedEnum):
    """A size."""

    small = "small", "Less than ten."
    large = "large", "Ten and more."


def test_member_is_its_value_and_has_a_description() -> None:
    assert Size("large") is Size.large
    assert (f"{Size.large}", Size.large.value, Size.large.description) == ("large", "large", "Ten and more.")
    assert orjson.dumps(Size.small) == b'"small"'
