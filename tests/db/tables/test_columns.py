"""Declaration of tables: text in rows of a person says what erasure does to it; values have descriptions.

Covers `db/tables/columns.py`.
"""

from collections.abc import Iterator

import orjson
import pytest
from sqlalchemy import Column, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.types import TypeEngine

from db.tables.areas import AREAS
from db.tables.columns import (
    DescribedEnum,
    Erasure,
    erased,
    erased_mention,
    erased_object,
    foreign_key,
    kept,
    metadata,
    tenant_table,
)

assert AREAS, "all tables are declared"


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    if "remarks" in metadata.tables:
        metadata.remove(metadata.tables["remarks"])


def declare(*columns: Column[object]) -> None:
    person = foreign_key("user_id", "members.user_id", comment="The person.")
    tenant_table("remarks", "A remark.", person, *columns)


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
        (kept(Column("a", Text, comment="A text.")), "A text. Erasure keeps it."),
        (erased(Column("a", Text, comment="A text.")), "A text. Erasure makes it null."),
        (erased(Column("a", Text, comment="A text."), to="none"), "A text. Erasure makes it `none`."),
        (
            erased_mention(Column("a", Text, comment="A text.")),
            "A text. Erasure replaces the person's name and e-mail address in it by `Former member`.",
        ),
        (
            erased_object(Column("a", Text, comment="A text.")),
            "A text. Erasure lists it for deletion, and makes it null.",
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
        if isinstance(erasure := column.info.get("erasure"), Erasure) and erasure.used_in is not None
    }
    assert erasures == {
        "apps.name": "app_usages.app_id",
        "domains.name": "url_usages.domain_id",
        "url_pages.url": "url_usages.page_id",
        "url_pages.title": "url_usages.page_id",
    }


class Size(DescribedEnum):
    """A size."""

    small = "small", "Less than ten."
    large = "large", "Ten and more."


def test_member_is_its_value_and_has_a_description() -> None:
    assert Size("large") is Size.large
    assert (f"{Size.large}", Size.large.value, Size.large.description) == ("large", "large", "Ten and more.")
    assert orjson.dumps(Size.small) == b'"small"'
