"""Signed tokens: what we signed opens, for what it was signed for, and nothing else does."""

from base64 import urlsafe_b64decode
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rest_facade.rest.signed_tokens import TokenSigner, subject
from tests.property_tests import examples

OLD, NEW, OTHER = "an old key, long enough", "a new key, long enough", "another's key, long enough"
POSITION = "120,2026-01-05T09:00:00+00:00,0198c5a4-7a1b-7c2d-8e3f-0123456789ab"
SUBJECT = b"a subject"

BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
OWN, FOREIGN = UUID(int=1), UUID(int=2)

signer = TokenSigner([NEW])
positions = st.text(max_size=60)
anything = st.sampled_from(BASE64 + "+/= \n\0") | st.characters()


@given(positions, st.binary(max_size=60))
@settings(deadline=None)
def test_what_was_sealed_opens_for_its_subject(position: str, about: bytes) -> None:
    sealed = signer.seal(position, about)
    assert signer.open(sealed, about) == position
    assert set(sealed) <= set(BASE64)


@given(positions, st.binary(max_size=60), st.binary(max_size=60))
@settings(deadline=None)
def test_it_opens_for_no_other_subject(position: str, about: bytes, other: bytes) -> None:
    assume(about != other)
    assert signer.open(signer.seal(position, about), other) is None


@given(positions, st.data())
@settings(deadline=None, max_examples=examples(300))
def test_no_tampered_token_opens(position: str, data: st.DataObject) -> None:
    sealed = signer.seal(position, SUBJECT)
    start = data.draw(st.integers(0, len(sealed)))
    end = data.draw(st.integers(start, min(len(sealed), start + 4)))
    tampered = sealed[:start] + data.draw(st.text(anything, max_size=8)) + sealed[end:]
    assume(tampered != sealed)
    assert signer.open(tampered, SUBJECT) is None


@given(st.text() | st.text(st.sampled_from(BASE64)) | st.binary(max_size=80).map(lambda junk: junk.decode("latin-1")))
@settings(deadline=None)
def test_nothing_made_up_opens(text: str) -> None:
    assert signer.open(text, SUBJECT) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda token: "",
        lambda token: token[:-1],
        lambda token: token[1:],
        lambda token: token[:22],
        lambda token: f"{token}=",
        lambda token: f"{token}==",
        lambda token: f"{token}====",
        lambda token: f" {token}",
        lambda token: f"{token}\n",
        lambda token: f"{token[:8]}\n\n\n\n{token[8:]}",
        lambda token: f"{token}!!!!",
        lambda token: f"{token[:4]}===={token[4:]}",
        lambda token: f"\0\0\0\0{token}",
        lambda token: token.swapcase(),
        lambda token: token * 2,
        lambda token: token.replace("-", "+").replace("_", "/"),
        lambda token: "A" * 10_000,
        lambda token: "\N{SNOWMAN}" * 22,
        lambda token: "\ud800",
        lambda token: "%41",
    ],
)
def test_a_token_is_accepted_only_as_it_was_given(change: Any) -> None:
    # This position makes every letter of the alphabet likely, the last two among them.
    position = POSITION + "\N{SNOWMAN}" * 40
    token = signer.seal(position, SUBJECT)
    assert {"-", "_"} & set(token)
    assert signer.open(token, SUBJECT) == position
    assert signer.open(change(token), SUBJECT) is None


def test_a_last_letter_that_says_the_same_in_base64_is_another_token() -> None:
    for length in range(1, 9):
        sealed = signer.seal("x" * length, SUBJECT)
        for letter in BASE64.replace(sealed[-1], ""):
            assert signer.open(sealed[:-1] + letter, SUBJECT) is None


def test_a_position_and_its_subject_cannot_flow_into_each_other() -> None:
    signature = urlsafe_b64decode(signer.seal("ab", b"c") + "==")[:16]
    assert signature != urlsafe_b64decode(signer.seal("a", b"bc") + "==")[:16]
    assert signature != urlsafe_b64decode(signer.seal("abc", b"") + "==")[:16]


def test_keys_rotate() -> None:
    sealed = TokenSigner([OLD]).seal(POSITION, SUBJECT)
    assert TokenSigner([NEW, OLD]).open(sealed, SUBJECT) == POSITION
    assert TokenSigner([NEW]).open(sealed, SUBJECT) is None
    assert TokenSigner([OTHER, NEW]).open(sealed, SUBJECT) is None
    # The first signs.
    assert TokenSigner([NEW]).open(TokenSigner([NEW, OLD]).seal(POSITION, SUBJECT), SUBJECT) == POSITION
    assert TokenSigner([OLD]).open(TokenSigner([NEW, OLD]).seal(POSITION, SUBJECT), SUBJECT) is None


def test_without_a_key_nothing_can_be_signed() -> None:
    with pytest.raises(ValueError, match=r"^At least one signing key is needed\.$"):
        TokenSigner([])


def about(organization_id: UUID = OWN, operation: str = "listMembers", page: int | None = 2, **given: Any) -> bytes:
    return subject(organization_id, operation, {"limit": 50, "page": 1} | given, page)


@pytest.mark.parametrize(
    "other",
    [
        about(organization_id=FOREIGN),
        about(operation="listTeams"),
        about(page=3),
        about(limit=49),
        about(status=["active"]),
        about(is_active=True),
        about(team_id=UUID(int=3)),
        about(updated_since=datetime(2026, 1, 5, tzinfo=UTC)),
        about(start_date=date(2026, 1, 5)),
        about(page=None),
    ],
)
def test_a_hint_is_about_one_page_of_one_list(other: bytes) -> None:
    assert about() != other


def test_a_hint_is_not_about_where_the_request_stands_itself() -> None:
    assert about() == about(page=2, after="x") == subject(OWN, "listMembers", {"page": 7, "limit": 50}, 2)


def test_the_order_of_filters_means_nothing() -> None:
    one = subject(OWN, "listMembers", {"limit": 50, "is_active": True, "search": "a"}, 2)
    assert one == subject(OWN, "listMembers", {"search": "a", "is_active": True, "limit": 50}, 2)


def test_a_cursor_goes_on_with_another_limit_but_not_with_other_filters() -> None:
    days = {"start_date": date(2026, 1, 5), "timezone": "UTC"}
    cursor = subject(OWN, "listTimesheetIdleTime", {"limit": 10, **days}, None)
    assert cursor == subject(OWN, "listTimesheetIdleTime", {"limit": 3, "cursor": "x", **days}, None)
    for changed in ({"start_date": date(2026, 1, 6)}, {"timezone": "Asia/Tokyo"}, {"user_id": UUID(int=3)}):
        assert cursor != subject(OWN, "listTimesheetIdleTime", {"limit": 10, **days, **changed}, None)
    assert cursor != subject(FOREIGN, "listTimesheetIdleTime", {"limit": 10, **days}, None)
