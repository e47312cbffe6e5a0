"""Sources of field values: attributes of rows, and resolvers, called without graphql-core's executor."""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from graphql import GraphQLField, GraphQLSchema

from db.reading.time_slices import in_time_slices
from resolvers.relations.batching import BatchResolver
from schema.execution.arguments import Arguments
from schema.execution.state import Column, ExecutionState, PathAt, gather_or_cancel
from schema.fields import value_of

CALLS_PER_SLICE = 500
"""Calls of resolvers that are plain functions in one go."""


class Access(NamedTuple):
    """How generated Python reads an object: `attribute` makes the source of an attribute from its name.

    `variable` is the object itself; None if it is no object, but in columns of a row. Then `presence` is the source of
    what is null where there is none; None if there always is one.
    """

    attribute: Callable[[str], str]
    variable: str | None = None
    presence: str | None = None


class Source:
    """The source of a field's values: an attribute or a resolver."""

    names: Mapping[str, Any] = {}
    """The globals that `expression` uses."""

    def expression(self, access: Access) -> str | None:
        """Python source for the value of an object; None if there is no such source."""
        return None

    def inside(self, access: Access) -> Access | None:
        """How the value is read, if it is an object in columns of the same row."""
        return None

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        """The value of each object; FAILED for one that failed. Raises an exception that fails all of them."""
        raise NotImplementedError


class Typename(Source):
    """The source of `__typename`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def expression(self, access: Access) -> str | None:
        return repr(self._name)

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        return [self._name] * len(objects)


class Attribute(Source):
    """The source of a field without a resolver, or of a value that the statement of the row joined to it.

    `default` takes the place of null.
    """

    def __init__(self, name: str, default: Any = None) -> None:
        self.name = name
        self._default = default
        self._get = attrgetter(name)

    def expression(self, access: Access) -> str | None:
        value = access.attribute(self.name)
        return value if self._default is None else f"({self._default!r} if (v := {value}) is None else v)"

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        is_json = dict in {*map(type, objects)}
        values = [value_of(each, self.name) for each in objects] if is_json else [*map(self._get, objects)]
        return values if self._default is None else [self._default if value is None else value for value in values]


class JoinedRow(Source):
    """The source of a row that the statement of another row joined to it, with a prefix before its columns."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def inside(self, access: Access) -> Access | None:
        presence = access.attribute(f"{self._prefix}key")
        return Access(lambda name: access.attribute(self._prefix + name), presence=presence)

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        row_of = split_off(objects[0]._fields, self._prefix)

        def split_part(part: Sequence[Any]) -> Column:
            return [row if (row := row_of(each)).key is not None else None for each in part]

        return await in_time_slices(split_part, objects, CALLS_PER_SLICE)


@lru_cache(4096)
def split_off(fields: Sequence[str], prefix: str) -> Callable[[Any], Any]:
    """A function of a row with these fields that returns the row that is joined to it with this prefix."""
    places = [place for place, name in enumerate(fields) if name.startswith(prefix)]
    names = [fields[place].removeprefix(prefix) for place in places]
    make: Any = namedtuple("Row", names)  # type: ignore[misc]  # noqa: PYI024 - its columns are data
    return lambda row: make._make([row[place] for place in places])


def resolver_of(definition: GraphQLField) -> Callable[..., Any] | None:
    """The function that Strawberry wraps as the resolver of a field, if it has one."""
    resolver = getattr(definition.extensions.get("strawberry-definition"), "base_resolver", None)
    method: Any = getattr(resolver, "wrapped_func", None)
    function: Callable[..., Any] | None = getattr(method, "__func__", method)
    return function


class SyncResolver(Source):
    """A resolver that is a plain function, called for each object.

    `parent` is its parameter for the object. `members`: see `ColumnDependencies`.
    """

    def __init__(
        self,
        coordinate: str,
        function: Callable[..., Any],
        arguments: Arguments,
        parent: str | None,
        members: Mapping[str, str] | None = None,
    ) -> None:
        self._name = f"resolve_{coordinate.replace('.', '_')}"
        self._function, self._arguments, self._parent = function, arguments, parent
        self._members = members
        self.names = {} if parent is None or arguments else {self._name: function}

    def expression(self, access: Access) -> str | None:
        return f"{self._name}({access.variable})" if self.names and access.variable else None

    def inside(self, access: Access) -> Access | None:
        members = self._members
        return None if members is None else Access(lambda name: access.attribute(members[name]))

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        keywords = self._arguments.values(state.variables)

        def call(parent: Any) -> Any:
            return self._function(**keywords, **({} if self._parent is None else {self._parent: parent}))

        return await resolve_each(call, objects, state, path_at)


def introspection_resolver(
    coordinate: str, definition: GraphQLField, arguments: Arguments, schema: GraphQLSchema
) -> SyncResolver:
    """A resolver of introspection, which graphql-core has."""
    resolve, info = definition.resolve, cast("Any", SimpleNamespace(schema=schema))
    assert resolve is not None
    return SyncResolver(coordinate, lambda parent, **given: resolve(parent, info, **given), arguments, "parent")


class BatchedResolver(Source):
    """A resolver of all objects in one call (see `resolvers.relations.batching`)."""

    def __init__(self, resolver: BatchResolver, arguments: Arguments) -> None:
        self._resolver = resolver
        self.arguments = arguments

    async def read_ahead(self, parent: Any, state: ExecutionState) -> None:
        """Resolve the field of one object for what this reads."""
        with suppress(Exception):
            await self._resolver(state.context, [parent], self.arguments.values(state.variables))

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        return list(await self._resolver(state.context, objects, self.arguments.values(state.variables)))


class KeyedResolver(BatchedResolver):
    """A resolver of the row with a key: fields that depend on the key alone are read together with the row.

    These fields are resolved twice, first for an object that has nothing but the key. What that reads stays in the
    loaders of the request. Errors are those of the second time, if the row exists at all.
    """

    def __init__(
        self, resolver: BatchResolver, arguments: Arguments, key: str, fields: Sequence[BatchedResolver]
    ) -> None:
        super().__init__(resolver, arguments)
        self._key = key
        self._fields = fields

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        given = self.arguments.values(state.variables)
        parent = SimpleNamespace(**{self._key: given.get(self._key) or given.get("id")})
        row = super().resolve(objects, state, path_at)
        column, *_ = await gather_or_cancel([row, *(field.read_ahead(parent, state) for field in self._fields)])
        return list(column)


async def resolve_each(
    resolver: Callable[[Any], Any], objects: Sequence[Any], state: ExecutionState, path_at: PathAt
) -> Column:
    """The value of each object, in time slices: a call takes about a microsecond, and there may be thousands."""

    def resolve_part(part: Sequence[int]) -> Column:
        values: Column = []
        for index in part:
            try:
                values.append(resolver(objects[index]))
            except Exception as error:  # noqa: BLE001 - any exception is an error of this field
                values.append(state.add_error(error, path_at(index)))
        return values

    return await in_time_slices(resolve_part, range(len(objects)), CALLS_PER_SLICE)
