"""Signed tokens: only a token that was signed for the same subject verifies."""

from base64 import urlsafe_b64decode
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rest_facade.rest.links import TokenSigner, token_subject
from tests.property_tests import examples

OLD, NEW, OTHER = "an old key, long enough", "a new key, long enough", "another's key, long enough"
POSITION = "120,2026-01-05T09:00:00+00:00,0198c5a4-7a1b-7c2d-8e3f-0123456789ab"
SUBJECT = b"a subject"

BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
OWN, FOREIGN = UUID(int=1), UUID(int=2)

signer = TokenSigner([NEW])
positions = st.text(max_size=60)
anything = st.sampled_from(BASE64 + "+/= \n\0") | st.characters()


@given(positions, st.binary(max_size=60), st.binary(max_size=60))
@settings(deadline=None)
def test_signed_token_verifies_for_its_subject_alone(position: str, subject: bytes, other: bytes) -> None:
    token = signer.sign(position, subject)
    assert signer.verify(token, subject) == position
    assert signer.verify(token, other) == (position if other == subject else None)
    assert set(token) <= set(BASE64)


@given(positions, st.data())
@settings(deadline=None, max_examples=examples(100))
def test_tampered_token_does_not_verify(position: str, data: st.DataObject) -> None:
    token = signer.sign(position, SUBJECT)
    start = data.draw(st.integers(0, len(token)))
    end = data.draw(st.integers(start, min(len(token), start + 4)))
    tampered = token[:start] + data.draw(st.text(anything, max_size=8)) + token[end:]
    assume(tampered != token)
    assert signer.verify(tampered, SUBJECT) is None


@given(st.text() | st.text(st.sampled_from(BASE64)) | st.binary(max_size=80).map(lambda junk: junk.decode("latin-1")))
@settings(deadline=None)
def test_invented_token_does_not_verify(text: str) -> None:
    assert signer.verify(text, SUBJECT) is None


def test_other_spelling_of_token_does_not_verify() -> None:
    # With this position the token has every letter of the alphabet, also `-` and `_`.
    position = POSITION + "\N{SNOWMAN}" * 40
    token = signer.sign(position, SUBJECT)
    assert {"-", "_"} & set(token)
    assert signer.verify(token, SUBJECT) == position
    for other in [
        *("", token[:-1], token[1:], token[:22], f"{token}=", f"{token}==", f"{token}====", f" {token}", f"{token}\n"),
        *(f"{token[:8]}\n\n\n\n{token[8:]}", f"{token}!!!!", f"{token[:4]}===={token[4:]}", f"\0\0\0\0{token}"),
        *(token.swapcase(), token * 2, token.replace("-", "+").replace("_", "/"), "A" * 10_000, "\N{SNOWMAN}" * 22),
        *("\ud800", "%41"),
    ]:
        assert signer.verify(other, SUBJECT) is None, other


def test_position_and_subject_are_separated() -> None:
    signature = urlsafe_b64decode(signer.sign("ab", b"c") + "==")[:16]
    assert signature != urlsafe_b64decode(signer.sign("a", b"bc") + "==")[:16]
    assert signature != urlsafe_b64decode(signer.sign("abc", b"") + "==")[:16]


def test_signing_keys_can_be_rotated() -> None:
    token = TokenSigner([OLD]).sign(POSITION, SUBJECT)
    assert TokenSigner([NEW, OLD]).verify(token, SUBJECT) == POSITION
    assert TokenSigner([NEW]).verify(token, SUBJECT) is None
    assert TokenSigner([OTHER, NEW]).verify(token, SUBJECT) is None
    # The first key signs.
    assert TokenSigner([NEW]).verify(TokenSigner([NEW, OLD]).sign(POSITION, SUBJECT), SUBJECT) == POSITION
    assert TokenSigner([OLD]).verify(TokenSigner([NEW, OLD]).sign(POSITION, SUBJECT), SUBJECT) is None


def test_signer_needs_a_key() -> None:
    with pytest.raises(ValueError, match=r"^At least one signing key is needed\.$"):
        TokenSigner([])


def subject(organization_id: UUID = OWN, operation: str = "listMembers", page: int | None = 2, **given: Any) -> bytes:
    return token_subject(organization_id, operation, {"limit": 50, "page": 1} | given, page)


@pytest.mark.parametrize(
    "other",
    [
        *(subject(organization_id=FOREIGN), subject(operation="listTeams"), subject(page=3), subject(limit=49)),
        *(subject(status=["active"]), subject(is_active=True), subject(team_id=UUID(int=3))),
        *(subject(updated_since=datetime(2026, 1, 5, tzinfo=UTC)), subject(start_date=date(2026, 1, 5))),
        subject(page=None),
    ],
)
def test_page_token_is_for_one_page(other: bytes) -> None:
    assert subject() != other


def test_subject_ignores_page_of_the_request() -> None:
    assert subject() == subject(page=2, after="x") == token_subject(OWN, "listMembers", {"page": 7, "limit": 50}, 2)


def test_order_of_filters_does_not_matter() -> None:
    one = token_subject(OWN, "listMembers", {"limit": 50, "is_active": True, "search": "a"}, 2)
    assert one == token_subject(OWN, "listMembers", {"search": "a", "is_active": True, "limit": 50}, 2)
