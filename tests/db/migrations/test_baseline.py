"""The baseline makes what the revisions made that it replaced; a database of theirs is recorded or refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
import pytest
from alembic import command
from psycopg import sql
from sqlalchemy import Connection, text

from db.admin.comments import ensure_comments
from db.admin.engine import connect
from db.admin.errors import MigrationError
from db.admin.functions import ensure_functions
from db.admin.migrate import BASELINE, FOLDER, LAST_REPLACED, configuration, head, migrate, revision_of
from db.admin.reference_lists import add_reference_rows
from db.admin.roles import ensure_roles, grant_rights
from db.admin.triggers import ensure_triggers
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server

CATALOGUE = {
    "tables": """
        SELECT relname, relkind, relpersistence, relowner::regrole, relrowsecurity, relforcerowsecurity, reloptions,
               relreplident, am.amname, reltablespace
        FROM pg_class c LEFT JOIN pg_am am ON am.oid = relam WHERE relnamespace = 'public'::regnamespace
    """,
    "columns": """
        SELECT attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attcollation,
               attstorage, attcompression, attstattarget, attidentity, attgenerated, attoptions,
               pg_get_expr(adbin, adrelid)
        FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
        LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
        WHERE relnamespace = 'public'::regnamespace AND attnum > 0
    """,
    "constraints": """
        SELECT conrelid::regclass, conname, contype, pg_get_constraintdef(oid), convalidated, condeferrable,
               condeferred, conislocal, coninhcount, connoinherit
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
    "indexes": """
        SELECT pg_get_indexdef(indexrelid), indisvalid, indisready, indisunique, indisprimary, indisclustered,
               indisreplident, indoption::text, indcollation::text
        FROM pg_index i JOIN pg_class c ON c.oid = indexrelid WHERE relnamespace = 'public'::regnamespace
    """,
    "statistics": "SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext",
    "functions": """
        SELECT oid::regprocedure, proowner::regrole, prolang, prokind, prosecdef, proleakproof, proisstrict, proretset,
               provolatile, proparallel, procost, prorows, prorettype::regtype, proargmodes, proargnames, proconfig,
               pg_get_functiondef(oid)
        FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    """,
    "triggers": """
        SELECT tgrelid::regclass, tgname, tgenabled, tgdeferrable, tginitdeferred, pg_get_triggerdef(t.oid)
        FROM pg_trigger t WHERE NOT tgisinternal
    """,
    "keys enforced": """
        SELECT tgrelid::regclass, tgfoid::regproc, tgtype, tgenabled, conname
        FROM pg_trigger JOIN pg_constraint k ON k.oid = tgconstraint
    """,
    "policies": "SELECT * FROM pg_policies",
    "rules": "SELECT * FROM pg_rules WHERE schemaname = 'public'",
    "rights": """
        SELECT 'table', relname, acl.* FROM pg_class, aclexplode(relacl) acl WHERE relnamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'column', attrelid::regclass || '.' || attname, acl.* FROM pg_attribute, aclexplode(attacl) acl
        UNION ALL
        SELECT 'function', proname, acl.* FROM pg_proc, aclexplode(proacl) acl
        WHERE pronamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'schema', nspname, acl.* FROM pg_namespace, aclexplode(nspacl) acl WHERE nspname = 'public'
        UNION ALL
        SELECT 'default', format('%s %s', defaclrole::regrole, defaclobjtype), acl.*
        FROM pg_default_acl, aclexplode(defaclacl) acl
    """,
    "comments": """
        SELECT object.type, object.identity, description FROM pg_description d,
               pg_identify_object(d.classoid, d.objoid, d.objsubid) object
        WHERE object.schema = 'public' OR object.identity LIKE '% on public.%'
    """,
    "other objects": """
        SELECT 'type', typname, typtype FROM pg_type WHERE typnamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'sequence', sequencename, NULL FROM pg_sequences
        UNION ALL
        SELECT 'extension', extname, NULL FROM pg_extension
        UNION ALL
        SELECT 'event trigger', evtname, NULL FROM pg_event_trigger
        UNION ALL
        SELECT 'schema', nspname, NULL FROM pg_namespace WHERE nspname NOT LIKE 'pg_%'
    """,
    "roles": "SELECT * FROM pg_roles",
    "members of roles": "SELECT roleid::regrole, member::regrole, grantor::regrole, admin_option FROM pg_auth_members",
    "settings": """
        SELECT setrole::regrole, setconfig FROM pg_db_role_setting
        WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    """,
    "time zones": "SELECT * FROM time_zones",
    "currencies": "SELECT * FROM currencies",
    "countries": "SELECT * FROM countries",
}
"""Queries of what migrations make. Their rows have names and not object ids, which differ between databases."""

RECORD = "alembic_version"
"""The table that Alembic makes before the first revision; rights on it are granted after the last."""


@contextmanager
def empty_database(server: Server) -> Iterator[Connection]:
    """A connection of the owner to a database without migrations."""
    name = f"baseline_{uuid4().hex}"
    with connect(ensure_database(server, name)).connect() as connection:
        yield connection
    with psycopg.connect(server.url("postgres"), autocommit=True) as superuser:
        superuser.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def empty(server: Server) -> Iterator[Connection]:
    with empty_database(server) as connection:
        yield connection


@pytest.fixture
def replaced(server: Server) -> Iterator[Connection]:
    """A database that the replaced revisions made, as `orgdata migrate` of their version ran them."""
    with empty_database(server) as connection:
        ensure_roles(connection)
        ensure_functions(connection)
        config = configuration(connection)
        config.set_main_option("path_separator", "newline")
        config.set_main_option("version_locations", str(FOLDER / "before_baseline" / "versions"))
        command.upgrade(config, LAST_REPLACED)
        add_reference_rows(connection)
        ensure_triggers(connection, cascades=True)
        ensure_comments(connection)
        grant_rights(connection)
        connection.commit()
        yield connection


def catalogue(connection: Connection) -> dict[str, set[str]]:
    return {
        kind: {repr(tuple(map(str, row))) for row in connection.execute(text(query.replace(":", "\\:")))}
        for kind, query in CATALOGUE.items()
    }


def test_baseline_alone_makes_what_the_replaced_revisions_made(empty: Connection, replaced: Connection) -> None:
    ensure_roles(empty)
    command.upgrade(configuration(empty), BASELINE)
    expected = catalogue(replaced)
    expected["rights"] = {row for row in expected["rights"] if f"'{RECORD}'" not in row}
    found = catalogue(empty)
    assert found == expected


def test_migrated_database_is_as_the_replaced_revisions_left_it(empty: Connection, replaced: Connection) -> None:
    migrate(empty)
    assert catalogue(empty) == catalogue(replaced)


def test_database_of_the_last_replaced_revision_is_recorded(replaced: Connection) -> None:
    before = catalogue(replaced)
    said: list[str] = []
    assert migrate(replaced, step=said.append) == head()
    assert said == [
        "The database has revision 0024: it is now recorded as the baseline 0025, which makes the same tables."
    ]
    assert catalogue(replaced) == before
    assert migrate(replaced, step=said.append) == head()
    assert len(said) == 1


def test_database_of_an_older_revision_is_refused(replaced: Connection) -> None:
    replaced.execute(text("UPDATE alembic_version SET version_num = '0017'"))
    replaced.commit()
    with pytest.raises(MigrationError) as caught:
        migrate(replaced)
    assert str(caught.value) == (
        "The database has revision 0017: this version migrates new databases, and those from 0024 on. Run orgdata"
        " migrate of commit c20d811 first, which has the revisions 0001 to 0024; there was no release with them."
    )
    replaced.rollback()
    assert revision_of(replaced) == "0017"
