"""Settings: each is described, a mistake names the setting, and no secret is shown.

Covers `rest_facade/composition.py`: the signer of screenshots' URLs.
"""

from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from db.errors import OperatorError
from resolvers.signed_urls import UrlSigner
from rest_facade.composition import url_signer
from rest_facade.settings import Settings, load, require_settings

KEY = "0123456789abcdef"
SECRET = "correct-horse-battery-staple"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to start in, without a setting in the environment."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ORGDATA_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(settings: Settings) -> str:
    return f"{settings} {settings!r} {settings.model_dump()} {settings.model_dump_json()}"


def test_every_setting_is_described() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name
        # Messages and docs/settings.md add the full stop.
        assert not field.description.endswith("."), name


def test_defaults() -> None:
    hosts = {"host": "127.0.0.1", "port": 8000, "internal_host": "127.0.0.1", "internal_port": 8001}
    defaults = {
        "signing_keys": (),
        "cors_origins": ("*",),
        "trusted_proxies": (),
        "quota_limit": 30,
        "quota_window": 60,
    }
    assert load().model_dump(include=hosts.keys() | defaults.keys()) == hosts | defaults


def test_setting_is_read_from_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text, value in [
        ("host", "0.0.0.0", "0.0.0.0"),
        ("port", "0", 0),
        ("internal_port", "65535", 65535),
        ("public_url", "https://api.example.com", "https://api.example.com"),
        ("public_url", "https://example.com/base/", "https://example.com/base"),
        *((name, "", None) for name in ("public_url", "keys_database_url", "prepare_threshold")),
        ("cors_origins", "*", ("*",)),
        ("cors_origins", "https://a.example, https://b.example", ("https://a.example", "https://b.example")),
        *((name, "", ()) for name in ("cors_origins", "trusted_proxies")),
        ("trusted_proxies", "10.0.0.0/8, 192.0.2.1", (ip_network("10.0.0.0/8"), ip_network("192.0.2.1/32"))),
        ("trusted_proxies", "fd00::/8,", (ip_network("fd00::/8"),)),
        *((name, "7", 7) for name in ("quota_limit", "quota_window", "pool_size")),
        *((name, "0.5", 0.5) for name in ("pool_wait", "statement_timeout", "deadline")),
        ("prepare_threshold", "0", 0),
    ]:
        monkeypatch.setenv(f"ORGDATA_{name.upper()}", text)
        assert getattr(load(), name) == value, name


def test_comma_list_keeps_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORGDATA_SIGNING_KEYS", f"{KEY}1, {KEY}2,,")
    assert [key.get_secret_value() for key in load().signing_keys] == [f"{KEY}1", f"{KEY}2"]


MALFORMED = {
    # To a socket an empty address is every one of the machine.
    "host": ("",),
    "internal_host": ("",),
    "port": ("http", "-1", "65536", "", "80.5"),
    "internal_port": ("x",),
    "public_url": (
        *("api.example.com", "ftp://api.example.com", "HTTP//x", "http://", "https://", "https:///v1", "https://a b"),
        "https://api.example.com?x=1",
    ),
    "cors_origins": [
        f"https://b.example,{origin}" for origin in ("example.com", "https://a.example/", "https://a.example/app")
    ],
    "signing_keys": ("short", f"{KEY},short"),
    "trusted_proxies": ("proxy", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/8,x"),
    "quota_limit": ("0", "-5", "many", "30/min"),
    "quota_window": ("0", "60s"),
    "quota_store": ("redis", "", "redis+sentinel://host:26379", "redis+sentinel://host/name/0"),
    "quota_store_grace": ("-1", "301", "nan"),
    "pool_size": ("0",),
    "pool_wait": ("0", "-1", "nan", "2s"),
    # PostgreSQL counts whole milliseconds, and to it 0 means: for ever.
    "statement_timeout": ("0", "nan", "0.0005", "inf"),
    "deadline": ("-1", "soon", "inf"),
    "drain": ("-1", "inf"),
    "prepare_threshold": ("-1", "never"),
    "request_log": ("-0.1", "1.1", "all", "nan"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_value_names_setting_and_description(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in MALFORMED[name]:
        monkeypatch.setenv(f"ORGDATA_{name.upper()}", text)
        with pytest.raises(OperatorError) as raised:
            pytest.fail(f"{text!r} is {getattr(load(), name)}")
        message = str(raised.value)
        assert message.startswith(f"ORGDATA_{name.upper()}: "), text
        assert str(Settings.model_fields[name].description) in message


@pytest.mark.parametrize(
    "text",
    [
        "postgres",
        "localhost:5432/orgdata",
        f"mysql://orgdata:{SECRET}@db/orgdata",
        f"http://orgdata:{SECRET}@db/orgdata",
        f"postgresql://orgdata:{SECRET}@h1:5432,h2:x/orgdata",
        f"host=h1,h2 port=1,2,3 password={SECRET}",
        f"host=h1,h2 target_session_attrs=best password={SECRET}",
        f"password={SECRET} no-parameter=1",
    ],
)
def test_malformed_database_url_is_refused(text: str) -> None:
    for name in ("DATABASE_URL", "KEYS_DATABASE_URL"):
        with pytest.raises(OperatorError, match=rf"^ORGDATA_{name}: should .*\. Expected: ") as raised:
            load({name.lower(): text})
        assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://orgdata:{SECRET}@h1:5432,h2:5432/orgdata",
        f"postgresql://orgdata:{SECRET}@h1,h2/orgdata?target_session_attrs=prefer-standby",
        f"host=h1,h2 port=5432 user=orgdata password={SECRET} dbname=orgdata target_session_attrs=primary",
    ],
)
def test_addresses_may_have_several_hosts(text: str) -> None:
    for name in ("database_url", "keys_database_url"):
        settings = load({name: text})
        assert getattr(settings, name).get_secret_value() == text
        assert SECRET not in shown(settings)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        *((name, r"Did you mean ORGDATA_PORT\?$") for name in ("ORGDATA_PROT", "orgdata_prot", "ORGDATA_PORT_")),
        # Only secrets have files.
        ("ORGDATA_PORT_FILE", r"Did you mean ORGDATA_PORT\?"),
        ("ORGDATA_", "Settings are: .*ORGDATA_PORT, "),
    ],
)
def test_unknown_setting_names_the_nearest_or_the_known(
    name: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "8000")
    with pytest.raises(OperatorError, match=rf"^{name} is not a setting\. {message}"):
        load()


def test_variables_of_clients_and_others_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KEY", "URL", "TOKEN", "ORGANIZATION", "OWNER_PASSWORD", "SERVICE_PASSWORD"):
        monkeypatch.setenv(f"ORGDATA_{name}", SECRET)
    monkeypatch.setenv("PORT", "1")
    monkeypatch.setenv("XORGDATA_PORT", "2")
    assert load().port == 8000


def test_override_wins_over_environment_and_that_over_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The file is often shared with the database's container.
    ports = "# ports\nORGDATA_PORT=9000\nORGDATA_INTERNAL_PORT=9001\nPORT=1\n"
    (folder / ".env").write_text(f"{ports}POSTGRES_PASSWORD={SECRET}\nORGDATA_SIGNING_KEYS={KEY}\n")
    monkeypatch.setenv("ORGDATA_INTERNAL_PORT", "9002")
    settings = load()
    assert (settings.port, settings.internal_port) == (9000, 9002)
    assert settings.signing_keys[0].get_secret_value() == KEY
    assert load({"internal_port": 9003}).internal_port == 9003


def test_unknown_setting_in_env_file_is_refused(folder: Path) -> None:
    (folder / ".env").write_text("ORGDATA_PROT=9000\n")
    with pytest.raises(OperatorError, match=r"^ORGDATA_PROT\b"):
        load()


def secrets() -> dict[str, Any]:
    return {
        "database_url": f"postgresql://orgdata:{SECRET}@db/orgdata",
        "keys_database_url": f"host=db user=orgdata password={SECRET} dbname=orgdata",
        "signing_keys": f"{SECRET},{SECRET}-2",
    }


def test_secrets_are_not_shown() -> None:
    settings = load(secrets())
    assert SECRET not in shown(settings)
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == f"postgresql://orgdata:{SECRET}@db/orgdata"


@pytest.mark.parametrize(
    "wrong",
    [
        *({"signing_keys": keys} for keys in (f"{SECRET},no", SECRET[:15], (SECRET[:15],))),
        {"port": "x"},
        {"prot": SECRET},
    ],
)
def test_errors_do_not_show_secrets(wrong: dict[str, Any]) -> None:
    with pytest.raises(OperatorError) as raised:
        load(secrets() | wrong)
    assert SECRET[:15] not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None or raised.value.__suppress_context__


def test_require_returns_or_names_the_setting() -> None:
    assert require_settings(load({"port": 9000}), "port") == 9000
    for name in ("database_url", "signing_keys"):
        description = Settings.model_fields[name].description
        with pytest.raises(OperatorError) as raised:
            require_settings(load(), name)
        assert str(raised.value).startswith(f"ORGDATA_{name.upper()} is not set.")
        assert str(description) in str(raised.value)


def test_empty_secret_counts_as_unset() -> None:
    with pytest.raises(OperatorError, match=r"^ORGDATA_DATABASE_URL is not set\."):
        require_settings(load({"database_url": ""}), "database_url")


def test_env_file_is_text_in_utf_8(folder: Path) -> None:
    (folder / ".env").write_bytes(b"\xef\xbb\xbfORGDATA_PORT=9000\r\n")
    assert load().port == 9000
    (folder / ".env").write_text("ORGDATA_PORT=9000", encoding="utf-16")
    with pytest.raises(OperatorError, match=r"^\.env is no text in UTF-8\.$"):
        load()


@pytest.mark.parametrize("variable", ["ORGDATA_SIGNING_KEYS_FILE", "orgdata_signing_keys_file"])
def test_secret_is_read_from_a_file(variable: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "keys").write_text(f"{SECRET}\n")
    monkeypatch.setenv(variable, str(folder / "keys"))
    settings = load()
    assert [key.get_secret_value() for key in settings.signing_keys] == [SECRET]
    assert SECRET not in shown(settings)


def test_unreadable_or_second_secret_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "key").write_bytes(b"\xff")
    for path, variable, message in (
        ("missing", None, "ORGDATA_MCP_KEY_FILE: missing cannot be read: No such file or directory."),
        ("key", None, "ORGDATA_MCP_KEY_FILE: key is no text in UTF-8."),
        ("key", SECRET, "ORGDATA_MCP_KEY and ORGDATA_MCP_KEY_FILE are both set: remove one of them."),
    ):
        monkeypatch.setenv("ORGDATA_MCP_KEY_FILE", path)
        if variable is not None:
            monkeypatch.setenv("ORGDATA_MCP_KEY", variable)
        with pytest.raises(OperatorError) as raised:
            load()
        assert str(raised.value) == message


STORE_KEY = "a secret of the store"


def test_url_signer_has_the_configured_store() -> None:
    assert url_signer(load({"screenshot_url": "https://img.example/x/", "screenshot_key": STORE_KEY})) == UrlSigner(
        "https://img.example/x", STORE_KEY
    )


def test_no_store_means_no_url_signer() -> None:
    assert url_signer(load()) is None
    assert url_signer(load({"screenshot_url": "", "screenshot_key": ""})) is None
    assert url_signer(load({"screenshot_key": STORE_KEY})) is None


def test_store_needs_https_and_a_long_key() -> None:
    url = "https://img.example"
    for wrong, message in [
        ({"screenshot_url": "http://img.example", "screenshot_key": STORE_KEY}, "SCREENSHOT_URL: .*https://"),
        *(
            ({"screenshot_url": f"https://{wrong}"}, "SCREENSHOT_URL: .*https://")
            for wrong in ("", "/x", "a b", "a?b=c")
        ),
        ({"screenshot_url": url}, "SCREENSHOT_KEY: .*together with ORGDATA_SCREENSHOT_URL"),
        ({"screenshot_url": url, "screenshot_key": ""}, "SCREENSHOT_KEY: .*together"),
        ({"screenshot_url": url, "screenshot_key": "x" * 15}, "SCREENSHOT_KEY: .*at least 16 characters"),
    ]:
        with pytest.raises(OperatorError, match=message):
            load(wrong)
