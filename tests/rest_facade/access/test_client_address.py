"""Client addresses: which entry of X-Forwarded-For counts, and in which form."""

from ipaddress import ip_network

import pytest

from rest_facade.access.client_address import client_address

PROXIES = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:5555", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("[2001:db8::1]", "2001:db8::/64"),
        ("[2001:db8::1]:443", "2001:db8::/64"),
        ("[::ffff:203.0.113.7]:443", "203.0.113.7"),
        ("2001:db8::443", "2001:db8::/64"),
    ],
)
def test_port_of_a_forwarded_address_is_ignored(entry: str, address: str) -> None:
    assert client_address("10.0.0.1", entry, PROXIES) == address
    assert client_address("10.0.0.1", f"198.51.100.1, {entry}, 10.0.0.2:8080", PROXIES) == address


@pytest.mark.parametrize(
    "entry", ["", "unknown", "203.0.113.7:http", "203.0.113.7:123456", "[2001:db8::1", "_hidden:1"]
)
def test_malformed_entry_leaves_the_proxy_itself(entry: str) -> None:
    assert client_address("10.0.0.1", entry, PROXIES) == "10.0.0.1"


def test_entries_of_untrusted_peers_are_ignored() -> None:
    assert client_address("198.51.100.9", "203.0.113.7:5555", PROXIES) == "198.51.100.9"
