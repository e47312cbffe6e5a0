"""Key format: generated keys, parsing, and the checksum, which detects every single error."""

import hashlib
import re
from collections.abc import Callable
from string import ascii_letters, digits

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.admin.key_format import ParsedKey, checksum, digest, generate_key, parse_key
from db.values.purpose import Purpose

SECRET = "0123456789abcdefABCDEFGHIJKLMNOP"
LIVE = f"orgd_live_Ab3dEf9Z_{SECRET}1pv4MM"
MCP = f"orgd_mcp_Ab3dEf9Z_{SECRET}3Lb2z5"
INTERNAL = f"orgd_int_Ab3dEf9Z_{SECRET}2pXhj4"

keys = st.sampled_from([LIVE, MCP, INTERNAL])
letters = st.sampled_from(ascii_letters + digits)


@pytest.mark.parametrize(
    ("text", "purpose"), [(LIVE, Purpose.partner), (MCP, Purpose.mcp), (INTERNAL, Purpose.internal)]
)
def test_parse_key_returns_the_parts(text: str, purpose: Purpose) -> None:
    stored = bytes.fromhex("723ba611d1fa7978301ce7625b8760e28e36a6298db5d46b3a696eb2139e0927")
    assert parse_key(text) == ParsedKey(purpose, "Ab3dEf9Z", stored)


@pytest.mark.parametrize(
    ("purpose", "shape"),
    [
        (Purpose.partner, r"orgd_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}"),
        (Purpose.mcp, r"orgd_mcp_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}"),
        (Purpose.internal, r"orgd_int_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}"),
    ],
)
def test_generated_key_matches_format_and_parses(purpose: Purpose, shape: str) -> None:
    text, key = generate_key(purpose)
    assert re.fullmatch(shape, text)
    assert parse_key(text) == key
    assert key.purpose is purpose


def test_parsed_key_holds_digest_and_repr_hides_it() -> None:
    text, key = generate_key(Purpose.partner)
    secret = text.split("_")[3][:32]
    assert key.digest == hashlib.sha256(secret.encode()).digest()
    assert repr(key) == f"ParsedKey(purpose=<Purpose.partner: 'partner'>, public_id='{key.public_id}')"


def test_digest_is_sha_256() -> None:
    assert digest("abc").hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize(
    ("body", "expected"), [("123456789", "3jZRME"), ("", "000000"), ("orgd_live_00000000_" + "0" * 32, "243wxN")]
)
def test_checksum_is_crc_32_in_six_digits(body: str, expected: str) -> None:
    assert checksum(body) == expected


@given(keys, st.data())
@settings(deadline=None)
def test_key_with_one_edit_is_invalid(key: str, data: st.DataObject) -> None:
    at, other = (data.draw(st.integers(0, len(key) - 1)), data.draw(letters | st.characters()))
    before, here, next_, after = key[:at], key[at], key[at + 1 : at + 2], key[at + 2 :]
    changed, added = before + other + next_ + after, before + other + here + next_ + after
    left_out, swapped = before + next_ + after, before + next_ + here + after
    assert parse_key(key) is not None
    assert [text for text in (changed, added, left_out, swapped) if text != key and parse_key(text) is not None] == []


@given(
    st.text()
    | st.from_regex(r"orgd_(live|mcp|int)_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}", fullmatch=True)
    | st.builds(str.__add__, keys, st.sampled_from([" ", "\n", "\0", "x", "é"]))
    | st.builds(str.__add__, st.sampled_from([" ", "\n", "Bearer "]), keys)
)
@settings(deadline=None)
def test_other_text_is_invalid(text: str) -> None:
    """A random checksum is right once in 4 thousand million times."""
    assert parse_key(text) is None


def test_text_similar_to_a_key_is_invalid() -> None:
    changes: list[Callable[[str], str]] = [
        str.upper,
        str.lower,
        str.swapcase,
        lambda key: key * 1000,
        lambda key: key.replace("orgd_live_", "orgd_mcp_"),
        lambda key: key.replace("orgd_live_", "orgd_test_"),
        lambda key: key.replace("orgd_live_", ""),
        lambda key: key.replace("0", "\N{FULLWIDTH DIGIT ZERO}"),
        lambda key: key.replace("0", "\N{ARABIC-INDIC DIGIT ZERO}"),
        lambda key: key.replace("_", "-"),
        lambda key: key[:-6],
        lambda key: f"{key}\n",
        lambda key: f"{key}\0",
        lambda key: f"{key},{key}",
    ]
    for change in changes:
        assert parse_key(change(LIVE)) is None
