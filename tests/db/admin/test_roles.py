"""Roles of the service and of writers: they are created where possible; otherwise the error says what to run."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Connection, text

from db.admin import roles
from db.admin.engine import connect
from db.admin.roles import ensure_roles, require_owner, require_schema
from db.errors import OperatorError
from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server


@pytest.fixture
def other_role(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A name for the service's role that no role has yet; the writer's role has such a name, too."""
    name, writer = f"service_{uuid4().hex}", f"writer_{uuid4().hex}"
    monkeypatch.setattr(roles, "SERVICE_ROLE", name)
    monkeypatch.setattr(roles, "WRITER_ROLE", writer)
    yield name
    drop(server, name)
    drop(server, writer)


@pytest.fixture
def plain(server: Server) -> Iterator[str]:
    """A role that may not create roles."""
    name = f"plain_{uuid4().hex}"
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
    yield name
    drop(server, name)


def drop(server: Server, name: str) -> None:
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(name)))


def administrate(server: Server, commands: str) -> None:
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute(commands.encode())


@contextmanager
def connected(server: Server, user: str) -> Iterator[Connection]:
    with connect(server.url(user, "postgres")).connect() as connection, connection.begin():
        yield connection


def switches_to(connection: Connection, role: str) -> bool:
    connection.execute(text("SELECT set_config('role', :role, true)"), {"role": role})
    return bool(connection.scalar(text("SELECT current_user")) == role)


def test_role_is_created_and_owner_can_switch_to_it(server: Server, template: str, other_role: str) -> None:
    for name, config in {other_role: ["default_transaction_read_only=on"], roles.WRITER_ROLE: None}.items():
        with connected(server, OWNER) as connection:
            # The second call changes nothing.
            ensure_roles(connection)
            role = connection.execute(text("SELECT * FROM pg_roles WHERE rolname = :role"), {"role": name}).one()
            assert role.rolcanlogin
            assert not any((role.rolsuper, role.rolbypassrls, role.rolcreatedb, role.rolcreaterole))
            assert role.rolconfig == config
            assert switches_to(connection, name)


def test_superuser_needs_no_membership(server: Server, other_role: str) -> None:
    with connected(server, "postgres") as connection:
        ensure_roles(connection)
        assert switches_to(connection, other_role)


def test_error_names_command_that_creates_the_role(server: Server, plain: str, other_role: str) -> None:
    with connected(server, plain) as connection:
        with pytest.raises(
            OperatorError, match=f"^The role {other_role} does not exist and this user may not"
        ) as caught:
            ensure_roles(connection)
        assert connection.scalar(text("SELECT 1")) == 1, "the transaction goes on"
    remedy = str(caught.value).split("Let an administrator run: ")[1]
    assert f"CREATE ROLE {other_role} LOGIN" in remedy
    assert f"CREATE ROLE {roles.WRITER_ROLE} LOGIN" in remedy
    administrate(server, remedy)
    with connected(server, plain) as connection:
        ensure_roles(connection)
        assert switches_to(connection, other_role)


def test_error_names_command_that_grants_the_role(server: Server, plain: str, other_role: str) -> None:
    administrate(server, f"CREATE ROLE {other_role} LOGIN; CREATE ROLE {roles.WRITER_ROLE} LOGIN")
    with connected(server, plain) as connection, pytest.raises(OperatorError) as caught:
        ensure_roles(connection)
    administrate(server, str(caught.value).split("Let an administrator run: ")[1])
    with connected(server, plain) as connection:
        ensure_roles(connection)
        assert switches_to(connection, other_role)


@pytest.mark.parametrize("rights", ["USAGE", "USAGE, CREATE"])
def test_error_names_commands_for_the_schema(rights: str, server: Server, template: str, plain: str) -> None:
    name = f"schema_{uuid4().hex}"
    administrate(server, f"CREATE ROLE {name} LOGIN")
    administrate(server, f"CREATE DATABASE {name} OWNER {name}")
    try:
        with psycopg.connect(server.url("postgres", name), autocommit=True) as superuser:
            superuser.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
            with psycopg.connect(server.url(plain, name)) as user:
                require_owner(user, migrates=True)
            superuser.execute(f"GRANT {rights} ON SCHEMA public TO {plain}")
        with connect(server.url(plain, name)).connect() as connection, pytest.raises(OperatorError) as caught:
            require_schema(connection)
        assert f"Let its owner, {name}, or a superuser run" in str(caught.value)
        with psycopg.connect(server.url(name, name)) as owner:
            owner.execute(str(caught.value).split("run in this database: ")[1].encode())
        with connect(server.url(plain, name)).connect() as connection:
            require_schema(connection)
    finally:
        administrate(server, f"DROP DATABASE {name} WITH (FORCE)")
        drop(server, name)
