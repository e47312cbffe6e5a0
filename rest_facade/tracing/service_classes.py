"""The classes of a service, which tracing replaces by traced ones."""

from collections.abc import Callable
from typing import NamedTuple

from db.reading.database import Database
from rest_facade.graphql.app import GraphQLApp
from rest_facade.rest.app import RestApp


class ServiceClasses(NamedTuple):
    """The classes of a service."""

    database: Callable[..., Database] = Database
    public: Callable[..., RestApp] = RestApp
    graphql: Callable[..., GraphQLApp] = GraphQLApp
