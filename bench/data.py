"""The database of a run: a server of its own in a temporary folder, and rows that are made inside it."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg
from sqlalchemy import Connection

from bench.processes import children_cpu
from db.admin.keys import Grant, create_key
from db.admin.migrate import connect, migrate
from db.admin.quotas import set_quota
from db.embedded.database import OWNER, ensure_database
from db.embedded.server import Server
from db.tables.keys import Purpose

ORGANIZATIONS = 50
PROJECTS = 1_000
CLIENTS = 40

# Nothing here must outlive a crash; nothing may begin to vacuum in the middle of a round.
OPTIONS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "shared_buffers": "512MB",
    "max_wal_size": "8GB",
    "max_connections": "100",
    "autovacuum": "off",
}

# Ids grow with the moment of creation, so that an order by id is the order of the page.
ROWS = """
CREATE OR REPLACE FUNCTION bench_id(kind int, organization int, number bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT ('0190' || lpad(to_hex(organization), 4, '0') || '-' || lpad(to_hex(kind), 4, '0') || '-7000-8000-'
           || lpad(to_hex(number), 12, '0'))::uuid $$;

INSERT INTO organizations (organization_id, name, timezone, currency, features, data_retention_days)
SELECT bench_id(0, n, 0), 'Organization ' || n, 'Europe/Berlin', 'EUR', '{{}}', '{{}}'
FROM generate_series({first}, {last}) n;

INSERT INTO clients (organization_id, id, name, currency)
SELECT bench_id(0, n, 0), bench_id(1, n, c), 'Client ' || n || '.' || c, 'EUR'
FROM generate_series({first}, {last}) n, generate_series(1, {clients}) c;

INSERT INTO projects (organization_id, id, client_id, name, code, description, currency, start_date, created_at,
                      updated_at)
SELECT bench_id(0, n, 0), bench_id(2, n, p), bench_id(1, n, p * 7 % {clients} + 1), 'Project ' || n || '.' || p,
       'P-' || p, 'What project ' || p || ' is about, in a sentence.', 'EUR', date '2025-01-01' + (p % 300)::int,
       made, made + interval '1 day'
FROM generate_series({first}, {last}) n, generate_series(1, {projects}) p,
     LATERAL (SELECT timestamptz '2025-01-01 08:00:00.123456Z' + p * interval '1 second' AS made) m;
"""


@dataclass(frozen=True)
class Organization:
    """An organization and a key that reads all of it."""

    number: int
    key: str

    @property
    def id(self) -> UUID:
        return organization_id(self.number)


@dataclass(frozen=True)
class Data:
    """The database: `owner_url` is for the service, `url` for peers, who know nothing of row-level security."""

    owner_url: str
    url: str
    postmaster: int
    organizations: Sequence[Organization]

    def cpu(self) -> Mapping[int, float]:
        """Seconds of user and system time of each process of the server."""
        return children_cpu(self.postmaster)

    def run(self, statements: str) -> None:
        """Run statements as the superuser, in one transaction."""
        with psycopg.connect(self.url) as connection:
            connection.execute(statements.encode())

    def analyze(self) -> None:
        """Statistics and visibility as autovacuum would leave them."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")

    def organization(self, number: int, *, quota: int | None = None) -> Organization:
        """An organization that has rows by now, with a fresh key."""
        with connect(self.owner_url).connect() as connection:
            made = _keyed(connection, number)
            if quota is not None:
                set_quota(connection, made.id, "", quota)
            connection.commit()
        return made


def organization_id(number: int) -> UUID:
    return UUID(f"0190{number:04x}-0000-7000-8000-000000000000")


def project_id(organization: int, number: int) -> UUID:
    return UUID(f"0190{organization:04x}-0002-7000-8000-{number:012x}")


def rows(first: int, last: int, *, projects: int, clients: int = CLIENTS) -> str:
    """The statements that make organizations from `first` to `last`."""
    return ROWS.format(first=first, last=last, projects=projects, clients=clients)


@contextmanager
def database() -> Iterator[Data]:
    """A migrated database with the organizations of the page, which ends with the block."""
    with tempfile.TemporaryDirectory(prefix="orgdata-bench-") as name:
        # Whoever the server runs as must be able to enter.
        Path(name).chmod(0o755)
        with Server(Path(name), options=OPTIONS) as server:
            owner_url = ensure_database(server)
            with connect(owner_url).connect() as connection:
                migrate(connection)
            url = owner_url.replace(f"//{OWNER}@", "//postgres@", 1)
            data = Data(owner_url, url, server.pid, [])
            data.run(rows(1, ORGANIZATIONS, projects=PROJECTS))
            data.analyze()
            with connect(owner_url).connect() as connection:
                made = [_keyed(connection, number) for number in range(1, ORGANIZATIONS + 1)]
                connection.commit()
            yield Data(owner_url, url, server.pid, made)


def _keyed(connection: Connection, number: int) -> Organization:
    return Organization(number, create_key(connection, Grant(Purpose.partner, organization_id(number), label="bench")))
