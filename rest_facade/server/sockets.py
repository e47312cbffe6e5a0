"""Listening sockets: bind them, share a port between processes (SO_REUSEPORT), stop accepting without resets.

SO_REUSEPORT lets two unrelated services of a user share a port silently: each gets half of the requests. So a service
notes for which database it listens, in a folder of its user: another process may listen on the port only if it is the
same service, being replaced.
"""

import contextlib
import ctypes
import os
import socket
import stat
import struct
import sys
import tempfile
from errno import EACCES, EADDRINUSE
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any

from psycopg.conninfo import conninfo_to_dict

from db.errors import OperatorError

BACKLOG = 2048
"""Length of the accept queue."""

SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
"""Linux, asm-generic/socket.h; Python has no names for them."""

SYN = 0x02
"""The flag of the first segment of a connection (RFC 9293, 3.1), in byte 13 of its header."""

# A classic BPF program (Linux, networking/filter): drops a segment with SYN, passes any other unchanged.
LOAD_BYTE, JUMP_IF_SET, RETURN = 0x30, 0x45, 0x06
DROP_SYN = ((LOAD_BYTE, 0, 0, 13), (JUMP_IF_SET, 0, 1, SYN), (RETURN, 0, 0, 0), (RETURN, 0, 0, 0x7FFFFFFF))


def bind_socket(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A non-blocking listening socket. Raises OperatorError when the port is not available.

    `shared` sets SO_REUSEPORT: another process of the same user may listen on the port too, and the kernel spreads new
    connections over all of them. So a new version can start before the old one stops.
    """
    with contextlib.ExitStack() as failed:
        try:
            family, place = _resolve(host, port)
            listener = failed.enter_context(socket.socket(family, socket.SOCK_STREAM))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if shared:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            listener.bind(place)
            listener.listen(BACKLOG)
        except OSError as error:
            remedy = "Set ORGDATA_HOST and ORGDATA_INTERNAL_HOST to addresses of this machine."
            if error.errno in (EADDRINUSE, EACCES):
                remedy = "Choose another: --port, --internal-port."
            raise OperatorError(f"Can't listen on {host} port {port}: {error.strerror or error}. {remedy}") from error
        failed.pop_all()
    listener.setblocking(False)
    return listener


def _resolve(host: str, port: int) -> tuple[int, Any]:
    """The family and the address of a host; IPv4 if it has both."""
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return min(((family, place) for family, *_, place in found), key=itemgetter(0))


def address(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def drop_new_connections(listener: socket.socket) -> None:
    """Attach a socket filter that drops SYN segments: no connection is added to the accept queue any more.

    Closing a listening socket resets the connections in its queue. With the filter the queue can be emptied first.
    A client whose SYN is dropped sends it again after a second, and reaches another instance or a closed port.
    Needs Linux and its permission; without it, a connection that arrives in the last moment may be reset.
    """
    if sys.platform != "linux":
        return
    program = b"".join(struct.pack("HBBI", *line) for line in DROP_SYN)
    instructions = ctypes.create_string_buffer(program)
    filter_ = struct.pack("HP", len(DROP_SYN), ctypes.addressof(instructions))
    with contextlib.suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, filter_)


def accept_new_connections(listener: socket.socket) -> None:
    """Detach the filter of `drop_new_connections`: a replaced worker inherits the socket with it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # no filter is attached
            listener.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)


def claim_port(host: str, port: int, database_url: str) -> None:
    """Note that the service of a database listens on a port. Raises OperatorError if another one of this user does."""
    # What two versions of a service have in common, without the password.
    parts = conninfo_to_dict(database_url)
    identity = sha256(repr([parts.get(name) for name in ("host", "port", "dbname")]).encode()).hexdigest()
    if port == 0:
        return
    try:
        folder = Path(tempfile.gettempdir()) / f"orgdata-{os.getuid()}"
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        # Of a link, not what it leads to: anybody may have made one in this place.
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise OperatorError(f"{folder} is no folder of this user: remove it, or set TMPDIR to another folder.")
        note = folder / f"port-{port}"
        if _is_listening(host, port) and note.exists() and note.read_text() != identity:
            raise OperatorError(
                f"Another service listens on {host} port {port}, for another database. Each would get some of the"
                " requests: stop it first, or choose another port."
            )
        note.write_text(identity)
    except OSError as error:
        raise OperatorError(
            f"A note about the port cannot be written: {error.strerror}. Set TMPDIR to a folder for temporary files."
        ) from error


def _is_listening(host: str, port: int) -> bool:
    """Whether a process listens on the port. Without SO_REUSEPORT, its address cannot be taken."""
    try:
        family, place = _resolve(host, port)
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except OSError as error:
        return error.errno == EADDRINUSE
    return False
