"""Engines of commands: any address of libpq, the primary of several hosts, and the audit trail."""

import json
import socket
from datetime import UTC, datetime
from urllib.parse import unquote
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from db.admin.engine import MAX_COMMAND, connect, log_command
from db.sample.embedded.server import Server


def pairs(url: str, **changes: str) -> str:
    """The key=value spelling of an address."""
    return " ".join(f"{name}={value}" for name, value in (conninfo_to_dict(url) | changes).items())


def database_of(address: str) -> str:
    with connect(address).connect() as connection:
        return str(connection.execute(text("SELECT current_database()")).scalar_one())


def test_both_spellings_connect(owner_url: str) -> None:
    assert database_of(owner_url) == database_of(pairs(owner_url)) == conninfo_to_dict(owner_url)["dbname"]


@pytest.mark.parametrize("target", ["any", "prefer-standby", "standby"])
def test_primary_of_several_hosts_is_used(target: str, owner_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    folder = unquote(str(conninfo_to_dict(owner_url)["host"]))
    address = pairs(owner_url, host=f"127.0.0.1,{folder}", port=f"{port},5432", target_session_attrs=target)
    assert database_of(address) == conninfo_to_dict(owner_url)["dbname"]


def test_every_transaction_ends_with_its_client(owner_url: str) -> None:
    with connect(owner_url).connect() as connection:
        for _ in range(2):
            with connection.begin():
                assert connection.exec_driver_sql("SHOW client_connection_check_interval").scalar_one() == "1s"
        driver = connection.connection.driver_connection
        assert driver is not None
        assert driver.execute("SHOW client_connection_check_interval").fetchone() == ("0",)


def test_settings_of_a_role_change_no_transaction(owner_url: str) -> None:
    with psycopg.connect(owner_url) as server:
        # PostgreSQL 17 introduced the last one.
        limits = ["statement_timeout", "idle_in_transaction_session_timeout", "transaction_timeout"][
            : 3 if server.info.server_version >= 170000 else 2
        ]
    settings = (
        *("search_path=other", "row_security=off", "datestyle=German", "standard_conforming_strings=off"),
        *(f"{limit}=100" for limit in limits),
    )
    address = pairs(owner_url, options=f"'{' '.join(f'-c {setting}' for setting in settings)}'")
    with connect(address).connect() as connection:
        ask = "SELECT current_setting('search_path'), current_setting('row_security'), timestamptz '2026-03-02Z', '\\s'"
        found = connection.execute(text(ask)).one()
        assert {connection.scalar(text(f"SHOW {limit}")) for limit in limits} == {"0"}
    assert found == ("public", "on", datetime(2026, 3, 2, tzinfo=UTC), r"\s")


def test_failure_shows_no_password() -> None:
    with pytest.raises(OperationalError) as raised:
        connect("postgresql://u:hunter2@127.0.0.1:1,127.0.0.1:2/d").connect()
    assert "hunter2" not in f"{raised.value!r}{raised.value}{connect('postgresql://u:hunter2@127.0.0.1:1/d')!r}"


def test_bad_address_is_refused() -> None:
    with pytest.raises(ValueError, match="should be an address that starts with postgresql://"):
        connect("mysql://localhost/d")


def logged_commands(server: Server) -> list[dict[str, str]]:
    lines = (server.folder / "postgres.log").read_text().splitlines()
    return [json.loads(line.partition("orgdata audit ")[2]) for line in lines if "LOG:  orgdata audit " in line]


def test_command_is_logged_without_secrets(server: Server, owner_url: str) -> None:
    operator = f"ada@{uuid4()}"
    with psycopg.connect(owner_url) as connection:
        log_command(connection, operator, f"keys revoke orgd_live_{'a1' * 23}")
        log_command(connection, operator, "x" * (MAX_COMMAND + 1))
    named = {"operator": operator, "role": "orgdata_owner"}
    assert [each for each in logged_commands(server) if each["operator"] == operator] == [
        {**named, "command": "keys revoke orgd_live_[redacted]"},
        {**named, "command": "x" * MAX_COMMAND},
    ]
