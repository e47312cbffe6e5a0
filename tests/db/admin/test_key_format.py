"""Key format: generated keys, parsing, and the checksum, which detects every single error."""

import re
from string import ascii_letters, digits

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.admin.key_format import ParsedKey, checksum, generate_key, parse_key
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
    ("purpose", "word"), [(Purpose.partner, "live"), (Purpose.mcp, "mcp"), (Purpose.internal, "int")]
)
def test_generated_key_matches_format_and_parses(purpose: Purpose, word: str) -> None:
    text, key = generate_key(purpose)
    assert re.fullmatch(rf"orgd_{word}_[0-9A-Za-z]{{8}}_[0-9A-Za-z]{{38}}", text)
    assert parse_key(text) == key
    assert repr(key) == f"ParsedKey(purpose={purpose!r}, public_id='{key.public_id}')"


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


def test_text_similar_to_a_key_is_invalid() -> None:
    other_prefixes = [LIVE.replace("orgd_live_", prefix) for prefix in ("orgd_mcp_", "orgd_test_", "")]
    others = [LIVE[:-6], f"{LIVE[:-6]}000000", LIVE.swapcase(), LIVE.replace("0", "\N{FULLWIDTH DIGIT ZERO}")]
    longer = [f" {LIVE}", f"{LIVE}\n", f"{LIVE}\0", f"{LIVE}x", f"{LIVE},{LIVE}"]
    assert [text for text in (*other_prefixes, *others, *longer) if parse_key(text) is not None] == []
