"""Ports that several processes of a user share: only versions of one service may."""

from pathlib import Path

import pytest

from rest_facade.server.sockets import StartError, bind_socket, claim_port
from tests.rest_facade.server.ipv6 import has_ipv6

OWN = "postgresql://reader:secret@db.example/orgdata"
OTHER = "postgresql://reader:secret@db.example/another"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_another_database_may_not_share_a_port() -> None:
    with bind_socket("127.0.0.1", 0, shared=True) as listener:
        port = listener.getsockname()[1]
        claim_port("127.0.0.1", port, OWN)
        claim_port("127.0.0.1", port, "host=db.example dbname=orgdata user=next password=new")
        with pytest.raises(StartError, match=f"Another service listens on 127.0.0.1 port {port}, for another database"):
            claim_port("127.0.0.1", port, OTHER)
    claim_port("127.0.0.1", port, OTHER)


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_port_of_an_unknown_process_is_tried() -> None:
    with bind_socket("::1", 0, shared=True) as listener:
        claim_port("::1", listener.getsockname()[1], OWN)


def test_free_choice_of_a_port_is_not_noted(tmp_path: Path) -> None:
    claim_port("127.0.0.1", 0, OWN)
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == []
