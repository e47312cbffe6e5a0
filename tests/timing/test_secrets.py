"""Timing side channels: the duration of a refusal shows neither which keys exist nor which rows others have."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from db.admin.key_format import checksum, generate_key
from db.values.purpose import Purpose
from rest_facade.access.authentication import ApiKeys, Caller
from rest_facade.access.key_databases import KeyDatabases
from rest_facade.access.throttle import MemoryWindow, Throttle
from rest_facade.composition import Service, build_service
from rest_facade.errors.envelope import Error
from rest_facade.errors.refusals import INVALID_API_KEY
from rest_facade.settings import Settings
from tests.conftest import BASE_URL, Connect
from tests.factories.rows import Rows
from tests.timing.samples import Comparison, compare

pytestmark = pytest.mark.timing

SAMPLES = 2000
MAX_KEY_DIFFERENCE, MAX_ROW_DIFFERENCE = 50.0, 1000.0  # microseconds


def print_comparison(what: str, compared: Comparison) -> None:
    first, second, difference = compared.first, compared.second, compared.difference
    print(f"\n{what}: {first:.1f} and {second:.1f} us, {difference:.1f} apart, p = {compared.p:.3f}")  # noqa: T201


def fresh(keys: ApiKeys) -> None:
    """Forget all keys: each look-up is the first."""
    keys._known.clear()
    keys._unknown.clear()


async def ask(keys: ApiKeys, text: str) -> Caller | Error:
    """The caller of a key, from an address without failures."""
    return await keys.caller(text, Throttle(MemoryWindow()), "192.0.2.1")


@pytest.fixture
async def service(owner_url: str, settings: Settings) -> AsyncIterator[Service]:
    many = settings.model_copy(update={"quota_limit": 1_000_000, "request_log": 0.0})
    service = build_service(many, url=owner_url, base_url=BASE_URL)
    async with service.running():
        yield service


def other_secret(key: str) -> str:
    """A well-formed key with the public id of `key` and another secret."""
    body = key[: len("orgd_live_") + 9] + "x" * 32
    return body + checksum(body)


async def test_wrong_secret_takes_as_long_as_right_one(service: Service, rows: Rows) -> None:
    keys = ApiKeys(KeyDatabases(service.database))
    right = rows.partner_key(rows.organization())
    wrong = other_secret(right)
    assert isinstance(await ask(keys, right), Caller)
    assert await ask(keys, wrong) is INVALID_API_KEY
    compared = await compare(lambda: ask(keys, right), lambda: ask(keys, wrong), SAMPLES, before=lambda: fresh(keys))
    print_comparison("right and wrong secret", compared)
    assert compared.p > 0.01 or compared.difference < MAX_KEY_DIFFERENCE


async def test_wrong_secret_takes_as_long_as_unknown_key(service: Service, rows: Rows) -> None:
    keys = ApiKeys(KeyDatabases(service.database))
    wrong = other_secret(rows.partner_key(rows.organization()))
    unknown = generate_key(Purpose.partner)[0]
    compared = await compare(lambda: ask(keys, wrong), lambda: ask(keys, unknown), SAMPLES, before=lambda: fresh(keys))
    print_comparison("known and unknown public id", compared)
    assert compared.p > 0.01 or compared.difference < MAX_KEY_DIFFERENCE


async def test_foreign_row_takes_as_long_as_missing_row(service: Service, rows: Rows, client: Connect) -> None:
    own, other = rows.organization(), rows.organization()
    theirs = rows.client(other)
    async with client(rows.partner_key(own), of=service) as http:

        async def ask(id_: object) -> None:
            assert (await http.get(f"/v1/clients/{id_}/")).status_code == 404

        compared = await compare(lambda: ask(theirs), lambda: ask(uuid4()), SAMPLES)
    print_comparison("foreign and random id", compared)
    assert compared.difference < MAX_ROW_DIFFERENCE
