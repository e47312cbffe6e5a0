"""Engine of the owner of the tables: for migrations, keys, quotas, imports and seeding, not for requests."""

from sqlalchemy import Engine, NullPool, create_engine, make_url


def connect(url: str) -> Engine:
    """An engine without a pool. Each connection logs in anew."""
    return create_engine(make_url(url).set(drivername="postgresql+psycopg"), poolclass=NullPool)
