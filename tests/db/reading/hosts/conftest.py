"""Several hosts that are one server: proxies to it, which can refuse, hang, or cut their connections."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from psycopg import Error
from psycopg.conninfo import conninfo_to_dict

from tests.faults.proxy import Proxy

Proxies = Callable[[int], list[Proxy]]


class StubRead:
    """Stands for a connection with a read in flight."""

    def __init__(self) -> None:
        self.errors: list[Error] = []

    def abort(self, error: Error) -> None:
        self.errors.append(error)


def address_of(proxies: list[Proxy], url: str, **parameters: str) -> str:
    """The address of a database through each of the proxies."""
    known = conninfo_to_dict(url)
    listed = {
        "host": ",".join("127.0.0.1" for _ in proxies),
        "port": ",".join(str(proxy.port) for proxy in proxies),
        "user": str(known["user"]),
        "dbname": str(known["dbname"]),
    }
    return " ".join(f"{name}={value}" for name, value in (listed | parameters).items())


def socket_of(url: str) -> Path:
    """The unix socket of the server of the tests."""
    return Path(str(conninfo_to_dict(url)["host"])) / ".s.PGSQL.5432"


@pytest.fixture
def proxies(owner_url: str) -> Iterator[Proxies]:
    """`proxies(count)` starts that many proxies to the server of the tests."""
    with ExitStack() as stack:
        yield lambda count: [stack.enter_context(Proxy(socket_of(owner_url))) for _ in range(count)]
