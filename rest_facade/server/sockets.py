"""Listening sockets: how they are had, shared between two instances, and left without losing a client."""

import contextlib
import ctypes
import socket
import struct
import sys

BACKLOG = 2048
"""Connections that may wait to be accepted."""

SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
"""Linux, asm-generic/socket.h; Python has no names for them."""

SYN = 0x02
"""The flag of the first segment of a connection (RFC 9293, 3.1), in byte 13 of its header."""

# A classic BPF program (Linux, networking/filter): a segment with SYN is dropped, every other is kept whole.
LOAD_BYTE, JUMP_IF_SET, RETURN = 0x30, 0x45, 0x06
DROP_NEW = ((LOAD_BYTE, 0, 0, 13), (JUMP_IF_SET, 0, 1, SYN), (RETURN, 0, 0, 0), (RETURN, 0, 0, 0x7FFFFFFF))


class StartError(Exception):
    """The process can't start; the text is a sentence for the operator."""


def bind(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A listening socket, before anything else is started. Raises StartError where the port can't be had.

    With `shared`, another instance of the same user may listen there, too: the next version starts before this one
    ends (SO_REUSEPORT). New connections then come to either.
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
        raise StartError(f"Can't listen on {host} port {port}: {reason}. Choose another port.") from error
    listener.setblocking(False)
    return listener


def address(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def refuse_new(listener: socket.socket) -> None:
    """Let no new connection begin here, while those that wait can still be accepted.

    To close a socket resets whatever waits in its queue. So clients that come now are not answered: they ask again
    after a second, and come to another instance, or are refused when this one has closed. Only Linux can do that, and
    not every Linux lets everybody: without it, a connection that comes in the last moment may be reset.
    """
    if sys.platform != "linux":
        return
    program = b"".join(struct.pack("HBBI", *line) for line in DROP_NEW)
    text = ctypes.create_string_buffer(program)
    filter_ = struct.pack("HP", len(DROP_NEW), ctypes.addressof(text))
    with contextlib.suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, filter_)


def accept_new(listener: socket.socket) -> None:
    """Undo `refuse_new`, which somebody who had the socket before may have done."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # nothing to undo
            listener.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)
