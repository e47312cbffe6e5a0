"""A graph with every kind of field, and the comparison of the compiler with graphql-core's executor over it."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import orjson
import strawberry
from graphql import ExecutionResult, GraphQLError
from strawberry.scalars import JSON
from strawberry.schema.config import StrawberryConfig

from resolvers.relations.arguments import Argument
from resolvers.steps.batch import Batch
from resolvers.steps.computed import Computed, computed
from schema.execution.operation import Executor, Operation
from schema.execution.state import ExecutionBudget
from schema.fields import field
from tests.schema.random_documents import Document


class Colour(Enum):
    red = "red"
    green = "green"


class Unexpected(Exception):
    pass


class Refused(Exception):
    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.extensions = {"code": "REFUSED"}


TIMES = Argument(name="times", type=int, default=3, description="How often.")


async def _late(context: Any, parents: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
    await asyncio.sleep(0)
    return [parent.number * arguments["times"] for parent in parents]


async def _siblings(context: Any, parents: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
    await asyncio.sleep(0)
    return [None if parent.number % 3 == 0 else thing(parent.number + 1) for parent in parents]


async def _failing(context: Any, parents: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
    await asyncio.sleep(0)
    raise Unexpected("failing")


@computed("number")
def doubled(root: Any) -> int:
    return int(root.number) * 2


def optional(name: str, type_: Any, default: Any = None) -> Argument:
    return Argument(name=name, type=type_, default=default, description=f"The {name}.")


def required(name: str, type_: Any) -> Argument:
    return Argument(name=name, type=type_, is_required=True, description=f"The {name}.")


@computed()
def refused(root: Any) -> str:
    raise Refused("no")


@computed("number")
def failed(root: Any) -> str:
    raise Unexpected(f"number {root.number}")


def sometimes(root: Any, above: int) -> int:
    if root.number > above:
        raise Refused(f"{root.number} is above {above}")
    return int(root.number) + 10


def echo(root: Any, text: Any, number: Any, flags: Any, colour: Any, colours: Any, json: Any) -> str | None:
    return None if text == "none" else f"{text} {number} {flags} {colour} {colours} {json} {root.number}"


def things_behind(root: Any, count: int) -> list[Any]:
    return [thing(root.number + n) for n in range(count)]


def maybe_things(root: Any, count: int) -> list[Any] | None:
    return None if count < 0 else [thing(n) if n % 2 else None for n in range(count)]


@strawberry.type
class Detail:
    colour: Colour | None
    text: str
    missing: str | None
    wrong: int | None


@strawberry.type
class Thing:
    number: int
    name: str
    colour: Colour
    nothing: str | None
    # Its rows hold a null for every other number, and a text where a number should be.
    often: int
    maybe: int | None
    texts: list[str]
    holes: list[str | None]
    broken_texts: list[str] | None
    detail: Detail | None
    needed: Detail
    details: list[Detail]
    doubled: int = field("Computed.", doubled)
    late: int = field("A batch.", Batch(_late, arguments=[TIMES]))
    sibling: "Thing | None" = field("A batch.", Batch(_siblings))
    needed_sibling: "Thing" = field("A batch.", Batch(_siblings))
    failing: int | None = field("A batch.", Batch(_failing))

    refused: str | None = field("Refused.", refused)
    failed: str = field("Failed.", failed)
    sometimes: int = field("Refused for some.", Computed(sometimes, None, [optional("above", int, 2)]))
    echo: str | None = field(
        "All kinds of arguments.",
        Computed(
            echo,
            None,
            [
                optional("text", str),
                optional("number", int, 7),
                optional("flags", list[bool]),
                optional("colour", Colour, Colour.green),
                optional("colours", list[Colour | None]),
                optional("json", JSON),
            ],
        ),
    )
    no_list: list[int] | None = field("A number.", computed()(lambda _: 5))
    things: list["Thing"] = field("Those behind.", Computed(things_behind, None, [optional("count", int, 2)]))
    maybe_things: list["Thing | None"] | None = field(
        "Each other one.", Computed(maybe_things, None, [required("count", int)])
    )
    nested: list[list[int | None]] = field("Lists.", computed("number")(lambda root: [[root.number, None], []]))


def thing(number: int) -> Thing:
    """A row with some values that its type does not allow."""
    detail = {"colour": "red", "text": f"detail {number}", "wrong": "five" if number % 4 == 3 else 5}
    row = SimpleNamespace(
        number=number,
        name=f"thing {number}",
        colour="green" if number % 2 else "red",
        nothing=None,
        often=None if number % 2 else number,
        maybe="text" if number % 5 == 4 else number,
        texts=["a", "b"],
        holes=["a", None],
        broken_texts=["a", None] if number % 2 else ["a"],
        detail=detail if number % 2 else None,
        needed=None if number % 4 == 2 else detail,
        details=[detail, {"text": None}] if number % 3 == 2 else [detail],
    )
    return cast("Thing", row)


def one_thing(_: Any, number: int) -> Thing | None:
    return None if number < 0 else thing(number)


def needed_thing(_: Any, number: int) -> Thing:
    if number < 0:
        raise Refused("negative")
    return thing(number)


def some_things(_: Any, count: int, first: int) -> list[Thing]:
    return [thing(first + n) for n in range(count)]


@strawberry.type
class Query:
    thing: Thing | None = field("One.", Computed(one_thing, None, [optional("number", int, 1)]))
    needed: Thing = field("One, or an error.", Computed(needed_thing, None, [required("number", int)]))
    things: list[Thing] = field(
        "Some.", Computed(some_things, None, [optional("count", int, 3), optional("first", int, 0)])
    )
    text: str = field("A text.", computed()(lambda _: "added 10"))


GRAPH = strawberry.Schema(Query, config=StrawberryConfig(auto_camel_case=False))._schema

CONTEXT: Any = SimpleNamespace(close=lambda: None)


async def execute(
    operation: Operation, variables: Mapping[str, Any], budget: ExecutionBudget | None = None
) -> ExecutionResult:
    """Execute an operation that reads nothing."""
    return await Executor(cast("Any", None)).execute(operation, UUID(int=0), variables, budget)


def assert_same(document: Document, own: tuple[Any, list[GraphQLError]], other: tuple[Any, list[GraphQLError]]) -> None:
    """Assert the same data, in the same order, and errors for the same nulls.

    Where several errors led to one null, an executor may report only the first (GraphQL, 6.4.4), so errors are compared
    only where there is one.
    """
    if document.null_flags:
        # Refused, where graphql-core leaves the fields out that it reaches.
        assert (own[0], [error.path for error in own[1]]) == (None, [None]), document.text
        return
    assert orjson.dumps(own[0]) == orjson.dumps(other[0]), document.text
    assert len({str(error.path) for error in own[1]}) == len(own[1]), "no field fails twice"
    actual, expected = errors_by_null(*own), errors_by_null(*other)
    assert actual.keys() == expected.keys(), document.text
    for place, errors in expected.items():
        if len(errors) == len(actual[place]) == 1:
            assert actual[place] == errors, document.text


def errors_by_null(data: Any, errors: Sequence[GraphQLError]) -> dict[tuple[Any, ...], list[Any]]:
    """The errors, by the path of the null that each caused."""
    places: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for error in errors:
        path, value = error.path or [], data
        place: list[Any] = []
        for key in path:
            if value is None:
                break
            value = value[key]
            place.append(key)
        assert value is None, error
        places[tuple(place)].append((list(path), error.message, error.extensions))
    return places
