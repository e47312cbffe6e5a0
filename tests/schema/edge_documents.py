"""Random documents that walk over edges (hypothesis): from a root field down, each level with rows.

They have aliases, fragments, directives, variables, and some of the optional arguments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from graphql import (
    GraphQLArgument,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    is_required_argument,
)
from hypothesis import strategies as st

from tests.schema.field_documents import IDS, ROW_ARGUMENTS, required, row_type
from tests.schema.random_documents import Document, Draw, Writer

WIDE, NARROW = 20, 3
"""`limit` of the lists at the top, and of those below."""

UNKNOWN = UUID(int=1)


@dataclass(frozen=True)
class EdgeDocument(Document):
    """A document. `is_even`: it asks for rows of all copies alike (`tests.schema.copied_worlds`)."""

    is_even: bool = True


@dataclass
class EdgeWriter(Writer):
    """Writes one document. `ids` are those of the rows, by type; `literals` are values of arguments, by name."""

    ids: Mapping[str, Sequence[UUID]] = field(default_factory=dict)
    literals: Mapping[str, str] = field(default_factory=dict)
    is_even: bool = True
    below: int = 0
    """How many edges are above the present one."""
    asked: tuple[str, str] = ("", "")
    """The type of the rows of the present field, and its present argument."""

    def document(self, depth: int) -> EdgeDocument:
        found = super().document(depth)
        return EdgeDocument(found.text, found.variables, found.null_flags, self.is_even)

    def selection(self, type_: GraphQLObjectType, depth: int) -> str:
        if {"count", "results"} <= type_.fields.keys():
            # A page is no level.
            return f"{{ count {self.item(type_, 'results', depth + 1)} }}"
        columns = [name for name, each in type_.fields.items() if is_leaf_type(get_named_type(each.type))]
        edges = [name for name in type_.fields if name not in columns]
        if not self.below:
            # Most documents begin with a list: those that begin with the id of a row ask for one copy.
            lists = [name for name in edges if not ROW_ARGUMENTS & required(type_.fields[name])]
            return f"{{ {self.item(type_, self.draw(st.sampled_from(edges + 3 * lists)), depth)} }}"
        chosen = self.draw(st.lists(st.sampled_from(columns or ["__typename"]), min_size=1, max_size=3, unique=True))
        if depth > 0 and edges:
            chosen += [self.draw(st.sampled_from(edges)) for _ in range(self.draw(st.integers(1, 2)))]
        return "{ " + " ".join(self.item(type_, name, depth) for name in chosen) + " }"

    def field(self, type_: GraphQLObjectType, name: str, depth: int) -> str:
        above = self.asked, self.below
        if name != "__typename":
            self.asked = getattr(row_type(type_.fields[name]), "name", ""), ""
        self.below += name != "results"
        text = super().field(type_, name, depth)
        self.asked, self.below = above
        return text

    def argument(self, name: str, argument: GraphQLArgument) -> str:
        self.asked = self.asked[0], name
        bare = get_nullable_type(argument.type)
        if name == "limit":
            return f"limit: {WIDE if self.below == 1 else self.draw(st.sampled_from([NARROW] * 8 + [1, 0]))}"
        if is_required_argument(argument) and name in self.literals:
            return f"{name}: {self.literals[name]}"
        if not is_required_argument(argument) and self.draw(st.integers(0, 11)):
            return ""
        if is_list_type(bare) and get_named_type(bare).name == "UUID":
            # As a variable it can have the ids of other copies, too.
            return f"{name}: {self.variable(GraphQLNonNull(bare), is_required=True)}"
        return super().argument(name, argument)

    def variable(self, type_: Any, is_required: bool) -> str:
        if is_list_type(get_nullable_type(type_)) and get_named_type(type_).name == "UUID":
            name = f"{IDS}{len(self.definitions)}"
            self.definitions.append(f"${name}: [UUID!]!")
            ids = self.draw(st.lists(self.id(), min_size=1, max_size=3, unique=True))
            self.variables[name] = [str(id_) for id_ in ids]
            return f"${name}"
        return super().variable(type_, is_required)

    def value(self, type_: Any) -> st.SearchStrategy[Any]:
        if getattr(type_, "name", "") == "UUID":
            self.is_even = False
            return self.id().map(str)
        return super().value(type_)

    def id(self) -> st.SearchStrategy[UUID]:
        """An id that suits the present argument: of the rows of the field, or of those that the argument names."""
        rows, argument = self.asked
        stem = argument.removesuffix("_id").split("_")[-1] if argument not in ("id", "ids") else ""
        named = {"user": "Member", "type": "LeaveType", "policy": "LeavePolicy", "period": "LeavePeriod"}
        known = self.ids.get(named.get(stem, stem.capitalize()) if stem else rows, ())
        return st.sampled_from([*known, *known, UNKNOWN])


@st.composite
def edge_documents(
    draw: Draw,
    schema: GraphQLSchema,
    values: dict[str, st.SearchStrategy[Any]],
    ids: Mapping[str, Sequence[UUID]],
    literals: Mapping[str, str],
    *,
    depth: int,
) -> EdgeDocument:
    """Valid documents with one root field, nested over at most `depth` edges."""
    return EdgeWriter(draw, schema, values, None, ids=ids, literals=literals).document(depth)


def edges_in(document: str) -> int:
    """At least the number of objects and lists that a document selects."""
    return document.count("{") - 1
