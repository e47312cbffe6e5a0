"""Listening sockets: shared ports, and the filter that drops new connections."""

import ctypes
import os
import socket
import struct
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from db.errors import OperatorError
from rest_facade.server.sockets import (
    RETURN,
    SO_ATTACH_FILTER,
    accept_new_connections,
    address,
    bind_socket,
    claim_port,
    drop_new_connections,
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notes of claimed ports are those of a test alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


SHORT = 0.3
"""Seconds after which a connection attempt counts as unanswered: loopback takes microseconds."""


def connect(listener: socket.socket, timeout: float) -> socket.socket:
    return socket.create_connection(listener.getsockname()[:2], timeout=timeout)


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
on_ipv6 = pytest.param("::1", marks=needs_ipv6)


def may_filter() -> bool:
    """Whether the kernel permits a filter, here one that passes everything. Some permit it to root alone."""
    program = ctypes.create_string_buffer(struct.pack("HBBI", RETURN, 0, 0, 0x7FFFFFFF))
    with socket.socket() as probe:
        try:
            probe.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(program)))
        except PermissionError:
            return False
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters what comes to a socket")
@pytest.mark.skipif(sys.platform == "linux" and not may_filter(), reason="this user may not filter what comes")
@pytest.mark.parametrize("host", ["127.0.0.1", on_ipv6])
def test_filter_drops_only_new_connections(host: str) -> None:
    with closing(bind_socket(host, 0)) as listener:
        with connect(listener, 5) as early:
            drop_new_connections(listener)
            with pytest.raises(TimeoutError):
                connect(listener, SHORT)
            accepted, _ = listener.accept()
            with accepted:
                early.sendall(b"still here")
                accepted.settimeout(5)
                assert accepted.recv(100) == b"still here"
                accepted.sendall(b"and answered")
                assert early.recv(100) == b"and answered"
            with pytest.raises(BlockingIOError):
                listener.accept()
        accept_new_connections(listener)
        with connect(listener, 5):
            pass


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters what comes to a socket")
def test_absent_or_forbidden_filter_is_ignored() -> None:
    so_lock_filter = 44
    with closing(bind_socket("127.0.0.1", 0)) as listener:
        accept_new_connections(listener)
        drop_new_connections(listener)
        accept_new_connections(listener)
        listener.setsockopt(socket.SOL_SOCKET, so_lock_filter, 1)
        drop_new_connections(listener)
        accept_new_connections(listener)
        with connect(listener, 5):
            pass


def test_port_is_shared_only_when_both_share() -> None:
    with closing(bind_socket("127.0.0.1", 0, shared=True)) as first:
        port = first.getsockname()[1]
        with closing(bind_socket("127.0.0.1", port, shared=True)) as second:
            assert address(first) == address(second) == f"http://127.0.0.1:{port}"
        with pytest.raises(OperatorError, match=f"Can't listen on 127.0.0.1 port {port}: Address already in use"):
            bind_socket("127.0.0.1", port)
    with closing(bind_socket("127.0.0.1", 0)) as alone, pytest.raises(OperatorError):
        bind_socket("127.0.0.1", alone.getsockname()[1], shared=True)


@pytest.mark.parametrize("host", ["no name", "192.0.2.7"])
def test_refused_address_is_no_fault_of_the_port(host: str) -> None:
    claim_port(host, 8000, OWN)
    claim_port(host, 8000, OTHER)
    with pytest.raises(OperatorError, match="Set ORGDATA_HOST and ORGDATA_INTERNAL_HOST to addresses of this machine"):
        bind_socket(host, 8000)


@needs_ipv6
def test_name_of_an_ipv6_address_is_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    # What a machine without IPv4 answers for a name.
    answer = (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", 0, 0, 0))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [answer])
    with closing(bind_socket("localhost", 0)) as listener:
        assert listener.family is socket.AF_INET6


@needs_ipv6
def test_ipv6_address_has_brackets() -> None:
    with closing(bind_socket("::1", 0)) as listener:
        assert address(listener) == f"http://[::1]:{listener.getsockname()[1]}"


# Ports that several processes of a user share: only versions of one service may.

OWN = "postgresql://reader:secret@db.example/orgdata"
OTHER = "postgresql://reader:secret@db.example/another"


def test_another_database_may_not_share_a_port() -> None:
    with bind_socket("127.0.0.1", 0, shared=True) as listener:
        port = listener.getsockname()[1]
        claim_port("127.0.0.1", port, OWN)
        claim_port("127.0.0.1", port, "host=db.example dbname=orgdata user=next password=new")
        with pytest.raises(
            OperatorError, match=f"Another service listens on 127.0.0.1 port {port}, for another database"
        ):
            claim_port("127.0.0.1", port, OTHER)
    claim_port("127.0.0.1", port, OTHER)


@needs_ipv6
def test_port_of_an_unknown_process_is_tried() -> None:
    with bind_socket("::1", 0, shared=True) as listener:
        claim_port("::1", listener.getsockname()[1], OWN)


def test_free_choice_of_a_port_is_not_noted(tmp_path: Path) -> None:
    claim_port("127.0.0.1", 0, OWN)
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == []


def test_missing_temporary_folder_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(OperatorError, match=r"cannot be written: No such file or directory\. Set TMPDIR"):
        claim_port("127.0.0.1", 8000, OWN)


@pytest.mark.parametrize("made", ["link", "file"])
def test_what_others_put_into_the_temporary_folder_is_refused(tmp_path: Path, made: str) -> None:
    target, folder = tmp_path / "target", tmp_path / f"orgdata-{os.getuid()}"
    target.mkdir()
    if made == "link":
        folder.symlink_to(target)
    else:
        folder.touch()
    with pytest.raises(OperatorError, match="is no folder of this user: remove it, or set TMPDIR to another folder"):
        claim_port("127.0.0.1", 8000, OWN)
    assert list(target.iterdir()) == []
