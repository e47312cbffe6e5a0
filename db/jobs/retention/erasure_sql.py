"""SQL of an erasure, made from the declarations of the columns (`db.tables.columns.Erasure`).

The parameters of all statements are :organization, :person and, where names are searched, :mention, a regular
expression for texts in NFC. Every row that a statement reads or changes is of the organization, so that it runs on
distributed tables.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from sqlalchemy import Column, Table

from db.tables.activity import screenshots
from db.tables.areas import metadata
from db.tables.columns import FORMER_MEMBER, Erasure, holds_text
from db.tables.keys import api_keys
from db.tables.people import members
from db.tables.remembered import USER_IDS

IN_ORGANIZATION = "organization_id = :organization"

# Each stands for the others. PostgreSQL's \s lacks some white space of Python, in most locales U+00A0.
_SPACES = "[\\s\u001c-\u001f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
_APOSTROPHES = "['`\u00b4\u02b9\u02bb\u02bc\u2018\u2019\u201b\u2032\uff07]"


def mention_pattern(full_name: str, email: str | None) -> str | None:
    """The regular expression of PostgreSQL that finds a name or an e-mail address as whole words, in NFC.

    It finds them with other spaces and apostrophes, too. None for a person who has neither any more.
    """
    words = (unicodedata.normalize("NFC", word or "").strip() for word in (full_name, email))
    return "|".join(_whole_word(word) for word in words if word and word != FORMER_MEMBER) or None


def _whole_word(text: str) -> str:
    """Scripts of wide characters have no spaces between words, so that a name can have a letter beside it."""
    edges = ((text[0], r"(?<!\w)"), (text[-1], r"(?!\w)"))
    before, after = ("" if unicodedata.east_asian_width(edge) in "WF" else bound for edge, bound in edges)
    written = re.sub(_APOSTROPHES, lambda _: _APOSTROPHES, _SPACES.join(map(re.escape, text.split())))
    return f"{before}{written}{after}"


class TableErasure:
    """What an erasure changes in the rows of one table.

    `is_mentioned`: whether texts are searched for the name. `is_renamed`: whether the name changes, so that rows that
    are listed with it get a later `updated_at`, too.
    """

    def __init__(self, table: Table, *, is_mentioned: bool, is_renamed: bool) -> None:
        self.table = table
        self._changes = [
            (column, condition_sql(table, erasure), _value(column, erasure))
            for column, erasure in erased_columns(table)
            if is_mentioned or not erasure.is_mention
        ]
        self._is_renamed = is_renamed and any(column.info.get("is_named") for column in table.columns)

    @property
    def is_empty(self) -> bool:
        return not self._changes and not self._is_renamed

    @property
    def count(self) -> str:
        """SQL: the number of rows that the update changes."""
        return f"SELECT count(*) FROM {self.table.name} WHERE {self._where}"

    @property
    def update(self) -> str:
        conditions = {condition for _, condition, _ in self._changes}
        settings = [
            f"{column.name} = {value}"
            if len(conditions) == 1 and not self._is_renamed
            else f"{column.name} = CASE WHEN {condition} THEN {value} ELSE {column.name} END"
            for column, condition, value in self._changes
        ]
        if self._is_renamed:
            settings.append("updated_at = statement_timestamp()")
        return f"UPDATE {self.table.name} SET {', '.join(settings)} WHERE {self._where}"

    @property
    def _where(self) -> str:
        differing: dict[str, list[str]] = {}
        for column, condition, value in self._changes:
            differing.setdefault(condition, []).append(f"{column.name} IS DISTINCT FROM {value}")
        wanted = [f"({condition}) AND ({' OR '.join(each)})" for condition, each in differing.items()]
        if self._is_renamed:
            wanted.append("user_id = :person")
        return f"{IN_ORGANIZATION} AND ({' OR '.join(wanted)})"

    @property
    def objects(self) -> Iterator[tuple[str, str]]:
        """Each column of object keys, with the SQL of the rows of the person: `id`, and `key` or null."""
        for column, erasure in erased_columns(self.table):
            if erasure.is_object:
                where = f"{IN_ORGANIZATION} AND ({condition_sql(self.table, erasure)})"
                if self.table is members:
                    # A picture that several people have is not of this person.
                    others = f"SELECT FROM members o WHERE o.{IN_ORGANIZATION} AND o.user_id <> :person"
                    where += f" AND NOT EXISTS ({others} AND o.{column.name} = members.{column.name})"
                id_ = self.table.primary_key.columns.keys()[-1]
                yield column.name, f"SELECT {id_} AS id, {column.name} AS key FROM {self.table.name} WHERE {where}"


def erased_columns(table: Table) -> Iterator[tuple[Column[object], Erasure]]:
    """The columns that an erasure changes."""
    for column in table.columns:
        erasure: Erasure | None = column.info.get("erasure")
        if erasure is not None and (erasure.is_mention or erasure.value is not None):
            yield column, erasure


def condition_sql(table: Table, erasure: Erasure) -> str:
    """SQL: whether the column is of the person in a row of the table."""
    if erasure.used_in is not None:
        usage, _, column = erasure.used_in.partition(".")
        used = f"SELECT u.{column} FROM {usage} u WHERE u.{IN_ORGANIZATION} AND u.user_id"
        erased = f"SELECT e.user_id FROM erasures e WHERE e.{IN_ORGANIZATION}"
        unshared = f"{used} = :person EXCEPT {used} <> :person AND u.user_id NOT IN ({erased})"
        return f"id IN ({unshared}) AND {erasure.where}"
    people = [f"{column} = :person" for column in erasure.of]
    if USER_IDS in table.columns and "user_id" in erasure.of:
        people.append(f"{USER_IDS} IS NOT NULL AND :person = ANY ({USER_IDS})")
    return " OR ".join(people)


def _mentions(column: Column[object]) -> str:
    return f"normalize({column.name}::text, NFC) ~* :mention"


def _value(column: Column[object], erasure: Erasure) -> str:
    if erasure.is_mention:
        changed = f"regexp_replace(normalize({column.name}, NFC), :mention, '{FORMER_MEMBER}', 'gi')"
        return f"CASE WHEN {_mentions(column)} THEN {changed} ELSE {column.name} END"
    return str(erasure.value)


def erasures_by_table(*, is_mentioned: bool, is_renamed: bool) -> Sequence[TableErasure]:
    """What is changed, in the order of the tables' references."""
    tables = (table for table in metadata.sorted_tables if table.info.get("tenant"))
    each = (TableErasure(table, is_mentioned=is_mentioned, is_renamed=is_renamed) for table in tables)
    return [erasure for erasure in each if not erasure.is_empty]


def mention_counts() -> Iterator[tuple[str, str]]:
    """The `table.column` of each text that an erasure does not change, and the SQL of its rows that name the person.

    Screenshots are left out: their texts are names of programs, and there are too many of them to search.
    """
    for table in metadata.sorted_tables:
        if table is api_keys or (table.info.get("tenant") and table is not screenshots):
            erasures = dict(erased_columns(table))
            for column in filter(holds_text, table.columns):
                where = f"{IN_ORGANIZATION} AND {_mentions(column)}"
                if column in erasures:
                    where += f" AND ({condition_sql(table, erasures[column])}) IS NOT TRUE"
                yield f"{table.name}.{column.name}", f"SELECT count(*) FROM {table.name} WHERE {where}"
