"""Signed URLs: signature, expiry and encoding of the object key."""

from datetime import UTC, datetime, timedelta

from resolvers.signed_urls import UrlSigner

PICTURES = UrlSigner("https://img.example", "a secret of the store")
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def test_url_expires_after_15_minutes_in_whole_seconds() -> None:
    for microseconds in (0, 999_999):
        assert PICTURES.expiry(NOON + timedelta(microseconds=microseconds)) == datetime(2026, 1, 5, 12, 15, tzinfo=UTC)


def test_url_is_signed_over_key_and_expiry() -> None:
    # As: printf 't.jpg\\n1767615300' | openssl dgst -sha256 -hmac 'a secret of the store'
    assert PICTURES.url("t.jpg", NOON) == (
        "https://img.example/t.jpg?expires=1767615300"
        "&signature=25921cc1bcaa382998da8b001513284b8f694997f4e98e95083173133d9fbd94"
    )


def test_object_key_is_percent_encoded() -> None:
    url = PICTURES.url("a b/c?d#e&f=g", NOON)
    assert url.startswith("https://img.example/a%20b/c%3Fd%23e%26f%3Dg?expires=")


def test_secret_is_not_in_the_repr() -> None:
    assert "secret" not in repr(PICTURES)
