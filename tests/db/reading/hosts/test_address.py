"""Database addresses: both spellings, several hosts, libpq's variables; no message shows a part of a bad address."""

import pytest

from db.reading.hosts.address import ListedHost, SessionTarget, parse_address

SECRET = "correct-horse"


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGHOSTADDR", "PGPORT", "PGTARGETSESSIONATTRS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("postgresql://u@h1:5433,h2:5434/db", ["h1:5433", "h2:5434"]),
        ("postgres://u@h1,h2/db", ["h1:5432", "h2:5432"]),
        ("postgresql://u@h1,h2:5433/db", ["h1:5432", "h2:5433"]),
        ("host=h1,h2 port=5433 user=u dbname=db", ["h1:5433", "h2:5433"]),
        ("host=h1,h2 port=5433,5434", ["h1:5433", "h2:5434"]),
        ("hostaddr=192.0.2.1,192.0.2.2", ["192.0.2.1:5432", "192.0.2.2:5432"]),
        ("host=h1,h2 hostaddr=192.0.2.1,192.0.2.2", ["h1:5432", "h2:5432"]),
        ("postgresql://[::1]:5433,192.0.2.1/db", ["[::1]:5433", "192.0.2.1:5432"]),
        ("host=/run/a,/run/b", ["/run/a:5432", "/run/b:5432"]),
        ("postgresql://h1,/db", ["h1:5432", "local:5432"]),
        ("postgresql:///db", ["local:5432"]),
        ("dbname=db", ["local:5432"]),
        ("service=records", ["local:5432"]),
    ],
)
def test_both_spellings_list_hosts(text: str, hosts: list[str]) -> None:
    address = parse_address(text)
    assert [str(host) for host in address.hosts] == hosts
    assert address.target is SessionTarget.any


def test_names_and_addresses_are_told_apart() -> None:
    assert parse_address("host=h1,h2,/run/a hostaddr=,192.0.2.2, port=1,2,3").hosts == (
        ListedHost("h1", 1),
        ListedHost("h2", 2, "192.0.2.2"),
        ListedHost("/run/a", 3),
    )
    hosts = parse_address("host=h1,h2,/run/a,@b,192.0.2.3,::1 hostaddr=,192.0.2.2,,,,").hosts
    assert [host.is_name for host in hosts] == [True, False, False, False, False, False]


def test_other_parameters_are_kept() -> None:
    address = parse_address(f"postgresql://u:{SECRET}@h1,h2/db?sslmode=require&load_balance_hosts=random")
    assert address.parameters == {"user": "u", "password": SECRET, "dbname": "db", "sslmode": "require"}
    assert SECRET not in repr(address)


@pytest.mark.parametrize("target", SessionTarget)
def test_target_is_read_from_both_spellings(target: SessionTarget) -> None:
    for text in (f"postgresql://h1,h2/db?target_session_attrs={target}", f"host=h1 target_session_attrs={target}"):
        assert parse_address(text).target is target


def test_variables_of_libpq_fill_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "h1,h2")
    monkeypatch.setenv("PGPORT", "5433")
    monkeypatch.setenv("PGTARGETSESSIONATTRS", "primary")
    address = parse_address("postgresql:///db")
    assert ([str(host) for host in address.hosts], address.target) == (["h1:5433", "h2:5433"], SessionTarget.primary)
    assert [str(host) for host in parse_address("host=h3").hosts] == ["h3:5433"]
    # A service file may name the hosts; libpq reads it.
    assert parse_address("service=records").hosts == (ListedHost(None, None),)


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f"mysql://u:{SECRET}@h/db",
        f"postgresql://u:{SECRET}%zz@h/db",
        f"postgresql://u:{SECRET}@h/db?unknown=1",
        f"host=h password='{SECRET}",
        f"postgresql://u:{SECRET}@h/db?target_session_attrs=fastest",
        f"postgresql://u:{SECRET}@h:0/db",
        f"postgresql://u:{SECRET}@h:65536/db",
        f"host=h1,h2,h3 port=1,2 password={SECRET}",
        f"host=h1,h2 hostaddr=192.0.2.1 password={SECRET}",
        # A password with characters that need an escape.
        f"postgresql://u:x@{SECRET}@h/db",
        f"postgresql://u:{SECRET}/x@h/db",
    ],
)
def test_bad_address_is_refused_without_its_text(text: str) -> None:
    with pytest.raises(ValueError) as raised:
        parse_address(text)
    assert str(raised.value).startswith("should ")
    assert SECRET not in f"{raised.value}{raised.value.__cause__}"
