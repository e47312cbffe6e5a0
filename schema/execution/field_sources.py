"""Where the values of fields come from: attributes of rows, and resolvers called directly."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from graphql import GraphQLError
from strawberry.types.fields.resolver import StrawberryResolver

from resolvers.relations.batching import BatchResolver
from schema.execution.arguments import Arguments
from schema.execution.state import Column, ExecutionState, PathAt


def value_of(source: Any, name: str) -> Any:
    """A field without a resolver: a column of a row, or a key of a JSON column."""
    return source.get(name) if type(source) is dict else getattr(source, name)


class Typename:
    """The name of the type itself."""

    waits = False
    names: Mapping[str, Any] = {}

    def __init__(self, name: str) -> None:
        self._name = name

    def expression(self, kind: type) -> str | None:
        return repr(self._name)

    async def column(self, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
        return [self._name] * len(objects)


class Attribute:
    """A field without a resolver."""

    waits = False
    names: Mapping[str, Any] = {}

    def __init__(self, name: str) -> None:
        self._name = name

    def expression(self, kind: type) -> str | None:
        return f"o.get({self._name!r})" if kind is dict else f"o.{self._name}"

    async def column(self, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
        return _each(lambda some: value_of(some, self._name), objects, run, where)


def function_of(resolver: StrawberryResolver[Any]) -> Callable[..., Any]:
    """The function that somebody wrote."""
    method: Any = resolver.wrapped_func
    function: Callable[..., Any] = getattr(method, "__func__", method)
    return function


class ResolverCall:
    """A resolver and what it is called with: the object, the run as its `info`, arguments."""

    def __init__(self, resolver: StrawberryResolver[Any], arguments: Arguments) -> None:
        self._function = function_of(resolver)
        self._arguments = arguments
        parent = resolver.self_parameter or resolver.root_parameter or resolver.parent_parameter
        self._parent = parent.name if parent else None
        self._info = resolver.info_parameter.name if resolver.info_parameter else None

    @property
    def alone(self) -> Callable[[Any], Any] | None:
        """The resolver itself, if it takes nothing but the object."""
        takes_more = self._parent is None or self._info is not None or self._arguments
        return None if takes_more else self._function

    def bound(self, run: ExecutionState) -> Callable[[Any], Any]:
        """The resolver as a function of the object alone. Raises GraphQLError for arguments that do not fit."""
        given = self._arguments.of(run.variables)
        if self._info is not None:
            given[self._info] = run
        parent, function = self._parent, self._function
        if parent is None:
            return lambda _: function(**given)
        return lambda some: function(**{parent: some}, **given)


class SyncResolver:
    """A resolver that does not wait, called for each object."""

    waits = False

    def __init__(self, name: str, call: ResolverCall) -> None:
        self._name = f"resolve_{name}"
        self._call = call
        self.names: Mapping[str, Any] = {self._name: call.alone} if call.alone else {}

    def expression(self, kind: type) -> str | None:
        return f"{self._name}(o)" if self.names else None

    async def column(self, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
        try:
            call = self._call.bound(run)
        except GraphQLError as error:
            return _failed(error, objects, run, where)
        return _each(call, objects, run, where)


class AsyncResolver:
    """A resolver that waits, for each object by itself: a task an object, where there are many."""

    waits = True
    names: Mapping[str, Any] = {}

    def __init__(self, call: ResolverCall) -> None:
        self._call = call

    def expression(self, kind: type) -> str | None:
        return None

    async def column(self, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
        try:
            call: Callable[[Any], Awaitable[Any]] = self._call.bound(run)
        except GraphQLError as error:
            return _failed(error, objects, run, where)

        async def one(some: Any, at: int) -> Any:
            try:
                return await call(some)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is an error of this field
                return run.fail(error, where(at))

        if len(objects) == 1:
            return [await one(objects[0], 0)]
        return await asyncio.gather(*[one(some, at) for at, some in enumerate(objects)])


class BatchedResolver:
    """A resolver that answers all objects at once."""

    waits = True
    names: Mapping[str, Any] = {}

    def __init__(self, many: BatchResolver, arguments: Arguments) -> None:
        self._many = many
        self._arguments = arguments

    def expression(self, kind: type) -> str | None:
        return None

    async def column(self, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
        try:
            return list(await self._many(run.context, objects, self._arguments.of(run.variables)))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is an error of this field
            return _failed(error, objects, run, where)


def _each(call: Callable[[Any], Any], objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
    values: Column = []
    for at, some in enumerate(objects):
        try:
            values.append(call(some))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is an error of this field
            values.append(run.fail(error, where(at)))
    return values


def _failed(error: Exception, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
    return [run.fail(error, where(at)) for at in range(len(objects))]
