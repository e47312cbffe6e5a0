"""Sources of field values: attributes of rows, and resolvers, called without graphql-core's executor.

Uses internals of Strawberry: `StrawberryField.base_resolver` with `wrapped_func` and its parameters. When they change,
`tests/schema/execution/test_compiler.py` fails, and pyproject.toml bounds the version.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from graphql import GraphQLError
from strawberry.types.fields.resolver import StrawberryResolver

from db.reading.time_slices import in_time_slices
from resolvers.relations.batching import BatchResolver
from schema.default_resolver import value_of
from schema.execution.arguments import Arguments
from schema.execution.state import Column, ExecutionState, PathAt, gather_or_cancel

CALLS_PER_SLICE = 500
"""Calls of resolvers that are plain functions in one go."""


class Typename:
    """The source of `__typename`."""

    is_async = False
    names: Mapping[str, Any] = {}

    def __init__(self, name: str) -> None:
        self._name = name

    def expression(self, kind: type) -> str | None:
        return repr(self._name)

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        return [self._name] * len(objects)


class Attribute:
    """The source of a field without a resolver."""

    is_async = False
    names: Mapping[str, Any] = {}

    def __init__(self, name: str) -> None:
        self._name = name

    def expression(self, kind: type) -> str | None:
        return f"o.get({self._name!r})" if kind is dict else f"o.{self._name}"

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        return await _resolve_each(lambda parent: value_of(parent, self._name), objects, state, path_at)


def unwrapped(resolver: StrawberryResolver[Any]) -> Callable[..., Any]:
    """The function that Strawberry wraps as a resolver."""
    method: Any = resolver.wrapped_func
    function: Callable[..., Any] = getattr(method, "__func__", method)
    return function


class ResolverCall:
    """A resolver with its arguments: called with the parent object, the state as `info`, and the arguments."""

    def __init__(self, resolver: StrawberryResolver[Any], arguments: Arguments) -> None:
        self._function = unwrapped(resolver)
        self._arguments = arguments
        parent = resolver.self_parameter or resolver.root_parameter or resolver.parent_parameter
        self._parent = parent.name if parent else None
        self._info = resolver.info_parameter.name if resolver.info_parameter else None

    @property
    def function_of_parent(self) -> Callable[[Any], Any] | None:
        """The resolver itself if it takes only the parent object, else None."""
        takes_more = self._parent is None or self._info is not None or self._arguments
        return None if takes_more else self._function

    def argument(self, name: str, state: ExecutionState) -> Any:
        """The value of an argument. Raises GraphQLError for invalid arguments."""
        return self._arguments.values(state.variables)[name]

    def partial(self, state: ExecutionState) -> Callable[[Any], Any]:
        """The resolver as a function of the parent object. Raises GraphQLError for invalid arguments."""
        arguments = self._arguments.values(state.variables)
        if self._info is not None:
            arguments[self._info] = state
        name, function = self._parent, self._function
        if name is None:
            return lambda _: function(**arguments)
        return lambda parent: function(**{name: parent}, **arguments)


class SyncResolver:
    """A resolver that is a plain function, called for each object."""

    is_async = False

    def __init__(self, name: str, call: ResolverCall) -> None:
        self._name = f"resolve_{name}"
        self._call = call
        function = call.function_of_parent
        self.names: Mapping[str, Any] = {self._name: function} if function else {}

    def expression(self, kind: type) -> str | None:
        return f"{self._name}(o)" if self.names else None

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        try:
            resolver = self._call.partial(state)
        except GraphQLError as error:
            return _fail_all(error, objects, state, path_at)

        return await _resolve_each(resolver, objects, state, path_at)


class AsyncResolver:
    """A resolver that is a coroutine function, called for each object: concurrently, if there are several."""

    is_async = True
    names: Mapping[str, Any] = {}

    def __init__(self, call: ResolverCall) -> None:
        self._call = call

    def with_fields(self, key: str, fields: "Sequence[BatchedResolver]") -> "AsyncResolver":
        """The resolver that reads fields of its row together with the row."""
        return KeyedResolver(self._call, key, fields) if fields else self

    def expression(self, kind: type) -> str | None:
        return None

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        try:
            resolver: Callable[[Any], Awaitable[Any]] = self._call.partial(state)
        except GraphQLError as error:
            return _fail_all(error, objects, state, path_at)

        async def resolve_one(parent: Any, index: int) -> Any:
            try:
                return await resolver(parent)
            except Exception as error:  # noqa: BLE001 - any exception is an error of this field
                return state.add_error(error, path_at(index))

        if len(objects) == 1:
            return [await resolve_one(objects[0], 0)]
        return await gather_or_cancel(resolve_one(parent, index) for index, parent in enumerate(objects))


class KeyedResolver(AsyncResolver):
    """A resolver of the row with a key: fields that depend on the key alone are read together with the row.

    These fields are resolved twice, first for an object that has nothing but the key. What that reads stays in the
    loaders of the request. Errors are those of the second time, if the row exists at all.
    """

    def __init__(self, call: ResolverCall, key: str, fields: "Sequence[BatchedResolver]") -> None:
        super().__init__(call)
        self._key = key
        self._fields = fields

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        row = super().resolve(objects, state, path_at)
        try:
            parent = SimpleNamespace(**{self._key: self._call.argument(self._key, state)})
        except GraphQLError:
            return await row
        column, *_ = await gather_or_cancel([row, *(field.read_ahead(parent, state) for field in self._fields)])
        return list(column)


class BatchedResolver:
    """A resolver of all objects in one call (see `resolvers.relations.batching`)."""

    is_async = True
    names: Mapping[str, Any] = {}

    def __init__(self, resolver: BatchResolver, arguments: Arguments) -> None:
        self._resolver = resolver
        self._arguments = arguments

    def expression(self, kind: type) -> str | None:
        return None

    async def read_ahead(self, parent: Any, state: ExecutionState) -> None:
        """Resolve the field of one object for what this reads."""
        with suppress(Exception):
            await self._resolver(state.context, [parent], self._arguments.values(state.variables))

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        try:
            return list(await self._resolver(state.context, objects, self._arguments.values(state.variables)))
        except Exception as error:  # noqa: BLE001 - any exception is an error of this field
            return _fail_all(error, objects, state, path_at)


async def _resolve_each(
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


def _fail_all(error: Exception, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
    return [state.add_error(error, path_at(index)) for index in range(len(objects))]
