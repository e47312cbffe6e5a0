"""Shared ports: another process of the same user may listen on them only if it is the same service, being replaced.

SO_REUSEPORT lets two unrelated services of a user share a port silently: each gets half of the requests. So a service
notes for which database it listens, in a folder of its user.
"""

import os
import socket
import tempfile
from hashlib import sha256
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from rest_facade.server.sockets import StartError


def service_identity(database_url: str) -> str:
    """What two versions of a service have in common: the hosts and the name of the database, without its password."""
    parts = conninfo_to_dict(database_url)
    return sha256(repr([parts.get(name) for name in ("host", "port", "dbname")]).encode()).hexdigest()


def claim_port(host: str, port: int, identity: str) -> None:
    """Note that this service listens on a port. Raises StartError if another service of this user does."""
    folder = Path(tempfile.gettempdir()) / f"orgdata-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if port == 0 or folder.stat().st_uid != os.getuid():
        return
    note = folder / f"port-{port}"
    if _is_listening(host, port) and note.exists() and note.read_text() != identity:
        raise StartError(
            f"Another service listens on {host} port {port}, for another database. Each would get some of the"
            " requests: stop it first, or choose another port."
        )
    note.write_text(identity)


def _is_listening(host: str, port: int) -> bool:
    """Whether a process listens on the port. Without SO_REUSEPORT, its address cannot be taken."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
        return False
