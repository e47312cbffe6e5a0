"""Declaration of tables: tenant tables, and columns for enums, times and parameters.

The primary key, the foreign keys and the indexes of a tenant table start with `organization_id`. So a row cannot
reference a row of another organization, and the tables can be distributed by that column unchanged.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Literal, Self

from sqlalchemy import (
    BindParameter,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Date,
    DateTime,
    ForeignKeyConstraint,
    FromClause,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    Uuid,
    bindparam,
    case,
    collate,
    func,
    literal_column,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TIMESTAMP
from sqlalchemy.schema import SchemaItem
from sqlalchemy.sql.elements import Grouping
from sqlalchemy.types import TypeEngine

from db.tables.value_checks import value_checks

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        "ck": "%(table_name)s_%(constraint_name)s_check",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    }
)

NOT_DELETED = text("deleted_at IS NULL")
"""The condition of partial indexes over rows that are not soft-deleted."""

DELETED = text("deleted_at IS NOT NULL")
"""The condition of partial indexes over soft-deleted rows."""


def bind(name: str, kind: TypeEngine[Any]) -> BindParameter[Any]:
    """A parameter: its value is passed when the statement runs."""
    return bindparam(name, type_=kind, required=False)


def constant(value: str | int | date) -> BindParameter[Any]:
    """A value that stands in the SQL itself: as a parameter it would travel with each request."""
    kinds: dict[type, TypeEngine[Any]] = {str: Text(), int: Integer(), date: Date()}
    return bindparam(None, value, type_=kinds[type(value)], literal_execute=True, unique=True)


ORGANIZATION_ID = bind("organization_id", Uuid())
"""The parameter for the organization of the request. `db.reading.database` alone sets its value."""


def in_organization(table: FromClause) -> ColumnElement[bool]:
    """The condition that restricts `table` to the organization of the request (the first check of tenancy)."""
    condition: ColumnElement[bool] = table.c.organization_id == ORGANIZATION_ID
    return condition


LAST_PLACE = date.max
"""The day that a null date or time is sorted as, its midnight in UTC for a time. `value_checks` allow no later one."""


def sort_key(column: ColumnElement[Any], value: ColumnElement[Any] | None = None) -> ColumnElement[Any]:
    """The value by which lists sort a column, or that of a `value` of it: text by code points, null after every value.

    With it, rows after a row are those with a greater key, so that an index finds them; a comparison with null would
    find none. Raises ValueError for text that may be null, because no text is after every other one.
    """
    is_nullable = getattr(column, "nullable", False)
    value = column if value is None else value
    if isinstance(column.type, Text):
        if is_nullable:
            raise ValueError(f"{column} is text that may be null, which has no place in an order.")
        return collate(value, "C")
    if not is_nullable:
        return value
    # The day stands in the SQL itself, because a parameter is not the same expression as that of the index. With
    # coalesce(), which PostgreSQL does not take for leakproof, row-level security would keep conditions from the index.
    zone = "Z" if isinstance(column.type, DateTime) else ""
    # An index needs the parentheses.
    return Grouping(case((value.is_(None), literal_column(f"'{LAST_PLACE}{zone}'", column.type)), else_=value))


class DescribedEnum(StrEnum):
    """An enumeration of texts: its docstring is its description, and a member is a value with its description.

    The GraphQL schema and the OpenAPI document show the descriptions.
    """

    description: str

    def __new__(cls, value: str, description: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member


def enum_column(name: str, values: type[StrEnum] | StrEnum, comment: str, *, nullable: bool = False) -> Column[str]:
    """A text column that holds one of `values`: an enumeration, or the member of it that new rows have by default.

    `tenant_table` adds its CHECK constraint.
    """
    default, kind = (values.value, type(values)) if isinstance(values, StrEnum) else (None, values)
    return Column(name, Text, nullable=nullable, server_default=default, info={"values": kind}, comment=comment)


MEMBER = "members.user_id"
"""The key of people, which every reference to a person names."""


def foreign_key(name: str, target: str, comment: str, **options: Any) -> Column[Any]:
    """The id of a row of the same organization; `target` is its `table.column`. `tenant_table` adds the constraint."""
    return Column(name, Uuid, info={"references": target}, comment=comment, **options)


PersonRows = Literal["memberships", "records", "parts"]
"""What rows are to the person that they reference.

Memberships are deleted with the person. Records are history: they stay and are shown when the person is removed, and
readers leave them out while the row of the person is deleted. Parts are shown in a record of the person only.
"""


def person_column(comment: str, rows: PersonRows, *, is_named: bool, primary_key: bool = False) -> Column[Any]:
    """The person to whom rows belong; `rows` says what they are to the person.

    `is_named`: the API lists the rows with the person's name, so that an erasure of the name changes them, too.
    """
    column = foreign_key("user_id", MEMBER, comment, nullable=False, primary_key=primary_key)
    column.info.update(person=rows, is_named=is_named)
    return column


def mention_column(name: str, comment: str, *, nullable: bool = True) -> Column[Any]:
    """A person whom a row names, and to whom it does not belong: who created or reviewed it."""
    column = foreign_key(name, MEMBER, comment, nullable=nullable)
    column.info["person"] = "mention"
    return column


def text_column(name: str, comment: str, *, nullable: bool = True, is_name: bool = False) -> Column[str]:
    """A text. `is_name`: it is shorter than others (`db.jobs.importing.typed.text_forms`)."""
    return Column(name, Text, nullable=nullable, comment=comment, info={"is_name": is_name})


def text_list_column(name: str, comment: str) -> Column[Any]:
    """Texts, none by default."""
    return Column(name, ARRAY(Text), nullable=False, server_default=text("'{}'"), comment=comment)


def json_object_column(name: str, comment: str, *, default: Mapping[str, object] | None = None) -> Column[Any]:
    """A JSON object, empty by default."""
    return Column(name, JSONB, nullable=False, server_default=json.dumps(default or {}), comment=comment)


def flag_column(name: str, comment: str, *, default: bool = False) -> Column[bool]:
    """A Boolean that new rows need not give."""
    return Column(name, Boolean, nullable=False, server_default=text(str(default).lower()), comment=comment)


def number_column(name: str, comment: str, *, nullable: bool = True, kind: type[Integer] = Integer) -> Column[int]:
    """A number of things, seconds or days without a default."""
    return Column(name, kind, nullable=nullable, comment=comment)


def count_column(name: str, comment: str, *, default: int = 0, kind: type[Integer] = Integer) -> Column[int]:
    """A number of things, seconds or days that new rows need not give."""
    return Column(name, kind, nullable=False, server_default=text(str(default)), comment=comment)


def date_column(name: str, comment: str, *, nullable: bool = True) -> Column[date]:
    """A calendar date, without a time zone."""
    return Column(name, Date, nullable=nullable, comment=comment)


def event_time(name: str, comment: str, *, nullable: bool = False, **options: Any) -> Column[Any]:
    """The time of an event, in whole seconds."""
    return Column(name, TIMESTAMP(timezone=True, precision=0), nullable=nullable, comment=comment, **options)


def audit_time(name: str, comment: str, *, nullable: bool = False) -> Column[Any]:
    """A time at which a row changed, in microseconds.

    Defaults to the time of the statement unless nullable: the start of a long transaction may be before the last poll.
    """
    default = None if nullable else func.statement_timestamp()
    return Column(name, DateTime(timezone=True), nullable=nullable, server_default=default, comment=comment)


def derived(column: Column[Any]) -> Column[Any]:
    """Mark a column that is computed from other rows: a change of it alone leaves `updated_at`."""
    column.info["derived"] = True
    return column


def immovable(column: Column[Any]) -> Column[Any]:
    """Mark a column that no UPDATE may change, as those of the key: polls of the place that a row left, and copies
    under its old key, would not show the change.
    """
    column.info["immovable"] = True
    return column


FORMER_MEMBER = "Former member"
"""The name of a person whose data was erased."""


@dataclass(frozen=True)
class Erasure:
    """What `orgdata erase` does to a column; `db.jobs.retention` carries it out, and the comment of the column says it.

    Without `value` and `is_mention` the column is kept.
    """

    sentence: str
    of: tuple[str, ...] = ()
    """The columns that reference the people whose text it is: who is in one of them, has it erased."""
    value: str | None = None
    """SQL: what replaces the value."""
    is_mention: bool = False
    """Whether the person's name and e-mail address are replaced within the text."""
    is_object: bool = False
    """Whether the value is the key or URL of a stored object, which is listed so that it can be deleted."""
    used_in: str | None = None
    """The `table.column` that references a row of names; they are erased if no other person used the row."""
    where: str = "true"
    """SQL: a condition on the row."""


def kept(column: Column[Any]) -> Column[Any]:
    """Mark a text that erasure leaves as it is: it is not about a person."""
    return _marked(column, Erasure("Erasure keeps it."))


def erased(column: Column[Any], *of: str, to: str | None = None) -> Column[Any]:
    """Mark a value of a person, or about one: erasure sets it to `to`."""
    sentence = f"Erasure makes it {'null' if to is None else f'`{to}`'}."
    return _marked(column, Erasure(sentence, of or ("user_id",), _literal(column, to)))


def erased_object(column: Column[Any]) -> Column[Any]:
    """Mark the key or URL of a stored object of a person: erasure lists it for deletion, and sets it to null."""
    sentence = "Erasure lists it for deletion, and makes it null."
    return _marked(column, Erasure(sentence, ("user_id",), "NULL", is_object=True))


def erased_mention(column: Column[Any], *of: str) -> Column[Any]:
    """Mark a text of the organization that may name the person of the row: erasure replaces the name in it."""
    sentence = f"Erasure replaces the person's name and e-mail address in it by `{FORMER_MEMBER}`."
    return _marked(column, Erasure(sentence, of or ("user_id",), is_mention=True))


def erased_if_unshared(column: Column[Any], value: str, *, used_in: str, where: str = "true") -> Column[Any]:
    """Mark a name in a row that people use: erasure replaces it by the SQL `value` if no other person used the row."""
    rated = "" if where == "true" else ", and it is not rated"
    sentence = f"Erasure replaces it if no other person used it{rated}."
    return _marked(column, Erasure(sentence, (), value, used_in=used_in, where=where))


def _literal(column: Column[Any], value: str | None) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'::jsonb" if isinstance(column.type, JSONB) else f"'{value}'"


def _marked(column: Column[Any], erasure: Erasure) -> Column[Any]:
    column.info["erasure"] = erasure
    column.comment = f"{column.comment}\n{erasure.sentence}"
    return column


def review_columns(did: str) -> list[SchemaItem]:
    """Who reviewed a row, when, and with what note. `did` is what the reviewer did."""
    return [
        mention_column("reviewed_by_user_id", f"Id of the user who {did}."),
        event_time("reviewed_at", nullable=True, comment="Time of the decision; null until it is made."),
        erased(text_column("review_note", "Note of the reviewer."), "user_id", "reviewed_by_user_id"),
    ]


def holds_text(column: Column[Any]) -> bool:
    """Whether a column can hold text about a person: no enum, and no name from a reference table."""
    is_text = isinstance(column.type, (Text, JSONB)) or (
        isinstance(column.type, ARRAY) and isinstance(column.type.item_type, Text)
    )
    return is_text and "values" not in column.info and not column.foreign_keys


def _check_erasure(table: Table, people: Collection[str]) -> None:
    """Raises ValueError for text in rows of a person whose declaration does not say what erasure does to it."""
    for column in table.columns:
        erasure: Erasure | None = column.info.get("erasure")
        if erasure is None and people and holds_text(column):
            raise ValueError(f"{column} is text in a row of a person: say whether it is kept or erased.")
        unknown = set(erasure.of) - set(people) if erasure is not None else set()
        if unknown:
            raise ValueError(f"{column} is erased by {', '.join(sorted(unknown))}, which references no member.")


def tenant_table(
    name: str,
    comment: str,
    *items: SchemaItem,
    key: tuple[str, ...] = ("id",),
    key_comment: str = "UUID that clients treat as opaque.",
    natural_key: tuple[str, ...] = (),
    order: tuple[str, ...] | None = ("created_at", "id"),
    is_polled: bool = True,
    has_deleted_index: bool = False,
    is_small: bool = False,
) -> Table:
    """A table whose rows belong to organizations.

    `key`: the columns of the primary key after `organization_id`. `natural_key`: the columns by which files name a row
    without id, if no unique key has them; live rows differ in them. `order`: the order of the table's list, which gets
    an index; None without a list. `is_polled`: its changes are found by their time, which gets an index.
    `has_deleted_index`: readers of other tables look for its deleted rows (`resolvers.relations.live`), which get an
    index. `is_small`: an organization has so few rows, less than one for each person and day, that a statement may read
    them all. The first line of a column's comment describes it to readers, in the schema; further lines are for those
    who write rows. `orgdata migrate` writes all of them into the database. Raises ValueError for a column without a
    comment, and for text in rows of a person that does not say what erasure does to it.
    """
    own_key = [Column(column, Uuid, primary_key=True, comment=key_comment) for column in key]
    table = Table(
        name,
        metadata,
        Column("organization_id", Uuid, primary_key=True, comment="The organization that the row belongs to."),
        *own_key,
        *items,
        audit_time("created_at", comment="Creation time."),
        audit_time("updated_at", comment="Time of the last change.\nA trigger moves it, and clients poll by it."),
        audit_time(
            "deleted_at",
            nullable=True,
            comment="Deletion time; null unless the row is deleted.\nOnly polling shows deleted rows.",
        ),
        info={"tenant": True, "has_deleted_index": has_deleted_index, "is_small": is_small},
        comment=comment,
    )
    table.info["natural_key"] = tuple(table.c[column].name for column in natural_key)
    for column in table.columns:
        _describe(column)
    _add_checks(table)
    _add_references(table)
    if key and order is not None:
        index(table, *order, postgresql_where=NOT_DELETED)
    if key and is_polled:
        index(table, "updated_at", key[-1])
    if has_deleted_index:
        index(table, key[-1], name=f"{name}_deleted_idx", postgresql_where=DELETED)
    return table


def _describe(column: Column[Any]) -> None:
    """Tell the lines of the comment apart. Raises ValueError if there is none."""
    if not column.comment:
        raise ValueError(f"{column} has no comment.")
    column.info["description"] = column.comment.partition("\n")[0]
    column.comment = column.comment.replace("\n", " ")


def _add_checks(table: Table) -> None:
    """CHECK constraints: the values of enumerations, and the values that the API can show."""
    for column in table.columns:
        if "values" in column.info:
            values = ", ".join(f"'{value.value}'" for value in column.info["values"])
            table.append_constraint(CheckConstraint(f"{column.name} IN ({values})", name=column.name))
    for check in value_checks(table):
        table.append_constraint(check)


def _add_references(table: Table) -> None:
    """Foreign keys, within the organization. Raises ValueError for a person without a role, or text without erasure."""
    targets = {column.name: column.info["references"] for column in table.columns if "references" in column.info}
    people = [column for column, target in targets.items() if target == MEMBER]
    for name in people:
        if "person" not in table.c[name].info:
            raise ValueError(
                f"{table.c[name]} references a member: declare it by person_column or mention_column, which say "
                "what the row is to the person."
            )
    _check_erasure(table, [*people, *(["user_id"] if table.name == "members" else [])])
    if table.name != "organizations":
        table.append_constraint(ForeignKeyConstraint(["organization_id"], ["organizations.organization_id"]))
    for name, target in targets.items():
        organization = f"{target.partition('.')[0]}.organization_id"
        table.append_constraint(ForeignKeyConstraint(["organization_id", name], [organization, target]))


def index(table: Table, *columns: str, name: str | None = None, **options: Any) -> None:
    """Index by the organization and these columns."""
    Index(name, table.c.organization_id, *(table.c[column] for column in columns), **options)


def live_key(table: Table, *columns: str) -> None:
    """Unique index of live rows: a deleted row may have the same values in these columns."""
    index(table, *columns, name=f"{table.name}_live_key", unique=True, postgresql_where=NOT_DELETED)


def index_by_parent(table: Table, column: str, *order: str) -> None:
    """Index that finds the rows that refer to one parent by `column`, in the order of their list."""
    where = text(f"{column} IS NOT NULL") if table.c[column].nullable else None
    index(table, column, *order, name=f"{table.name}_{column}_idx", postgresql_where=where)


def index_orders(table: Table, *columns: str, key: str = "id") -> None:
    """Indexes of live rows by which the lists of a small table are sorted, one for each column."""
    table.info["is_small"] = True
    for name in columns:
        sort = (table.c.organization_id, sort_key(table.c[name]), table.c[key])
        Index(f"{table.name}_by_{name}_idx", *sort, postgresql_where=NOT_DELETED)
