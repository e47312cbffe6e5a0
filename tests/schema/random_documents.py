"""Random valid documents for a schema (hypothesis): nesting, aliases, fragments, directives, variables."""

from dataclasses import dataclass, field
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    is_leaf_type,
    is_object_type,
    is_required_argument,
)
from hypothesis import strategies as st

Draw = st.DrawFn

ANYTHING = "JSON"
"""A scalar whose literals may be objects."""


@dataclass(frozen=True)
class Document:
    """A valid document with one query, and values for its variables. `null_flags`: those of @skip and @include."""

    text: str
    variables: dict[str, Any]
    null_flags: tuple[str, ...] = ()


@dataclass
class Writer:
    """Writes one document. `values` has literals by type name; `names` the optional arguments to use (None: all)."""

    draw: Draw
    schema: GraphQLSchema
    values: dict[str, st.SearchStrategy[Any]]
    names: frozenset[str] | None
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
        text = "\n".join([head + body, *self.fragments.values()])
        return Document(text, self.variables, tuple(self.null_flags))

    def selection(self, type_: GraphQLObjectType, depth: int) -> str:
        fields = [
            name
            for name, definition in type_.fields.items()
            if depth > 0 or is_leaf_type(get_named_type(definition.type))
        ]
        chosen = self.draw(st.lists(st.sampled_from(["__typename", *fields]), min_size=1, max_size=5))
        return "{ " + " ".join(self.item(type_, name, depth) for name in chosen) + " }"

    def item(self, type_: GraphQLObjectType, name: str, depth: int) -> str:
        shape = self.draw(st.sampled_from(["plain"] * 6 + ["inline", "typed", "fragment"]))
        text = self.field(type_, name, depth)
        if shape == "plain":
            return text
        if shape == "fragment":
            fragment = f"f{len(self.fragments)}"
            self.fragments[fragment] = f"fragment {fragment} on {type_.name} {{ {text} }}"
            again = f" ...{fragment}" if self.draw(st.booleans()) else ""
            return f"...{fragment}{self.directives()}{again}"
        return f"...{f' on {type_.name}' if shape == 'typed' else ''}{self.directives()} {{ {text} }}"

    def field(self, type_: GraphQLObjectType, name: str, depth: int) -> str:
        number = self.draw(st.integers(0, 2))
        head = name if number == 0 else f"{name}_{number}: {name}"
        if name == "__typename":
            return head + self.directives()
        definition = type_.fields[name]
        place = (type_.name, name, number)
        if place not in self.arguments:
            arguments = [text for key, each in definition.args.items() if (text := self.argument(key, each))]
            self.arguments[place] = f"({', '.join(arguments)})" if arguments else ""
        below: Any = get_named_type(definition.type)
        body = " " + self.selection(below, depth - 1) if is_object_type(below) else ""
        return head + self.arguments[place] + self.directives() + body

    def argument(self, name: str, argument: GraphQLArgument) -> str:
        is_required = is_required_argument(argument)
        if self.names is not None and name not in self.names and not is_required:
            return ""
        kind = self.draw(st.sampled_from(["literal", "variable", "literal" if is_required else "absent"]))
        if kind == "absent":
            return ""
        if kind == "variable":
            return f"{name}: {self.variable(argument.type, is_required)}"
        return f"{name}: {self.literal(argument.type)}"

    def literal(self, type_: Any) -> str:
        """A literal. Lists and objects in it may have variables as items."""
        nullable: Any = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
        if isinstance(nullable, GraphQLList) and self.draw(st.booleans()):
            items = [self.item_of(nullable.of_type) for _ in range(self.draw(st.integers(0, 3)))]
            return f"[{', '.join(items)}]"
        if getattr(nullable, "name", "") == ANYTHING and self.draw(st.booleans()):
            return f"{{a: {self.item_of(nullable)}, b: [{self.item_of(nullable)}]}}"
        return literal(type_, self.draw(self.value(type_)))

    def item_of(self, type_: Any) -> str:
        if self.draw(st.booleans()):
            return self.variable(type_, is_required=isinstance(type_, GraphQLNonNull))
        return literal(type_, self.draw(self.value(type_)))

    def variable(self, type_: Any, is_required: bool) -> str:
        name = f"v{len(self.definitions)}"
        bare = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
        default = ""
        if self.draw(st.booleans()):
            default = f" = {literal(bare, self.draw(self.value(bare).filter(lambda value: value is not None)))}"
        # Where there is a default, a variable may be null though the argument may not.
        has_default = bool(default) or not is_required
        may_be_null = not isinstance(type_, GraphQLNonNull) or (has_default and self.draw(st.booleans()))
        shown = f"{bare}" if may_be_null else f"{bare}!"
        if not has_default or self.draw(st.booleans()):
            self.variables[name] = self.draw(self.value(GraphQLNonNull(bare) if shown.endswith("!") else bare))
        elif shown.endswith("!") and not default:
            self.variables[name] = self.draw(self.value(GraphQLNonNull(bare)))
        self.definitions.append(f"${name}: {shown}{default}")
        return f"${name}"

    def directives(self) -> str:
        if self.draw(st.integers(0, 5)):
            return ""
        condition = self.draw(st.sampled_from(["true", "false", "variable", "variable"]))
        if condition == "variable":
            flag = f"v{len(self.definitions)}"
            default = self.draw(st.sampled_from(["!", "!", " = true", " = false"]))
            self.definitions.append(f"${flag}: Boolean{default}")
            if default == "!" or self.draw(st.booleans()):
                self.variables[flag] = self.draw(
                    st.booleans() if default == "!" else st.sampled_from([True, False, None])
                )
            if self.variables.get(flag, True) is None:
                self.null_flags.append(flag)
            condition = f"${flag}"
        return f" @{self.draw(st.sampled_from(['skip', 'include']))}(if: {condition})"

    def value(self, type_: Any) -> st.SearchStrategy[Any]:
        if isinstance(type_, GraphQLNonNull):
            return self.value(type_.of_type).filter(lambda value: value is not None)
        if isinstance(type_, GraphQLList):
            return st.none() | st.lists(self.value(type_.of_type), max_size=3)
        if isinstance(type_, GraphQLEnumType):
            return st.none() | st.sampled_from(sorted(type_.values))
        if isinstance(type_, GraphQLInputObjectType):
            return st.none() | self.condition(type_, 2)
        return st.none() | self.values[type_.name]

    def condition(self, type_: GraphQLInputObjectType, depth: int) -> st.SearchStrategy[Any]:
        """Conditions without nulls and empty objects, which are refused; itself inside itself `depth` times."""
        inside = {
            name: self.condition(kind, depth - (kind is type_))
            if isinstance(kind := get_named_type(each.type), GraphQLInputObjectType)
            else self.value(kind).filter(lambda value: value is not None)
            for name, each in type_.fields.items()
            if depth or get_named_type(each.type) is not type_
        }
        several = {
            name: st.lists(each, min_size=1, max_size=2)
            for name, each in inside.items()
            if name in ("_in", "_and", "_or")
        }
        return st.sampled_from(sorted(inside)).flatmap(
            lambda name: st.fixed_dictionaries({name: (inside | several)[name]})
        )


def literal(type_: Any, value: Any) -> str:
    """A value as a GraphQL literal."""
    if isinstance(type_, GraphQLNonNull):
        return literal(type_.of_type, value)
    if value is None:
        return "null"
    if isinstance(type_, GraphQLList):
        return f"[{', '.join(literal(type_.of_type, each) for each in value)}]"
    if isinstance(type_, GraphQLEnumType):
        return str(value)
    if isinstance(type_, GraphQLInputObjectType):
        return f"{{{', '.join(f'{name}: {literal(type_.fields[name].type, each)}' for name, each in value.items())}}}"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


@st.composite
def documents(
    draw: Draw,
    schema: GraphQLSchema,
    values: dict[str, st.SearchStrategy[Any]],
    *,
    depth: int,
    names: frozenset[str] | None = None,
) -> Document:
    """Valid documents, nested at most `depth` levels, with required arguments and those called `names`."""
    return Writer(draw, schema, values, names).document(depth)
