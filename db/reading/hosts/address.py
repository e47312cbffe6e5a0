"""Database address: libpq's connection string, as a URI or as key=value pairs, with one host or several.

libpq's own parser reads it (PostgreSQL manual, Connection Strings). No text that is made from an address here shows its
password.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

DEFAULT_PORT = 5432
"""libpq's port for a host without one."""

OUR_CHOICE = ("host", "hostaddr", "port", "target_session_attrs", "load_balance_hosts")
"""Parameters that are not passed on: `db.reading.hosts` chooses the host, and connections are always balanced."""


class SessionTarget(StrEnum):
    """libpq's `target_session_attrs`: which servers an address means."""

    any = "any"
    primary = "primary"
    standby = "standby"
    prefer_standby = "prefer-standby"
    read_only = "read-only"
    read_write = "read-write"


@dataclass(frozen=True)
class ListedHost:
    """A host of the address: a name, an IP address, or the folder of a unix socket; None for libpq's default."""

    host: str | None
    port: int | None
    """None where a service file may say it."""
    hostaddr: str | None = None
    """The IP address of `host`, where the address gives it."""

    @property
    def is_name(self) -> bool:
        """Whether `host` must be resolved; it may then have several IP addresses."""
        # "@" begins the name of an abstract unix socket.
        if self.host is None or self.hostaddr is not None or self.host.startswith(("/", "@")):
            return False
        try:
            ip_address(self.host)
        except ValueError:
            return True
        return False

    def __str__(self) -> str:
        host = self.host or self.hostaddr or "local"
        port = self.port or DEFAULT_PORT
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@dataclass(frozen=True)
class DatabaseAddress:
    """The hosts of an address, which of them are meant, and all other parameters of a connection."""

    hosts: tuple[ListedHost, ...]
    target: SessionTarget
    parameters: Mapping[str, str] = field(repr=False)


def parse_address(text: str) -> DatabaseAddress:
    """Read an address in either spelling.

    Raises ValueError, whose message shows nothing of the text: it may have a password.
    """
    try:
        parameters = {name: str(value) for name, value in conninfo_to_dict(text).items()}
    except ProgrammingError:
        # Not raised from the cause, whose text quotes the address.
        raise ValueError(
            "should be an address that starts with postgresql://, has %25 for each % in its password and no parameters"
            " but libpq's, or libpq's key=value pairs"
        ) from None
    if "service" not in parameters:
        # A service file is read by libpq alone, and has precedence over its variables.
        variables = {name: f"PG{name.replace('_', '').upper()}" for name in OUR_CHOICE}
        parameters = {name: os.environ[each] for name, each in variables.items() if each in os.environ} | parameters
    try:
        target = SessionTarget(parameters.get("target_session_attrs") or SessionTarget.any)
    except ValueError:
        raise ValueError(f"should have as target_session_attrs one of {', '.join(SessionTarget)}") from None
    others = {name: value for name, value in parameters.items() if name not in OUR_CHOICE}
    return DatabaseAddress(_hosts(parameters), target, others)


def _hosts(parameters: Mapping[str, str]) -> tuple[ListedHost, ...]:
    """The hosts of an address: lists separated by commas, of equal length; one port may serve all hosts."""
    given = [parameters.get(name) for name in ("host", "hostaddr", "port")]
    names, addresses, ports = lists = [[each.strip() for each in text.split(",")] if text else [] for text in given]
    count = max(len(names), len(addresses), 1)
    if names and addresses and len(names) != len(addresses):
        raise ValueError("should have as many entries in hostaddr as in host")
    if len(ports) not in (0, 1, count):
        raise ValueError("should have one port, or one for each host")
    if any("@" in name[1:] for name in names):
        # The rest of a password that contains an unescaped @.
        raise ValueError("should have %40 for each @ in its user and password")
    rows = zip(*(each if len(each) == count else (each or [""]) * count for each in lists), strict=True)
    return tuple(
        ListedHost(name or None, _port(port) if port or "service" not in parameters else None, address or None)
        for name, address, port in rows
    )


def _port(text: str) -> int:
    if not text:
        return DEFAULT_PORT
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= 65535):
        raise ValueError(
            "should have numbers from 1 to 65535 as ports, [] around IPv6 addresses, and %2F for each / in its password"
        )
    return int(text)
