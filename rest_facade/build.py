"""The composition root: from settings to the two applications, in one function whose arguments are the seams."""

from dataclasses import dataclass

from starlette.applications import Starlette

from db.database import Database
from resolvers.pictures import Pictures
from rest_facade.cors import Cors
from rest_facade.counter import Counter, memory
from rest_facade.hint import Signer
from rest_facade.identity import Keys
from rest_facade.internal import internal
from rest_facade.public import Public
from rest_facade.quota import Quota
from rest_facade.routing import Router
from rest_facade.settings import Settings
from rest_facade.throttle import WINDOW, Throttle
from rest_facade.v1 import ENDPOINTS


@dataclass(frozen=True)
class Service:
    """What one process serves, and what it must open before and close after."""

    public: Public
    internal: Starlette
    database: Database


def build(settings: Settings, *, url: str, base_url: str) -> Service:
    """The service over the database at `url`; `base_url` is what clients put before /v1/."""
    database = Database(
        url,
        size=settings.pool_size,
        wait=settings.pool_wait,
        statement_timeout=settings.statement_timeout,
        prepare_threshold=settings.prepare_threshold,
    )
    public = Public(
        router=Router(ENDPOINTS),
        throttle=Throttle(Counter(memory(), prefix="throttle", window=WINDOW)),
        keys=Keys(database),
        quota=Quota(Counter(memory(), prefix="quota", window=settings.quota_window), settings.quota_limit),
        signer=Signer([key.get_secret_value() for key in settings.signing_keys]),
        cors=Cors(settings.cors_origins),
        database=database,
        settings=settings,
        base_url=base_url,
        pictures=pictures(settings),
    )
    return Service(public, internal(database), database)


def pictures(settings: Settings) -> Pictures | None:
    """Where screenshots are fetched from; None where no store of objects is set."""
    if settings.screenshot_url is None or settings.screenshot_key is None:
        return None
    return Pictures(settings.screenshot_url, settings.screenshot_key.get_secret_value())
