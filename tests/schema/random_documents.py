"""Random valid documents for a schema (hypothesis): nesting, aliases, fragments, directives, variables."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import graphql
from graphql import GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, get_named_type, is_required_argument
from hypothesis import strategies as st

Draw = st.DrawFn

ANYTHING = "JSON"
"""A scalar whose literals may be objects."""

RANGE = frozenset({"start_date", "end_date"})
COMBINING = frozenset({"_and", "_or", "_not"})
CONDITION_DEPTH = 3
OF_LIST = "WhereOfList"

# A document has hundreds of choices. Making a strategy for each takes as long as drawing from it.
BOOLEANS = st.booleans()
FLAGS = st.sampled_from([True, False, None])


@cache
def up_to(most: int) -> st.SearchStrategy[int]:
    return st.integers(0, most)


@cache
def one_of(*names: str) -> st.SearchStrategy[str]:
    return st.sampled_from(names)


@cache
def several_of(*names: str, most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(one_of(*names), min_size=1, max_size=most)


@cache
def distinct_of(*names: str, least: int, most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(one_of(*names), min_size=least, max_size=most, unique=True)


class Reference(str):
    """A variable inside a value."""

    __slots__ = ()


@dataclass(frozen=True)
class Document:
    """A valid document with one query, and values for its variables. `null_flags`: those of @skip and @include."""

    text: str
    variables: dict[str, Any]
    null_flags: tuple[str, ...] = ()


@dataclass
class Writer:
    """Writes one document. `values`: by argument, with or without the type of its field, or by type."""

    draw: Draw
    schema: GraphQLSchema
    values: dict[str, st.SearchStrategy[Any]]
    definitions: list[str] = field(default_factory=list)
    variables: dict[str, Any] = field(default_factory=dict)
    null_flags: list[str] = field(default_factory=list)
    fragments: dict[str, str] = field(default_factory=dict)
    # One response key must have the same field and arguments everywhere, so that its selections can be merged.
    arguments: dict[tuple[str, str, int], str] = field(default_factory=dict)

    def document(self, depth: int) -> Document:
        assert self.schema.query_type is not None
        body = self.selection(self.schema.query_type, depth)
        head = f"query ({', '.join(self.definitions)}) " if self.definitions else "query "
        return Document("\n".join([head + body, *self.fragments.values()]), self.variables, tuple(self.null_flags))

    def selection(self, type_: GraphQLObjectType, depth: int) -> str:
        known = type_.fields.items()
        fields = [name for name, each in known if depth > 0 or graphql.is_leaf_type(get_named_type(each.type))]
        chosen = self.draw(several_of("__typename", *fields, most=5))
        return "{ " + " ".join(self.item(type_, name, depth) for name in chosen) + " }"

    def item(self, type_: GraphQLObjectType, name: str, depth: int) -> str:
        shape = self.draw(one_of(*["plain"] * 6, "inline", "typed", "fragment"))
        text = self.field(type_, name, depth)
        if shape == "plain":
            return text
        if shape == "fragment":
            fragment = f"f{len(self.fragments)}"
            self.fragments[fragment] = f"fragment {fragment} on {type_.name} {{ {text} }}"
            again = f" ...{fragment}" if self.draw(BOOLEANS) else ""
            return f"...{fragment}{self.directives()}{again}"
        return f"...{f' on {type_.name}' if shape == 'typed' else ''}{self.directives()} {{ {text} }}"

    def field(self, type_: GraphQLObjectType, name: str, depth: int) -> str:
        number = self.draw(up_to(2))
        head = name if number == 0 else f"{name}_{number}: {name}"
        if name == "__typename":
            return head + self.directives()
        definition = type_.fields[name]
        place = (type_.name, name, number)
        if place not in self.arguments:
            # A range of days with one end is refused.
            absent = RANGE if definition.args.keys() >= RANGE and self.draw(BOOLEANS) else frozenset[str]()
            keys = [*definition.args, *["where"] * (4 * ("where" in definition.args))]
            names = set(self.draw(distinct_of(*keys, least=0, most=4))) if keys else set[str]()
            of = get_named_type(definition.type).name
            arguments = [
                f"{key}: {self.argument(f'{of}.{key}', each)}"
                for key, each in definition.args.items()
                if is_required_argument(each) or (key in names | RANGE and key not in absent)
            ]
            self.arguments[place] = f"({', '.join(arguments)})" if arguments else ""
        below: Any = get_named_type(definition.type)
        body = " " + self.selection(below, depth - 1) if graphql.is_object_type(below) else ""
        return head + self.arguments[place] + self.directives() + body

    def argument(self, name: str, argument: graphql.GraphQLArgument) -> str:
        if self.draw(BOOLEANS):
            return self.variable(argument.type, name, is_required=is_required_argument(argument))
        return literal(argument.type, self.value(argument.type, name, refers=True))

    def value(self, type_: Any, name: str, *, refers: bool = False, depth: int = CONDITION_DEPTH) -> Any:
        """A value of the argument `name`. With `refers`, what stands in lists and objects may be a variable."""
        is_required = isinstance(type_, GraphQLNonNull)
        nullable = type_.of_type if is_required else type_
        key = name.rpartition(".")[2]
        if not is_required and self.draw(up_to(23 if key in RANGE else 5)) == 0:
            return None
        if isinstance(nullable, GraphQLList):
            count = self.draw(up_to(3))
            return [self.part(nullable.of_type, name, refers=refers, depth=depth) for _ in range(count)]
        if isinstance(nullable, graphql.GraphQLEnumType):
            return self.draw(one_of(*sorted(nullable.values)))
        if isinstance(nullable, graphql.GraphQLInputObjectType):
            is_list = nullable.name.endswith(OF_LIST)
            nested = {key for key, each in nullable.fields.items() if is_nested(each.type) and not is_list}
            # Most conditions on related rows need a bound, so that there are few.
            left_out = nested if not depth else nested - COMBINING if self.draw(up_to(2)) else set[str]()
            fields = {key: each.type for key, each in nullable.fields.items() if key not in left_out}
            chosen = self.draw(distinct_of(*sorted(fields), least=1, most=2))
            return {
                # A null is refused, so that there are few.
                key: self.part(
                    fields[key] if self.draw(up_to(11)) == 0 else not_null(fields[key]),
                    key,
                    refers=refers,
                    depth=depth - (key in nested),
                )
                for key in chosen
            }
        if refers and nullable.name == ANYTHING and self.draw(BOOLEANS):
            return {key: self.part(nullable, name, refers=True, depth=0) for key in ("a", "b")}
        return self.draw(self.values.get(name, self.values.get(key, self.values[nullable.name])))

    def part(self, type_: Any, name: str, *, refers: bool, depth: int) -> Any:
        """A value in a list or an object."""
        if refers and self.draw(up_to(2)) == 0:
            return Reference(self.variable(type_, name, is_required=isinstance(type_, GraphQLNonNull)))
        return self.value(type_, name, refers=refers, depth=depth)

    def variable(self, type_: Any, argument: str, *, is_required: bool) -> str:
        name = f"v{len(self.definitions)}"
        bare = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
        default = ""
        if self.draw(BOOLEANS):
            default = f" = {literal(bare, self.value(GraphQLNonNull(bare), argument))}"
        # Where there is a default, a variable may be null though the argument may not.
        has_default = bool(default) or not is_required
        may_be_null = not isinstance(type_, GraphQLNonNull) or (has_default and self.draw(BOOLEANS))
        if not has_default or not (may_be_null or default) or self.draw(BOOLEANS):
            self.variables[name] = self.value(bare if may_be_null else GraphQLNonNull(bare), argument)
        self.definitions.append(f"${name}: {bare}{'' if may_be_null else '!'}{default}")
        return f"${name}"

    def directives(self) -> str:
        if self.draw(up_to(5)):
            return ""
        condition = self.draw(one_of("true", "false", "variable", "variable"))
        if condition == "variable":
            flag = f"v{len(self.definitions)}"
            default = self.draw(one_of("!", "!", " = true", " = false"))
            self.definitions.append(f"${flag}: Boolean{default}")
            if default == "!" or self.draw(BOOLEANS):
                self.variables[flag] = self.draw(BOOLEANS if default == "!" else FLAGS)
            if self.variables.get(flag, True) is None:
                self.null_flags.append(flag)
            condition = f"${flag}"
        return f" @{self.draw(one_of('skip', 'include'))}(if: {condition})"


def is_nested(type_: Any) -> bool:
    """Whether a value has conditions of a list."""
    name: str = get_named_type(type_).name
    return name.endswith(("Where", OF_LIST))


def not_null(type_: Any) -> Any:
    return type_ if isinstance(type_, GraphQLNonNull) else GraphQLNonNull(type_)


def literal(type_: Any, value: Any) -> str:
    """A value as a GraphQL literal."""
    if isinstance(value, Reference):
        return value
    if isinstance(type_, GraphQLNonNull):
        return literal(type_.of_type, value)
    if value is None:
        return "null"
    if isinstance(type_, GraphQLList):
        return f"[{', '.join(literal(type_.of_type, each) for each in value)}]"
    if isinstance(type_, graphql.GraphQLEnumType):
        return str(value)
    if isinstance(type_, graphql.GraphQLInputObjectType):
        return f"{{{', '.join(f'{name}: {literal(type_.fields[name].type, each)}' for name, each in value.items())}}}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {literal(type_, each)}' for name, each in value.items())}}}"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


@st.composite
def documents(draw: Draw, schema: GraphQLSchema, values: dict[str, st.SearchStrategy[Any]], *, depth: int) -> Document:
    """Valid documents, nested at most `depth` levels, with any arguments."""
    return Writer(draw, schema, values).document(depth)
