"""Cost limits: each limit at its edge, and the one-pass cost against a slow reference that expands fragments.

Covers `schema/documents/document_cost.py` and `schema/documents/merged_fields.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLObjectType,
    get_named_type,
    get_nullable_type,
    is_list_type,
    is_object_type,
    parse,
    validate,
)
from graphql.language import ast
from hypothesis import given, settings
from hypothesis import strategies as st

from schema.documents.cost_limits import LIMITS, MAX_TOKENS, checked_cost
from schema.documents.document_cost import MAX_REPORTED, CostVisitor, DocumentCost, cost_of
from schema.execution.operation import definition_of
from schema.schema import GRAPHQL_SCHEMA
from tests.property_tests import examples

Node = Any


def cost_and_errors(text: str, **variables: Any) -> tuple[DocumentCost, list[str]]:
    """The cost of a document, and all its limit errors."""
    document = parse(text)
    cost, errors = checked_cost(document, definition_of(document), variables)
    return cost, [error.message for error in errors]


def nested(levels: int) -> str:
    """An operation whose deepest field is on this level, through lists of one row: a page is one level."""
    path = ["projects(limit: 1) { results", *["client", "projects(limit: 1) { results"] * 6][: levels - 1]
    text = " { ".join(["", *path, "__typename"])
    return text + " }" * text.count("{")


def fragments(number: int) -> str:
    spread = " ".join(f"...f{each}" for each in range(number))
    return f"{{ organization {{ {spread} }} }}" + "".join(
        f" fragment f{each} on Organization {{ name }}" for each in range(number)
    )


def aliases(number: int) -> str:
    return f"{{ organization {{ {' '.join(f'a{each}: name' for each in range(number))} }} }}"


def directives(number: int) -> str:
    """Directives on everything that can have one; most of them on fields."""
    fields = " ".join("name @skip(if: $no)" for _ in range(number - 4))
    return f"""
        query ($no: Boolean = false @mark) @mark {{ organization {{ ...f @mark {fields} }} }}
        fragment f on Organization @mark {{ name }}
    """


def roots(number: int) -> str:
    return f"{{ __typename {' '.join('organization { name }' for _ in range(number))} }}"


def schemas(number: int) -> str:
    return f"{{ {' '.join('__schema { queryType { name } }' for _ in range(number))} }}"


def types(number: int) -> str:
    return "{" + '__type(name: "Query") { name } ' * number + "}"


def introspection_aliases(number: int) -> str:
    return f"{{ it: __schema {{ {' '.join(f'a{each}: queryType {{ name }}' for each in range(number))} }} }}"


def introspection(levels: int) -> str:
    return '{ __type(name: "Query") ' + "{ ofType " * (levels - 1) + "{ name }" + "}" * levels


def rows(number: int) -> str:
    """49 lists of a hundred rows, each below one row, and one list of the remaining rows."""
    below = f"projects(limit: {number - 4_950}) {{ next }}" if number > 4_950 else ""
    return f"""{{
        members(limit: 49) {{ results {{ projects(limit: 100) {{ next }} }} }}
        clients(limit: 1) {{ results {{ {below} }} }}
    }}"""


TOO_DEEP = (
    "The operation is 13 levels deep; at most 12 are allowed. The deepest field is "
    f"{'projects.client.' * 6}__typename: begin at a list further down, or ask in two operations."
)
TOO_MANY_ROWS = (
    "The operation asks for up to 5001 rows; at most 5000 are allowed. members.projects costs most, up to 4900 rows: "
    "ask for fewer by `limit`, there or in a list around it. With `limit: 50` in each list with more it asks for 2550: "
    "see `details`."
)


@pytest.mark.parametrize(
    ("document", "most", "message"),
    [
        (fragments, 30, "The document defines 31 fragments; at most 30 are allowed."),
        (nested, 12, TOO_DEEP),
        (introspection, 15, "Introspection is 16 levels deep; at most 15 are allowed."),
        (introspection_aliases, 0, "Introspection has 1 aliases; none are allowed."),
        (schemas, 1, "The operation introspects the schema 2 times; once is allowed."),
        (roots, 15, "The operation has 16 root fields; at most 15 are allowed."),
        (types, 8, "The operation introspects 9 times; at most 8 are allowed."),
        (aliases, 15, "The operation has 16 aliases; at most 15 are allowed."),
        (directives, 20, "The operation has 21 directives; at most 20 are allowed."),
        (rows, 5_000, TOO_MANY_ROWS),
    ],
)
def test_limit_is_allowed_and_one_more_is_not(document: Any, most: int, message: str) -> None:
    assert cost_and_errors(document(most))[1] == []
    assert cost_and_errors(document(most + 1))[1] == [message]


def test_every_limit_has_a_case() -> None:
    assert [most for most, _ in LIMITS.values()] == [30, 12, 15, 0, 1, 8, 15, 15, 20, 5_000]
    counted = set(DocumentCost.__dataclass_fields__) - {"deepest", "largest", "largest_rows", "counts", "is_open"}
    assert set(LIMITS) == {"depth", *counted}


def test_all_exceeded_limits_are_reported() -> None:
    assert cost_and_errors(f"{{ {aliases(16)[2:-2]} {roots(16)[2:-2]} }}")[1] == [
        "The operation has 17 root fields; at most 15 are allowed.",
        "The operation has 16 aliases; at most 15 are allowed.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{ timesheet_idle_times { results { user { id } } } }", 10),
        ("{ projects(limit: 10) { results { tasks(limit: 10) { next } members(limit: 1) { next } } } }", 120),
        ("{ members(limit:100){results{projects(limit:100){results{tasks(limit:100){next}}}}} }", 1_010_100),
        ("{ ...f ...f } fragment f on Query { projects(limit: 7) { next } }", 7),
        # A count alone is one row for each parent, but groups of time are counted as they are computed.
        ("{ members { ...n } } fragment n on MemberPage { __typename n: count }", 1),
        ("{ members(limit: 100) { results { tasks { count } projects(limit: 10) { count } } } }", 300),
        ('{ time_totals(start_date: "2026-01-01", end_date: "2026-01-02") { count } }', 0),
        ('{ time_totals(start_date: "2026-01-01", end_date: "2026-01-02", group_by: [week]) { count } }', 20),
        ("{ payable_totals { amount } }", 0),
        ("{ payable_totals(group_by: [member]) { amount } }", 100),
        ("{ payable_totals(group_by: [member], limit: 1000) { amount } }", 1000),
        # Invalid documents have a cost, too.
        ('{ projects(limit: "x") { next } }', 20),
        ("{ projects(limit: $unknown) { next } }", 20),
        ("{ ...f ...g } fragment f on Query { projects(limit: 3) { next } ...f }", 3),
    ],
)
def test_rows_are_the_product_of_limits(text: str, expected: int) -> None:
    assert cost_and_errors(text)[0].rows == expected


@pytest.mark.parametrize(
    ("definition", "variables", "expected"),
    [
        ("$n: Int", {"n": 3.0}, 3),
        ("$n: Int", {}, 20),
        ("$n: Int", {"n": None}, 20),
        ("$n: Int! = 7", {}, 7),
        ("$n: Int = null", {}, 20),
        # None of these is a number for GraphQL; the variables are refused.
        ("$n: Int", {"n": "3"}, 20),
        ("$n: Int", {"n": True}, 20),
        ("$m: Int", {"n": 3}, 20),
    ],
)
def test_limit_may_be_a_variable(definition: str, variables: dict[str, Any], expected: int) -> None:
    cost, errors = cost_and_errors(f"query ({definition}) {{ projects(limit: $n) {{ next }} }}", **variables)
    assert (cost.rows, errors) == (expected, [])


@pytest.mark.parametrize(
    ("directive", "variables", "rows"),
    [
        ("@skip(if: true)", {}, 1),
        ("@include(if: false)", {}, 1),
        ("@include(if: $flag)", {"flag": False}, 1),
        ("@include(if: $flag)", {}, 1),
        ("@include(if: $flag)", {"flag": True}, 1 + 20 * 21),
        ("@skip(if: $flag)", {}, 1 + 20 * 21),
        ("@include(if: true)", {"flag": False}, 1 + 20 * 21),
    ],
)
@pytest.mark.parametrize("selection", ["projects DIRECTIVE BODY", "... DIRECTIVE { projects BODY }", "...f DIRECTIVE"])
def test_left_out_fields_cost_no_rows(selection: str, directive: str, variables: dict[str, Any], rows: int) -> None:
    body = "{ results { tasks(limit: 20) { next } } }"
    text = f"query ($flag: Boolean = false) {{ {selection} clients(limit: 1) {{ next }} }}"
    text += " fragment f on Query { projects BODY }"
    cost, errors = cost_and_errors(text.replace("DIRECTIVE", directive).replace("BODY", body), **variables)
    assert (cost.rows, errors) == (rows, [])


PARTS = """
    fragment a on Query { projects(limit: 10) { results { name tasks(limit: 5) { next } } } }
    fragment b on Query { projects(limit: 10) { results { id tasks(limit: 5) { results { name } } } } }
"""


@pytest.mark.parametrize(
    ("selection", "fields", "rows"),
    [
        ("...a", 1, 60),
        ("...a ...a ... on Query { ...b }", 1, 60),
        ("...a projects(limit: 10) { results { members(limit: 2) { next } } }", 1, 80),
        ("...a it: projects(limit: 10) { next }", 2, 70),
        ("...a projects(limit: 9) { next }", 2, 69),
        ("...a ...b @skip(if: $yes)", 1, 60),
        ("...a @skip(if: $yes) ...b @include(if: $no)", 0, 0),
    ],
)
def test_list_in_several_fragments_counts_once(selection: str, fields: int, rows: int) -> None:
    definition = "query ($yes: Boolean = true, $no: Boolean = false)"
    cost, errors = cost_and_errors(f"{definition} {{ {selection} }} {PARTS}")
    assert (cost.fields, cost.rows, errors) == (fields, rows, [])


def test_cost_of_too_many_merged_fields_is_the_upper_bound() -> None:
    levels = 14
    text = "{ projects(limit: 1) { results { ...f0 } } }" + "".join(
        f" fragment f{at} on Project {{ a: client {{ ...f{at}c }} b: client {{ ...f{at}c }} }}"
        f" fragment f{at}c on Client {{ projects(limit: 1) {{ results {{ ...f{at + 1} }} }} }}"
        for at in range(levels)
    )
    cost, _ = cost_and_errors(f"{text} fragment f{levels} on Project {{ name }}")
    assert cost.rows == 2 ** (levels + 1) - 1


def test_fragment_in_itself_has_a_cost() -> None:
    cost, _ = cost_and_errors(
        "{ ...a } fragment a on Query { projects(limit: 1) { results { client { ...c } } } }"
        " fragment c on Client { projects(limit: 1) { results { client { ...c } } } }"
    )
    assert cost.rows > 0


ABSENT = "00000000-0000-7000-8000-000000000000"


@pytest.mark.parametrize(
    ("ids", "variables", "rows"),
    [(f'["{ABSENT}", "{ABSENT}"]', {}, 2), (f'"{ABSENT}"', {}, 1), ("$ids", {"ids": ABSENT}, 1), ("$ids", {}, 100)],
)
def test_rows_by_id_cost_their_number(ids: str, variables: dict[str, Any], rows: int) -> None:
    definition = "query ($ids: [UUID!]!)" if ids == "$ids" else ""
    cost, errors = cost_and_errors(f"{definition} {{ projects_by_id(ids: {ids}) {{ id }} }}", **variables)
    assert (cost.rows, errors) == (rows, [])


@pytest.mark.parametrize("limit", [1, 100, 0, 101, -1, -5_000, 10**9, 10**10, int("9" * 4_000)])
def test_limits_are_from_1_to_100(limit: int) -> None:
    expected = (limit, []) if limit in (1, 100) else (100, ["limit must be from 1 to 100."])
    for head, value, more in (("", limit, {}), ("($n: Int)", "$n", {"n": limit}), (f"($n: Int = {limit})", "$n", {})):
        cost, errors = cost_and_errors(f"query {head} {{ projects(limit: {value}) {{ next }} }}", **more)
        assert (cost.rows, errors) == expected


def test_refusal_shows_limits_that_fit() -> None:
    text = (
        "query ($n: Int) { members(limit: $n) { results { ...f } } } fragment f on Member { tasks(limit: 90) { next } }"
    )
    cost, (error,) = checked_cost(parse(text), definition_of(parse(text)), {"n": 100})
    assert cost.rows == 9_100
    assert error.message.endswith("With `limit: 50` in each list with more it asks for 2550: see `details`.")
    smaller = (error.extensions or {})["details"]
    assert smaller["variables"] == {"n": 50}
    assert "members(limit: $n)" in smaller["document"]
    assert "tasks(limit: 50)" in smaller["document"]
    document = parse(smaller["document"])
    assert validate(GRAPHQL_SCHEMA, document) == []
    assert checked_cost(document, definition_of(document), {"n": 50})[1] == []


def test_every_limit_has_a_default() -> None:
    for type_ in GRAPHQL_SCHEMA.type_map.values():
        for name, field in type_.fields.items() if isinstance(type_, GraphQLObjectType) else ():
            if "limit" in field.args:
                assert 1 <= field.args["limit"].default_value <= 100, f"{type_.name}.{name}"


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> list[FieldNode]:
    """The fields that the visitor visited."""
    visited: list[FieldNode] = []
    original = CostVisitor._field

    def counted(self: Any, parent: Any, node: FieldNode) -> DocumentCost:
        visited.append(node)
        return original(self, parent, node)

    monkeypatch.setattr(CostVisitor, "_field", counted)
    return visited


def doubling(number: int, field: str) -> str:
    """Fragments that each spread the next one twice."""
    chain = "".join(f" fragment f{at} on Project {{ ...f{at + 1} ...f{at + 1} }}" for at in range(number - 1))
    return f"{{ projects {{ results {{ ...f0 }} }} }} {chain} fragment f{number - 1} on Project {{ {field} }}"


def test_nested_fragments_are_visited_once(visited: list[FieldNode]) -> None:
    cost, errors = cost_and_errors(doubling(30, "it: tasks(limit: 1) { it: count @skip(if: true) }"))
    # Once for the aliases and directives, and once merged, without what is left out.
    assert len(visited) == 4 + 3
    assert (cost.aliases, cost.directives, cost.rows) == (2**30, 2**29, 20 * (1 + 1))
    assert errors == [
        f"The operation has {MAX_REPORTED} aliases; at most 15 are allowed.",
        "The operation has 536870912 directives; at most 20 are allowed.",
    ]


def test_cyclic_fragments_terminate(visited: list[FieldNode]) -> None:
    document = """
        { organization { ...a } }
        fragment a on Organization { name ...b ...a }
        fragment b on Organization { timezone ...a }
    """
    assert cost_and_errors(document)[1] == []
    assert len(visited) == 2 * 3
    assert any("itself" in error.message for error in validate(GRAPHQL_SCHEMA, parse(document)))


@pytest.mark.parametrize(
    "document",
    [
        # Nested fragments with the maximum of tokens.
        "{ ...f0 }"
        + "".join(f" fragment f{at} on Query {{ {'... {' * 9} ...f{at + 1} {'}' * 9} }}" for at in range(27)),
        "{ ...f0 }" + "".join(f" fragment f{at} on Query {{ ...f{at + 1} }}" for at in range(124)),
        "{ ...f0 }" + "".join(f" fragment f{at} on X {{ {'a {' * 40} ...f{at + 1} {'}' * 40} }}" for at in range(7)),
    ],
)
def test_any_shape_of_document_has_a_cost(document: str) -> None:
    parse(document, max_tokens=MAX_TOKENS)
    assert cost_and_errors(document)


def test_too_deep_fragments_are_refused() -> None:
    chain = "".join(f" fragment f{at} on Query {{ ...f{at + 1} }}" for at in range(2_000))
    assert cost_and_errors("{ ...f0 }" + chain)[1] == ["The operation is nested too deeply."]


# The slow reference: every fragment is expanded wherever it is spread.

FieldPath = tuple[tuple[GraphQLObjectType | None, FieldNode], ...]
"""A field and the fields above it, each with its parent type."""


class Expanded:
    """A document with its fragments expanded."""

    def __init__(self, document: DocumentNode, variables: Mapping[str, Any]) -> None:
        fragments = [node for node in document.definitions if isinstance(node, ast.FragmentDefinitionNode)]
        self.fragments = {node.name.value: node for node in fragments}
        self.operation = definition_of(document)
        self.variables = variables
        self.directives = len(self.operation.directives or ())
        self.paths = list(self.walk(GRAPHQL_SCHEMA.query_type, self.operation.selection_set, ()))

    def walk(
        self, parent: GraphQLObjectType | None, nodes: ast.SelectionSetNode | None, above: FieldPath
    ) -> Iterator[FieldPath]:
        for node in nodes.selections if nodes is not None else ():
            self.directives += len(node.directives or ())
            if isinstance(node, FieldNode):
                path = (*above, (parent, node))
                yield path
                field = GRAPHQL_SCHEMA.get_field(parent, node.name.value) if parent is not None else None
                below = self.named(get_named_type(field.type).name if field else "")
                yield from self.walk(below, node.selection_set, path)
            elif isinstance(node, ast.InlineFragmentNode):
                own = self.named(node.type_condition.name.value) if node.type_condition else parent
                yield from self.walk(own, node.selection_set, above)
            elif isinstance(node, ast.FragmentSpreadNode) and node.name.value in self.fragments:
                fragment = self.fragments[node.name.value]
                self.directives += len(fragment.directives or ())
                yield from self.walk(self.named(fragment.type_condition.name.value), fragment.selection_set, above)

    def named(self, name: str) -> GraphQLObjectType | None:
        type_ = GRAPHQL_SCHEMA.type_map.get(name)
        return type_ if isinstance(type_, GraphQLObjectType) else None

    def limit(self, parent: GraphQLObjectType | None, node: FieldNode) -> int | None:
        field = GRAPHQL_SCHEMA.get_field(parent, node.name.value) if parent is not None else None
        if field is None or "limit" not in field.args:
            return None
        for argument in node.arguments or ():
            if argument.name.value == "limit":
                if isinstance(argument.value, ast.VariableNode):
                    return int(self.variables[argument.value.name.value])
                assert isinstance(argument.value, ast.IntValueNode)
                return int(argument.value.value)
        return int(field.args["limit"].default_value)

    def rows(self, path: FieldPath) -> int:
        limits_of_path = [self.limit(*step) for step in path]
        for length in range(1, len(path) + 1):
            if limits_of_path[length - 1] is not None and self.is_count(path[:length]):
                limits_of_path[length - 1] = 1
        if limits_of_path[-1] is None:
            return 0
        product = 1
        for limit in limits_of_path:
            product *= 1 if limit is None else limit
        return product

    def is_count(self, path: FieldPath) -> bool:
        """Whether nothing but the count is selected of a list."""
        return {each[-1][1].name.value for each in self.paths if each[:-1] == path} - {"__typename"} == {"count"}

    def names(self, path: FieldPath) -> tuple[str, ...]:
        """The response keys of a path, without those of the lists in pages."""
        nodes = [node for parent, node in path if not self.is_rows(parent, node)]
        return tuple(node.alias.value if node.alias else node.name.value for node in nodes)

    def is_open(self, parent: GraphQLObjectType | None, node: FieldNode) -> bool:
        """Whether the field is a list of objects without a limit, such as the fields of a type."""
        field = GRAPHQL_SCHEMA.get_field(parent, node.name.value) if parent is not None else None
        if field is None or "limit" in field.args or self.is_rows(parent, node):
            return False
        return is_list_type(get_nullable_type(field.type)) and is_object_type(get_named_type(field.type))

    def is_rows(self, parent: GraphQLObjectType | None, node: FieldNode) -> bool:
        return node.name.value == "results" and parent is not None and "results" in parent.fields

    def levels(self, path: FieldPath) -> tuple[str, ...]:
        """The response keys of a path that count as levels: without those of introspection, too."""
        return self.names(tuple(step for step in path if step[0] is None or not step[0].name.startswith("__")))

    def cost(self) -> DocumentCost:
        names = [[node.name.value for _, node in path] for path in self.paths]
        meta = [sum(parent is not None and parent.name.startswith("__") for parent, _ in path) for path in self.paths]
        return DocumentCost(
            introspection_depth=max(meta, default=0),
            fields=sum(len(name) == 1 and name[-1] != "__typename" for name in names),
            counts=sum(name == ["count"] for name in names),
            aliases=sum(path[-1][1].alias is not None for path in self.paths),
            directives=self.directives,
            rows=sum(map(self.rows, self.paths)),
            introspection_aliases=sum(
                parent is not None and parent.name.startswith("__") and node.alias is not None
                for *_, (parent, node) in self.paths
            ),
            introspections=sum(name[-1] in {"__schema", "__type"} for name in names),
            schemas=sum(name[-1] == "__schema" for name in names),
            fragments=len(self.fragments),
            is_open=any(self.is_open(*path[-1]) for path in self.paths),
        )


FIELDS = "projects tasks members results client user name count nothing __typename __schema __type types fields".split()
TYPES = "Query Project ProjectPage Member TaskPage Client Nothing TaskStatus __Schema __Type".split()


@st.composite
def selections(draw: st.DrawFn, spreadable: list[str], levels: int) -> str:
    """A random selection set of fields, known or unknown, and fragments."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        directive = draw(st.sampled_from(["", "", "", " @skip(if: false)", " @skip(if: false) @other"]))
        below = draw(selections(spreadable, levels - 1)) if levels and draw(st.booleans()) else ""
        kind = draw(st.sampled_from(["field", "field", "inline", "spread"]))
        if kind == "inline" and below:
            condition = draw(st.sampled_from(["", *(f" on {name}" for name in TYPES)]))
            parts.append(f"...{condition}{directive} {below}")
        elif kind == "spread" and spreadable:
            parts.append(f"...{draw(st.sampled_from(spreadable))}{directive}")
        else:
            alias = draw(st.sampled_from(["", "", "it: "]))
            limit = draw(st.sampled_from(["", "(limit: 1)", "(limit: 100)", "(limit: $n)", "(limit: $m)", "(page: 2)"]))
            parts.append(f"{alias}{draw(st.sampled_from(FIELDS))}{limit}{directive} {below}")
    return "{ " + " ".join(parts) + " }"


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A random operation and fragments, which spread later fragments or unknown ones."""
    names = [f"f{number}" for number in range(draw(st.integers(0, 4)))]
    text = f"query ($n: Int = 3, $m: Int){draw(st.sampled_from(['', ' @mark']))} {draw(selections([*names, 'g'], 4))}"
    for at, name in enumerate(names):
        body = draw(selections([*names[at + 1 :], "g"], 3))
        text += f" fragment {name} on {draw(st.sampled_from(TYPES))}{draw(st.sampled_from(['', ' @mark']))} {body}"
    return text


@settings(max_examples=examples(50), deadline=None)
@given(documents(), st.integers(1, 100), st.none() | st.integers(1, 100))
def test_cost_equals_that_of_expanded_document(text: str, most: int, other: int | None) -> None:
    document = parse(text)
    given = {"m": most} | ({"n": other} if other is not None else {})
    expanded = Expanded(document, {"n": 3} | given)
    cost, errors = cost_of(document, definition_of(document), given)
    assert (replace(cost, deepest=(), largest=(), largest_rows=0), errors) == (expanded.cost(), [])
    # Several fields may cost as much.
    assert cost.largest_rows == max(map(expanded.rows, expanded.paths), default=0)
    largest = [expanded.names(path) for path in expanded.paths if expanded.rows(path) == cost.largest_rows > 0]
    assert cost.largest in (largest or [()])
    assert cost.depth == max((len(expanded.levels(path)) for path in expanded.paths), default=0)
    assert cost.deepest in [(), *map(expanded.levels, expanded.paths)]
