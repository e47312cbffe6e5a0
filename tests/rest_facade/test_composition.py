"""Composition: the signer of screenshots' URLs from the settings."""

import pytest

from resolvers.signed_urls import UrlSigner
from rest_facade.composition import url_signer
from rest_facade.settings import SettingsError, load

KEY = "a secret of the store"


def test_url_signer_has_the_configured_store() -> None:
    assert url_signer(load({"screenshot_url": "https://img.example/x/", "screenshot_key": KEY})) == UrlSigner(
        "https://img.example/x", KEY
    )


def test_no_store_means_no_url_signer() -> None:
    assert url_signer(load()) is None
    assert url_signer(load({"screenshot_url": "", "screenshot_key": ""})) is None
    assert url_signer(load({"screenshot_key": KEY})) is None


def test_store_needs_https_and_a_long_key() -> None:
    url = "https://img.example"
    for wrong, message in [
        ({"screenshot_url": "http://img.example", "screenshot_key": KEY}, "SCREENSHOT_URL: .*https://"),
        ({"screenshot_url": url}, "SCREENSHOT_KEY: .*together with ORGDATA_SCREENSHOT_URL"),
        ({"screenshot_url": url, "screenshot_key": ""}, "SCREENSHOT_KEY: .*together"),
        ({"screenshot_url": url, "screenshot_key": "x" * 15}, "SCREENSHOT_KEY: .*at least 16 characters"),
    ]:
        with pytest.raises(SettingsError, match=message):
            load(wrong)
