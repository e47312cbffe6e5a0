"""Statement: which selects the tenancy check accepts.

An accepted statement must return the same rows with row-level security and without it.
"""

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import psycopg
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from sqlalchemy import ColumnElement, Select, Text, and_, func, literal, or_, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import InvalidRequestError

from db.admin.engine import connect
from db.admin.key_format import parse_key
from db.reading.key_statements import KEY_BY_PUBLIC_ID
from db.reading.statement import Statement, UnrestrictedTable
from db.reading.transaction import SERVICE_ROLE
from db.sample.embedded.server import Server
from db.tables.columns import ORGANIZATION_ID, in_organization
from db.tables.columns import bind as value
from db.tables.keys import PUBLIC_ID, api_keys, in_organization_of_key
from db.tables.people import members, team_members, teams
from tests.factories.rows import Rows
from tests.helpers.databases import superuser_of
from tests.property_tests import examples
from tests.world import named

NAME = members.c.full_name
OTHER = members.alias("other")
SAME_NAME: ColumnElement[Any] = sa.bindparam("organization_id", type_=sa.Uuid())

MINE = select(NAME).where(in_organization(members))
ALL = select(NAME)
OF_TEAMS = select(teams.c.name).where(in_organization(teams))
ON_TEAMS = team_members.c.team_id == teams.c.id
ON_MEMBERS = members.c.user_id == team_members.c.user_id

ACCEPTED: dict[str, Select[Any]] = {
    "no table": select(literal(1)),
    "restricted": MINE,
    "restricted among other conditions": MINE.where(or_(NAME == "x", NAME != "x")),
    "restricted inside and_()": select(NAME).where(and_(true(), and_(NAME != "x", in_organization(members)))),
    "a restricted alias": select(OTHER.c.full_name).where(in_organization(OTHER)),
    "both of a table and its alias": select(NAME, OTHER.c.full_name).where(
        in_organization(members), in_organization(OTHER)
    ),
    "a restricted subquery": select(MINE.subquery()),
    "a restricted CTE": select(MINE.cte()),
    "a union of restricted ones": select(sa.union(MINE, OF_TEAMS).subquery()),
    "a restricted scalar subquery among the columns": select(
        NAME, select(func.max(teams.c.name)).where(in_organization(teams)).scalar_subquery()
    ).where(in_organization(members)),
    "a correlated scalar subquery": select(
        NAME, select(func.count()).where(in_organization(team_members), ON_MEMBERS).scalar_subquery()
    ).where(in_organization(members)),
    "a correlated EXISTS": MINE.where(sa.exists().where(in_organization(team_members), ON_MEMBERS)),
    "IN over a restricted subquery": MINE.where(
        members.c.user_id.in_(select(team_members.c.user_id).where(in_organization(team_members)))
    ),
    "an argument of a function": MINE.where(
        func.coalesce(select(func.max(teams.c.name)).where(in_organization(teams)).scalar_subquery(), "") != ""
    ),
    "an inner join restricted in WHERE": select(NAME, team_members.c.role)
    .select_from(members.join(team_members, ON_MEMBERS))
    .where(in_organization(members), in_organization(team_members)),
    "an inner join restricted in ON": select(NAME).select_from(
        members.join(team_members, and_(ON_MEMBERS, in_organization(team_members), in_organization(members)))
    ),
    "the right of a left join restricted in ON": select(NAME, team_members.c.role)
    .select_from(members.outerjoin(team_members, and_(ON_MEMBERS, in_organization(team_members))))
    .where(in_organization(members)),
    "both sides of a full join restricted in WHERE": select(NAME, teams.c.name)
    .select_from(members.join(teams, members.c.user_id == teams.c.id, full=True))
    .where(in_organization(members), in_organization(teams)),
    "LATERAL that sees a restricted table": select(
        NAME,
        (seen := select(team_members.c.role).where(in_organization(team_members), ON_MEMBERS).lateral("seen")).c.role,
    )
    .select_from(members.join(seen, true()))
    .where(in_organization(members)),
    "restricted to the organization of the key": select(NAME).where(in_organization_of_key(members)),
    "a set of values given": select(func.unnest(literal(["x"], ARRAY(Text))).table_valued("x").render_derived()),
}

_scalar = select(func.max(NAME)).select_from(teams).where(in_organization(teams)).scalar_subquery()
_sorted_by_it = select(team_members.c.id).where(in_organization(team_members)).order_by(_scalar).subquery()
_lateral_all = select(NAME).lateral("everyone")

REFUSED: dict[str, Select[Any]] = {
    "unrestricted": ALL,
    "restricted or not": select(NAME).where(or_(in_organization(members), true())),
    "not restricted": select(NAME).where(sa.not_(in_organization(members))),
    "restricted in a CASE": select(NAME).where(sa.case((in_organization(members), True), else_=True)),
    "restricted inside a function": select(NAME).where(func.coalesce(in_organization(members), True)),
    "restricted in HAVING": select(NAME).group_by(NAME, members.c.organization_id).having(in_organization(members)),
    "restricted to organizations of keys": select(NAME).where(
        members.c.organization_id == select(api_keys.c.organization_id).scalar_subquery()
    ),
    "restricted by another parameter": select(NAME).where(members.c.organization_id == value("other", sa.Uuid())),
    "restricted by a parameter of the same name": select(NAME).where(members.c.organization_id == SAME_NAME),
    "restricted by a value": select(NAME).where(members.c.organization_id == uuid4()),
    "another column": select(NAME).where(members.c.user_id == ORGANIZATION_ID),
    "the criterion of another table": select(NAME, teams.c.name).where(in_organization(teams)),
    "the criterion of its alias": select(NAME, OTHER.c.full_name).where(in_organization(OTHER)),
    "an alias with the criterion of its table": select(NAME, OTHER.c.full_name).where(in_organization(members)),
    "an alias": select(OTHER.c.full_name),
    "a sample": select(members.tablesample(100).c.full_name),
    "a subquery": select(ALL.subquery()),
    "a subquery restricted from outside": select(sub := select(members).subquery()).where(in_organization(sub)),
    "a subquery under an alias": select(ALL.subquery().alias("x")),
    "a CTE": select(ALL.cte()),
    "a CTE that nothing reads": MINE.add_cte(ALL.cte()),
    "a CTE that deletes": MINE.add_cte(sa.delete(members).returning(members.c.user_id).cte()),
    "a recursive CTE": select(
        (start := MINE.cte(recursive=True)).union_all(select(NAME).where(start.c.full_name != NAME))
    ),
    "one part of a union": select(sa.union(MINE, select(teams.c.name)).subquery()),
    "LATERAL": select((free := ALL.lateral("free")).c.full_name)
    .select_from(teams.join(free, true()))
    .where(in_organization(teams)),
    "LATERAL over the table beside it": select(teams.c.name, _lateral_all.c.full_name)
    .select_from(teams.join(members, true()).join(_lateral_all, true()))
    .where(in_organization(teams), in_organization(members)),
    "a scalar subquery among the columns": select(NAME, select(func.max(teams.c.name)).scalar_subquery()).where(
        in_organization(members)
    ),
    "a scalar subquery over the same table": select(NAME, select(func.max(NAME)).scalar_subquery()).where(
        in_organization(members)
    ),
    "a scalar subquery that is not correlated": select(
        NAME, select(func.max(NAME)).where(ON_TEAMS, in_organization(team_members)).correlate(teams).scalar_subquery()
    ).where(in_organization(members), in_organization(teams)),
    "a scalar subquery in WHERE": MINE.where(select(func.max(teams.c.name)).scalar_subquery() != ""),
    "a scalar subquery in ORDER BY": MINE.order_by(select(func.max(teams.c.name)).scalar_subquery()),
    "a scalar subquery used again in ORDER BY": select(NAME, _scalar, _sorted_by_it.c.id)
    .join(_sorted_by_it, true())
    .where(in_organization(members)),
    "text in ORDER BY": MINE.order_by(sa.text("SELECT max(name) FROM teams").columns(sa.column("x")).scalar_subquery()),
    "a scalar subquery in GROUP BY": MINE.group_by(NAME, select(func.max(teams.c.name)).scalar_subquery()),
    "a scalar subquery in HAVING": MINE.group_by(NAME).having(select(func.count(teams.c.id)).scalar_subquery() > 1),
    "a scalar subquery in LIMIT": MINE.limit(select(func.count(teams.c.id)).scalar_subquery()),
    "a scalar subquery in a window": select(
        func.row_number().over(order_by=select(func.max(teams.c.name)).scalar_subquery())
    )
    .select_from(members)
    .where(in_organization(members)),
    "a scalar subquery in a filter": select(
        func.count().filter(select(func.max(teams.c.name)).scalar_subquery() != NAME)
    ).where(in_organization(members)),
    "an argument of a function": MINE.where(func.coalesce(select(func.max(teams.c.name)).scalar_subquery(), "") != ""),
    "an argument of a function in FROM": select(
        func.unnest(select(func.array_agg(teams.c.name)).scalar_subquery()).table_valued("x")
    ),
    "EXISTS": MINE.where(sa.exists().where(teams.c.id == members.c.user_id)),
    "EXISTS over the same table": MINE.where(sa.exists().where(NAME == "B-member")),
    "IN over a subquery": MINE.where(members.c.user_id.in_(select(team_members.c.user_id))),
    "IN over the same table": MINE.where(members.c.user_id.in_(select(members.c.user_id).where(NAME == "B-member"))),
    "an inner join": select(NAME).select_from(members.join(team_members, ON_MEMBERS)).where(in_organization(members)),
    "the left of a left join restricted in ON": select(NAME).select_from(
        members.outerjoin(team_members, and_(in_organization(members), in_organization(team_members)))
    ),
    "the right of a left join": select(NAME, team_members.c.role)
    .select_from(members.outerjoin(team_members, ON_MEMBERS))
    .where(in_organization(members)),
    "both sides of a full join restricted in ON": select(NAME).select_from(
        members.join(teams, and_(in_organization(members), in_organization(teams)), full=True)
    ),
    "a join inside a join": select(NAME)
    .select_from(teams.join(team_members.join(members, ON_MEMBERS), ON_TEAMS))
    .where(in_organization(teams)),
    "a join inside a left join": select(NAME)
    .select_from(teams.outerjoin(team_members.join(members, ON_MEMBERS), ON_TEAMS))
    .where(in_organization(teams)),
    "a table of other metadata": select(sa.Table("members", sa.MetaData(), sa.Column("full_name", Text)).c.full_name),
    "a table by its bare name": select(sa.table("members", sa.column("full_name")).c.full_name),
}

Answers = Callable[[Statement], tuple[list[str], list[str]]]


@pytest.fixture
def answers(own_url: str, server: Server) -> Iterator[Answers]:
    """The rows of a statement for organization A, next to B with the same ids: with row-level security, and without."""
    rows = Rows(connect(own_url))
    own, _ = (_build(rows, tag) for tag in "AB")
    key = parse_key(rows.partner_key(own))
    assert key
    rows.connection.close()
    with psycopg.connect(own_url, autocommit=True) as locked, superuser_of(server, own_url) as unlocked:
        locked.execute("SELECT set_config('role', %s, false)", [SERVICE_ROLE])
        locked.execute("SELECT set_config('app.organization_id', %s, false)", [str(own)])
        locked.execute("SELECT set_config('app.public_id', %s, false)", [key.public_id])
        assert locked.execute("SELECT count(*) FROM members").fetchone() == (2,)
        assert unlocked.execute("SELECT count(*) FROM members").fetchone() == (4,)

        def ask(statement: Statement) -> tuple[list[str], list[str]]:
            values = {**statement.constants, "organization_id": own, PUBLIC_ID.key: key.public_id}
            first, second = (each.execute(statement.sql.encode(), values) for each in (locked, unlocked))
            return sorted(map(repr, first)), sorted(map(repr, second))

        yield ask


def _build(rows: Rows, tag: str) -> Any:
    """Two members, each in a team of their own; the ids are the same in every organization."""
    own = rows.organization(name=tag)
    for n in range(2):
        rows.member(own, user_id=named("user", n), full_name=f"{tag}-member {n}")
        rows.team(own, id=named("team", n), name=f"{tag}-team {n}")
        rows.team_member(own, named("team", n), named("user", n), id=named("team member", n))
    return own


def test_a_statement_is_refused_with() -> None:
    for name, query in REFUSED.items():
        with pytest.raises(UnrestrictedTable):
            pytest.fail(f"{name}: {Statement(query).sql}")


def test_accepted_statements_need_no_row_level_security(answers: Answers) -> None:
    for name, query in ACCEPTED.items():
        locked, unlocked = answers(Statement(query))
        assert locked == unlocked, name


def test_unrestricted_read_shows_other_organizations(answers: Answers) -> None:
    unchecked: Any = SimpleNamespace(sql=str(ALL), constants={})
    locked, unlocked = answers(unchecked)
    assert locked == ["('A-member 0',)", "('A-member 1',)"]
    assert unlocked == ["('A-member 0',)", "('A-member 1',)", "('B-member 0',)", "('B-member 1',)"]


def test_error_names_the_table_and_the_statement() -> None:
    with pytest.raises(UnrestrictedTable, match=r"(?s)^team_members is read without organization_id.*SELECT.*FROM"):
        Statement(select(team_members.c.id))


def test_key_table_needs_no_organization() -> None:
    assert "organization_id" not in KEY_BY_PUBLIC_ID.constants
    Statement(select(api_keys).where(api_keys.c.public_id == "x"))


def test_only_a_select_is_accepted() -> None:
    queries: list[Any] = [sa.text("SELECT 1"), sa.delete(members), members]
    for query in queries:
        with pytest.raises(UnrestrictedTable):
            Statement(query)


def test_constants_are_the_values_of_literals() -> None:
    statement = Statement(MINE.where(NAME.in_(["x", "50%"]), value("other", Text()) != NAME))
    assert sorted(statement.constants.values()) == ["50%", "x"]
    assert "%(other)s" in statement.sql
    assert "%(organization_id)s" in statement.sql


def test_statement_is_compiled_once() -> None:
    statement = Statement(MINE)
    assert statement.sql is statement.sql
    assert repr(statement) == f"Statement({statement.sql!r})"


TAGS = {"members": "full_name", "teams": "name", "team_members": "id"}


def tag(source: sa.FromClause) -> ColumnElement[Any]:
    """A column that shows the organization of a row, or at least the number of rows."""
    names = [name for name in ("a", *TAGS.values()) if name in source.c]
    return sa.cast(source.c[names[0]], Text)


class Restrictions:
    """The condition of each table of a statement; for one table at most, a wrong condition that looks similar."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._flawed: int = draw(st.integers(0, 8))
        self._given = 0

    def of(self, source: sa.FromClause) -> ColumnElement[bool]:
        self._given += 1
        own = in_organization(source)
        if self._given != self._flawed:
            return own
        wrong = [true(), true(), or_(own, true()), sa.not_(own), source.c.organization_id == SAME_NAME]
        found: ColumnElement[bool] = self._draw(st.sampled_from(wrong))
        return found


def source_of(draw: st.DrawFn, own: Restrictions, depth: int, around: Sequence[sa.FromClause], used: set[str]) -> Any:
    """A table, its alias, or a select in one of the places where FROM takes one."""
    kind = draw(st.sampled_from(["table"] * 3 + ["alias"] + (["select", "lateral", "cte", "union"] if depth else [])))
    table = draw(st.sampled_from([members, teams, team_members]))
    if kind == "table" and table.name not in used:
        used.add(table.name)
        return table
    if kind in ("table", "alias"):
        return table.alias()
    inner = select_of(draw, own, depth - 1, around if kind == "lateral" else [])
    if kind == "lateral":
        return inner.lateral()
    if kind == "cte":
        return inner.cte()
    return (sa.union(inner, select_of(draw, own, depth - 1, [])) if kind == "union" else inner).subquery()


def select_of(
    draw: st.DrawFn, own: Restrictions, depth: int, around: Sequence[sa.FromClause], *, aggregate: bool = False
) -> Select[Any]:
    """A select of one column called `a`, over one to three sources that are restricted in WHERE or ON."""
    used: set[str] = set()
    found: list[Any] = []
    for _ in range(draw(st.sampled_from([1, 1, 2, 3]))):
        found.append(source_of(draw, own, depth, [*around, *found], used))
    where: list[ColumnElement[bool]] = []
    on: list[ColumnElement[bool]] = []
    for source in found:
        if "organization_id" in source.c:
            draw(st.sampled_from([where] * 5 + [on] * (len(found) > 1))).append(own.of(source))
    tree = found[-1]
    for source in reversed(found[:-1]):
        link = draw(st.sampled_from([true(), tag(source) == tag(found[-1]), tag(source) != tag(found[-1])]))
        kind = draw(st.sampled_from(["inner", "inner", "inner", "left", "full"]))
        # The earlier joins are on the left or on the right, as a group.
        left, right = draw(st.permutations([source, tree]))
        tree = left.join(right, and_(*on, link), isouter=kind == "left", full=kind == "full")
    if draw(st.booleans()) and around:
        where.append(tag(draw(st.sampled_from(found))) == tag(draw(st.sampled_from(around))))
    shown = tag(draw(st.sampled_from(found)))
    if aggregate:
        shown = func.concat(func.count(), func.max(shown))
        # So that EXISTS depends on foreign rows, too.
        where += draw(st.sampled_from([[], [tag(found[0]).like("B-%")]]))
    if depth and draw(st.booleans()):
        inner = select_of(draw, own, depth - 1, [*draw(st.sampled_from([around, []])), *found], aggregate=True)
        inner = draw(st.sampled_from([inner, inner.correlate(None)]))
        if draw(st.booleans()):
            where.append(inner.having(func.count() > 0).exists())
        else:
            shown = func.concat(shown, inner.scalar_subquery())
    return select(shown.label("a")).select_from(tree).where(*where)


@st.composite
def selects(draw: st.DrawFn) -> Select[Any]:
    return select_of(draw, Restrictions(draw), 2, [])


@pytest.mark.hypothesis
def test_random_accepted_statements_need_no_row_level_security(answers: Answers) -> None:
    accepted = refused = 0

    @settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
    @given(selects())
    def attempt(query: Select[Any]) -> None:
        nonlocal accepted, refused
        try:
            statement = Statement(query)
        except InvalidRequestError:
            reject()
        except UnrestrictedTable:
            refused += 1
            return
        try:
            locked, unlocked = answers(statement)
        except (psycopg.Error, InvalidRequestError):
            # PostgreSQL or SQLAlchemy refuses it: a table named twice, LATERAL in the wrong direction.
            reject()
        accepted += 1
        assert locked == unlocked, statement.sql

    attempt()
    assert accepted >= examples(60) // 6
    assert refused >= examples(60) // 6
