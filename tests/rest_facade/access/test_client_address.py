"""Client addresses: which entry of X-Forwarded-For counts, and in which form."""

from ipaddress import IPv6Network, ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rest_facade.access.client_address import forwarded_address, peer_address, shortened_address

PROXIES = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


def test_port_of_a_forwarded_address_is_ignored() -> None:
    for entry, address in [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:5555", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("[2001:db8::1]", "2001:db8::/64"),
        ("[2001:db8::1]:443", "2001:db8::/64"),
        ("[::ffff:203.0.113.7]:443", "203.0.113.7"),
        ("2001:db8::443", "2001:db8::/64"),
    ]:
        assert forwarded_address("10.0.0.1", entry, PROXIES) == address
        assert forwarded_address("10.0.0.1", f"198.51.100.1, {entry}, 10.0.0.2:8080", PROXIES) == address


def test_client_address_is_rightmost_untrusted_hop() -> None:
    for peer, forwarded, address in [
        ("198.51.100.1", None, "198.51.100.1"),
        ("198.51.100.1", "203.0.113.1", "198.51.100.1"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "203.0.113.1", "203.0.113.1"),
        ("10.0.0.1", "203.0.113.1, 203.0.113.2", "203.0.113.2"),
        ("10.0.0.1", "203.0.113.1,203.0.113.2", "203.0.113.2"),
        ("10.0.0.1", " 203.0.113.1 ", "203.0.113.1"),
        ("10.0.0.1", "203.0.113.1, 203.0.113.2, 10.0.0.3, 10.0.0.2", "203.0.113.2"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", "203.0.113.1, junk, 10.0.0.2", "10.0.0.2"),
        # A malformed entry leaves the proxy itself.
        *(
            ("10.0.0.1", entry, "10.0.0.1")
            for entry in ("", "unknown", "203.0.113.7:http", "203.0.113.7:123456", "[2001:db8::1", "_hidden:1")
        ),
        ("10.0.0.1", "2001:db8::1", "2001:db8::/64"),
        ("10.0.0.1", "2001:db8::1%eth0", "2001:db8::/64"),
        ("10.0.0.1", "::ffff:203.0.113.1", "203.0.113.1"),
        ("::ffff:10.0.0.1", "203.0.113.1", "203.0.113.1"),
        ("fd00::1", "203.0.113.1, fd00::2", "203.0.113.1"),
        ("2001:db8::1", None, "2001:db8::/64"),
        ("2001:db8:0:0:ffff::1", None, "2001:db8::/64"),
        ("::1", None, "::/64"),
        ("fe80::1%eth0", None, "fe80::/64"),
        ("unknown", "203.0.113.1", "unknown"),
        ("/run/orgdata.sock", None, "/run/orgdata.sock"),
        ("10.0.0.1", ",".join(["203.0.113.1"] + ["10.0.0.2"] * 31), "203.0.113.1"),
        ("10.0.0.1", ",".join(["203.0.113.1"] + ["10.0.0.2"] * 32), "10.0.0.2"),
        ("10.0.0.1", ",".join(["203.0.113.1"] + ["10.0.0.2"] * 2000), "10.0.0.2"),
    ]:
        counted = peer_address(peer) if forwarded is None else forwarded_address(peer, forwarded, PROXIES)
        assert counted == address


addresses = st.ip_addresses().map(str)
hops = addresses | st.ip_addresses(network="10.0.0.0/8").map(str) | st.text(max_size=20)


@given(peer=addresses, forwarded=st.lists(hops, max_size=5).map(",".join) | st.text(), trusted=st.booleans())
@settings(deadline=None)
def test_client_address_is_always_an_address(peer: str, forwarded: str, trusted: bool) -> None:
    address = forwarded_address(peer, forwarded, PROXIES if trusted else ())
    network = ip_network(address)
    assert network.prefixlen == (64 if isinstance(network, IPv6Network) else 32)
    if not trusted or not any(ip_address(peer) in proxy for proxy in PROXIES):
        assert address == peer_address(peer)


@given(
    claimed=st.lists(hops, max_size=5),
    client=st.ip_addresses(network="198.51.100.0/24").map(str),
    proxies=st.lists(st.ip_addresses(network="10.0.0.0/8").map(str), min_size=1, max_size=5),
)
@settings(deadline=None)
def test_client_cannot_hide_its_address(claimed: list[str], client: str, proxies: list[str]) -> None:
    peer, *between = proxies
    assert forwarded_address(peer, ", ".join([*claimed, client, *between]), PROXIES) == client


@pytest.mark.parametrize(
    ("address", "shortened"),
    [("192.0.2.77", "192.0.2.0/24"), ("2001:db8:1:2::/64", "2001:db8:1::/48"), ("unknown", "unknown"), ("", "")],
)
def test_shortened_address_is_its_network(address: str, shortened: str) -> None:
    assert shortened_address(address) == shortened
