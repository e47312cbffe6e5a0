"""Keys: their format, what is stored of them, what rotating and revoking change, refused grants, and quotas.

Covers `db/admin/key_format.py`, `db/admin/tenant.py` and `db/admin/quotas.py`.
`tests/rest_facade/commands/test_keys.py` lists keys, and compares rights after a rotation.
"""

import re
from datetime import UTC, datetime, timedelta
from string import ascii_letters, digits
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from db.admin.key_format import ParsedKey, checksum, generate_key, parse_key
from db.admin.keys import AccessError, Grant, create_key, list_keys, revoke_key, rotate_key
from db.admin.quotas import set_quota
from db.tables.keys import api_keys
from db.values.purpose import Purpose

SOON = datetime.now(UTC) + timedelta(days=30)
PARTNER: dict[str, Any] = {"purpose": Purpose.partner, "organization_id": uuid4()}


def parsed(text: str) -> ParsedKey:
    key = parse_key(text)
    assert key is not None
    return key


def stored(owner: Connection, text: str) -> Any:
    return owner.execute(select(api_keys).where(api_keys.c.public_id == parsed(text).public_id)).one()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"purpose": Purpose.mcp, "scopes": []}, "key belongs to one organization: name it."),
        (PARTNER | {"scopes": []}, "A partner key has no scopes: it reads everything."),
        (PARTNER | {"purpose": Purpose.mcp}, "An MCP key has a list of scopes, which may be empty."),
        ({"purpose": Purpose.internal}, "An internal token expires within 90 days."),
    ],
)
def test_contradictory_grant_is_refused(values: Any, message: str) -> None:
    """`refused_commands.txt` has those that the command can ask for."""
    with pytest.raises(AccessError) as caught:
        Grant(**values)
    assert str(caught.value).endswith(message)


@pytest.mark.parametrize(
    "values",
    [
        {"purpose": "partner", "scopes": []},
        {"purpose": "mcp", "scopes": None},
        {"purpose": "internal"},
        {"purpose": "internal", "organization_id": None, "expires_at": None},
        {"purpose": "partner", "organization_id": None},
        {"purpose": "unknown"},
        {"trusted_documents_only": True},
        {"organization_id": UUID(int=1)},
    ],
    ids=str,
)
def test_table_refuses_contradictory_key(values: dict[str, Any], owner: Connection, own: UUID) -> None:
    sound = {"public_id": "Abcd1234", "digest": b"x", "purpose": "partner", "organization_id": own}
    with pytest.raises(IntegrityError):
        owner.execute(api_keys.insert(), {**sound, **values})


def test_new_key_is_stored_without_its_secret(owner: Connection, own: UUID) -> None:
    text = create_key(owner, Grant(Purpose.partner, own, label="payroll", expires_at=SOON))
    key = parsed(text)
    row = stored(owner, text)
    assert bytes(row.digest) == key.digest
    assert (row.purpose, row.organization_id, row.label, row.expires_at) == ("partner", own, "payroll", SOON)
    assert (row.organization_ids, row.scopes, row.revoked_at) == (None, None, None)
    secret = text.split("_")[-1]
    assert secret.encode() not in bytes(row.digest)
    assert secret not in repr(row)


def test_new_keys_differ(owner: Connection, own: UUID) -> None:
    keys = [create_key(owner, Grant(Purpose.mcp, own, scopes=["tasks:read"])) for _ in range(20)]
    assert len(set(keys)) == len({parsed(key).public_id for key in keys}) == 20


def test_organizations_of_a_token_are_stored(owner: Connection, own: UUID) -> None:
    one = stored(owner, create_key(owner, Grant(Purpose.internal, organization_ids=(own,), expires_at=SOON)))
    assert (one.organization_id, one.organization_ids) == (None, [own])
    assert stored(owner, create_key(owner, Grant(Purpose.internal, expires_at=SOON))).organization_ids is None


def test_revoking_again_keeps_the_first_time(owner: Connection, own: UUID) -> None:
    text = create_key(owner, Grant(Purpose.partner, own))
    public_id = parsed(text).public_id
    revoke_key(owner, public_id)
    assert stored(owner, text).revoked_at is not None
    owner.execute(api_keys.update().where(api_keys.c.public_id == public_id).values(revoked_at=SOON))
    revoke_key(owner, public_id)
    assert stored(owner, text).revoked_at == SOON
    assert [row.public_id for row in list_keys(owner, own)] == [public_id]


def test_old_key_expires_after_the_overlap(owner: Connection, own: UUID) -> None:
    moment = datetime.now(UTC)
    endless = create_key(owner, Grant(Purpose.partner, own))
    ending = create_key(owner, Grant(Purpose.partner, own, expires_at=moment + timedelta(hours=2)))
    for old, hours in ((endless, 24), (ending, 2)):
        rotate_key(owner, parsed(old).public_id, overlap=timedelta(hours=24))
        row = stored(owner, old)
        assert row.revoked_at is None
        assert timedelta(minutes=-1) < row.expires_at - moment - timedelta(hours=hours) < timedelta(minutes=1)


@pytest.mark.parametrize(("life", "age"), [(1, 20), (90, 0), (90, 1)])
def test_rotated_internal_token_keeps_its_lifetime(life: int, age: int, owner: Connection, own: UUID) -> None:
    moment = datetime.now(UTC)
    end = moment + timedelta(days=life, seconds=-1)
    old = create_key(owner, Grant(Purpose.internal, organization_ids=[own], expires_at=end))
    back = timedelta(days=age)
    owner.execute(
        api_keys.update()
        .where(api_keys.c.public_id == parsed(old).public_id)
        .values(created_at=api_keys.c.created_at - back, expires_at=api_keys.c.expires_at - back)
    )
    row = stored(owner, rotate_key(owner, parsed(old).public_id))
    assert row.organization_ids == [own]
    assert timedelta(days=life, minutes=-1) < row.expires_at - moment < timedelta(days=life, minutes=1)


def test_rotated_partner_key_may_exceed_90_days(owner: Connection, own: UUID) -> None:
    year = datetime.now(UTC) + timedelta(days=365)
    old = create_key(owner, Grant(Purpose.partner, own, expires_at=year))
    row = stored(owner, rotate_key(owner, parsed(old).public_id))
    assert timedelta(minutes=-1) < row.expires_at - year < timedelta(minutes=1)


def test_rotation_tolerates_clock_difference(owner: Connection) -> None:
    # The clock of the database may be behind the clock of the operator who asked for the longest lifetime.
    old = create_key(owner, Grant(Purpose.internal, expires_at=datetime.now(UTC) + timedelta(days=90)))
    owner.execute(
        api_keys.update()
        .where(api_keys.c.public_id == parsed(old).public_id)
        .values(created_at=api_keys.c.created_at - timedelta(seconds=2))
    )
    assert stored(owner, rotate_key(owner, parsed(old).public_id)).revoked_at is None


@pytest.mark.parametrize("limit", [0, -1])
def test_quota_below_one_is_refused(limit: int, owner: Connection, own: UUID) -> None:
    with pytest.raises(IntegrityError):
        set_quota(owner, own, "members", limit)


SECRET = "0123456789abcdefABCDEFGHIJKLMNOP"
LIVE = f"orgd_live_Ab3dEf9Z_{SECRET}1pv4MM"
MCP = f"orgd_mcp_Ab3dEf9Z_{SECRET}3Lb2z5"
TOKEN = f"orgd_int_Ab3dEf9Z_{SECRET}2pXhj4"


@pytest.mark.parametrize(("text", "purpose"), [(LIVE, Purpose.partner), (MCP, Purpose.mcp), (TOKEN, Purpose.internal)])
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


@given(st.sampled_from([LIVE, MCP, TOKEN]), st.data())
@settings(deadline=None)
def test_key_with_one_edit_is_invalid(key: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(key) - 1))
    other = data.draw(st.sampled_from(ascii_letters + digits) | st.characters())
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
