"""Listening sockets: bind them, share a port between processes (SO_REUSEPORT), stop accepting without resets."""

import contextlib
import ctypes
import socket
import struct
import sys

from db.admin.errors import OperatorError

BACKLOG = 2048
"""Length of the accept queue."""

SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
"""Linux, asm-generic/socket.h; Python has no names for them."""

SYN = 0x02
"""The flag of the first segment of a connection (RFC 9293, 3.1), in byte 13 of its header."""

# A classic BPF program (Linux, networking/filter): drops a segment with SYN, passes any other unchanged.
LOAD_BYTE, JUMP_IF_SET, RETURN = 0x30, 0x45, 0x06
DROP_SYN = ((LOAD_BYTE, 0, 0, 13), (JUMP_IF_SET, 0, 1, SYN), (RETURN, 0, 0, 0), (RETURN, 0, 0, 0x7FFFFFFF))


class StartError(OperatorError):
    """The process can't start; the text is a sentence for the operator."""


def bind_socket(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A non-blocking listening socket. Raises StartError when the port is not available.

    `shared` sets SO_REUSEPORT: another process of the same user may listen on the port too, and the kernel spreads new
    connections over all of them. So a new version can start before the old one stops.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise StartError(
            f"Can't listen on {host} port {port}: {reason}. Choose another: --port, --internal-port."
        ) from error
    listener.setblocking(False)
    return listener


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
