"""A migrated database of its own, for what is made from its catalogue or its answers."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from db.admin.engine import connect
from db.admin.migrate import migrate
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server


@contextmanager
def migrated_database() -> Iterator[str]:
    """The URL of a migrated, empty database on a server that ends with the block."""
    with tempfile.TemporaryDirectory(prefix="orgdata-generate-") as name:
        Path(name).chmod(0o755)
        with Server(Path(name), options={"fsync": "off"}) as server:
            url = ensure_database(server)
            with connect(url).connect() as connection:
                migrate(connection)
            yield url
