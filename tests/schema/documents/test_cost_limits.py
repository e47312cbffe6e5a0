"""How much a document may ask for: each limit at its edge, and the one pass against a slow and obvious count."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    get_introspection_query,
    get_named_type,
    parse,
    validate,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from schema.documents import cost_limits as limits
from schema.documents.cost_limits import MOST, MOST_COUNTED, DocumentCost, cost_of, refusals
from schema.execution.operation import definition_of
from schema.schema import GRAPHQL_SCHEMA
from tests.property_tests import examples

Node = Any


def judged(text: str, **variables: Any) -> tuple[DocumentCost, list[str]]:
    """The size of a document, and all that is said against it."""
    document = parse(text)
    size, errors = cost_of(document, definition_of(document), variables)
    return size, [error.message for error in [*errors, *refusals(size)]]


def nested(levels: int) -> str:
    """An operation whose deepest field is on that level, through two lists of one row."""
    way = ["projects(limit: 1)", "results", "client", "projects(limit: 1)", "results", "client", "budget", "type"]
    way = [*way[: levels - 1], "__typename"]
    return " { ".join(["", *way]) + " }" * levels


def fragments(number: int) -> str:
    spread = " ".join(f"...f{each}" for each in range(number))
    return f"{{ organization {{ {spread} }} }}" + "".join(
        f" fragment f{each} on Organization {{ name }}" for each in range(number)
    )


def aliases(number: int) -> str:
    return f"{{ organization {{ {' '.join(f'a{each}: name' for each in range(number))} }} }}"


def directives(number: int) -> str:
    """On everything that can carry one; most of them on fields."""
    fields = " ".join("name @skip(if: $no)" for _ in range(number - 4))
    return f"""
        query ($no: Boolean = false @mark) @mark {{ organization {{ ...f @mark {fields} }} }}
        fragment f on Organization @mark {{ name }}
    """


def roots(number: int) -> str:
    return f"{{ __typename {' '.join('organization { name }' for _ in range(number))} }}"


def introspections(number: int) -> str:
    return f"{{ {' '.join('__schema { queryType { name } }' for _ in range(number))} }}"


def introspection_aliases(number: int) -> str:
    return f"{{ it: __schema {{ {' '.join(f'a{each}: queryType {{ name }}' for each in range(number))} }} }}"


def introspection(levels: int) -> str:
    return '{ __type(name: "Query") ' + "{ ofType " * (levels - 1) + "{ name }" + "}" * levels


def rows(number: int) -> str:
    """49 lists of a hundred rows, each below one row; and what is missing."""
    below = f"projects(limit: {number - 4_950}) {{ count }}" if number > 4_950 else ""
    return f"""{{
        members(limit: 49) {{ results {{ projects(limit: 100) {{ count }} }} }}
        clients(limit: 1) {{ results {{ {below} }} }}
    }}"""


# Each limit.


@pytest.mark.parametrize(
    ("document", "most", "message"),
    [
        (fragments, 30, "The document defines 31 fragments; at most 30 are allowed."),
        (nested, 8, "The operation is 9 levels deep; at most 8 are allowed."),
        (introspection, 15, "Introspection is 16 levels deep; at most 15 are allowed."),
        (introspection_aliases, 0, "Introspection has 1 aliases; none are allowed."),
        (introspections, 1, "The operation introspects the schema 2 times; once is allowed."),
        (roots, 5, "The operation has 6 root fields; at most 5 are allowed."),
        (aliases, 15, "The operation has 16 aliases; at most 15 are allowed."),
        (directives, 20, "The operation has 21 directives; at most 20 are allowed."),
        (rows, 5_000, "The operation asks for up to 5001 rows; at most 5000 are allowed."),
    ],
)
def test_what_is_just_allowed_and_one_more(document: Any, most: int, message: str) -> None:
    assert judged(document(most))[1] == []
    assert judged(document(most + 1))[1] == [message]


def test_there_is_a_case_for_each_limit() -> None:
    assert [most for most, _ in MOST.values()] == [30, 8, 15, 0, 1, 5, 15, 20, 5_000]
    assert set(MOST) == set(DocumentCost.__dataclass_fields__)


def test_a_refusal_tells_its_numbers() -> None:
    document = parse(aliases(16))
    (error,) = refusals(cost_of(document, definition_of(document), {})[0])
    assert error.extensions == {"details": {"given": 16, "maximum": 15}}


def test_everything_that_is_too_much_is_told() -> None:
    assert judged(f"{{ {aliases(16)[2:-2]} {roots(6)[2:-2]} }}")[1] == [
        "The operation has 7 root fields; at most 5 are allowed.",
        "The operation has 16 aliases; at most 15 are allowed.",
    ]


# Rows.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{ organization { name } }", 0),
        ("{ project(id: 1) { tasks(limit: 3) { count } } }", 3),
        ("{ projects { count } }", 50),
        ("{ timesheet_idle_times { results { user { id } } } }", 10),
        ("{ projects(limit: 1) { count } clients(limit: 2) { count } }", 3),
        ("{ projects(limit: 10) { results { tasks(limit: 10) { count } members(limit: 1) { count } } } }", 120),
        ("{ projects(limit: 10) { results { tasks { count } } } }", 510),
        ("{ members(limit:100){results{projects(limit:100){results{tasks(limit:100){count}}}}} }", 1_010_100),
        ("{ ...f ...f } fragment f on Query { projects(limit: 7) { count } }", 14),
        ("{ ... { ... on Query { projects(limit: 7) { count } } } }", 7),
        # What validation refuses is of some size, too.
        ("{ nothing(limit: 100) { nowhere(limit: 100) } }", 0),
        ('{ projects(limit: "x") { count } }', 50),
        ("{ projects(limit: $unknown) { count } }", 50),
        ("{ ... on Nothing { projects { count } } ... on TaskStatus { projects } }", 0),
        ("{ ...f ...g } fragment f on Query { projects(limit: 3) { count } ...f }", 3),
    ],
)
def test_rows_are_the_product_of_limits(text: str, expected: int) -> None:
    assert judged(text)[0].rows == expected


@pytest.mark.parametrize(
    ("definition", "variables", "expected"),
    [
        ("$n: Int", {"n": 3}, 3),
        ("$n: Int", {"n": 3.0}, 3),
        ("$n: Int", {}, 50),
        ("$n: Int", {"n": None}, 50),
        ("$n: Int! = 7", {}, 7),
        ("$n: Int! = 7", {"n": 3}, 3),
        ("$n: Int = null", {}, 50),
        # None of these is a number for GraphQL; the variables are refused.
        ("$n: Int", {"n": "3"}, 50),
        ("$n: Int", {"n": True}, 50),
        ("$n: Int", {"n": [3]}, 50),
        ("$m: Int", {"n": 3}, 50),
    ],
)
def test_a_limit_may_be_a_variable(definition: str, variables: dict[str, Any], expected: int) -> None:
    size, errors = judged(f"query ({definition}) {{ projects(limit: $n) {{ count }} }}", **variables)
    assert (size.rows, errors) == (expected, [])


@pytest.mark.parametrize("limit", [1, 100])
def test_a_limit_is_from_one_to_a_hundred(limit: int) -> None:
    assert judged(f"{{ projects(limit: {limit}) {{ count }} }}")[1] == []


@pytest.mark.parametrize("limit", [0, 101, -1, -5_000, 10**9, 10**10, int("9" * 4_000)])
def test_no_other_limit_is_allowed(limit: int) -> None:
    expected = (100, ["limit must be from 1 to 100."])
    size, errors = judged(f"{{ projects(limit: {limit}) {{ count }} }}")
    assert (size.rows, errors) == expected
    size, errors = judged("query ($n: Int) { projects(limit: $n) { count } }", n=limit)
    assert (size.rows, errors) == expected
    size, errors = judged(f"query ($n: Int = {limit}) {{ projects(limit: $n) {{ count }} }}")
    assert (size.rows, errors) == expected


def test_a_wrong_limit_is_told_with_its_place() -> None:
    document = parse("{\n  projects(limit: 0) { count }\n}")
    _, (error,) = cost_of(document, definition_of(document), {})
    assert error.formatted == {
        "message": "limit must be from 1 to 100.",
        "locations": [{"line": 2, "column": 19}],
    }


def test_every_list_that_takes_a_limit_has_a_number_for_its_default() -> None:
    for type_ in GRAPHQL_SCHEMA.type_map.values():
        for name, field in type_.fields.items() if isinstance(type_, GraphQLObjectType) else ():
            if "limit" in field.args:
                assert 1 <= field.args["limit"].default_value <= 100, f"{type_.name}.{name}"


# Introspection.


def test_the_usual_query_for_a_schema_is_allowed() -> None:
    size, errors = judged(get_introspection_query(specified_by_url=True, schema_description=True))
    assert errors == []
    assert (size.depth, size.introspections, size.rows) == (1, 1, 0)


@pytest.mark.parametrize(
    "text",
    [
        "{ __schema { queryType { name } } }",
        '{ __type(name: "Query") { name } }',
        "{ innocent: __schema { queryType { name } } }",
        "{ ...f } fragment f on Query { ... { x: __schema { queryType { name } } } }",
    ],
)
def test_introspection_is_seen_wherever_it_stands(text: str) -> None:
    assert judged(text)[0].introspections == 1


def test_the_name_of_a_type_is_no_introspection() -> None:
    assert judged("{ __typename organization { __typename } }")[0].introspections == 0


# One pass.


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> list[FieldNode]:
    """The fields that a pass looked at."""
    visited: list[FieldNode] = []
    judge = limits._Pass._field

    def counted(self: Any, parent: Any, node: FieldNode) -> DocumentCost:
        visited.append(node)
        return judge(self, parent, node)

    monkeypatch.setattr(limits._Pass, "_field", counted)
    return visited


def doubling(number: int, field: str) -> str:
    """Fragments that each spread the next one twice."""
    chain = "".join(f" fragment f{at} on Project {{ ...f{at + 1} ...f{at + 1} }}" for at in range(number - 1))
    return f"{{ projects {{ results {{ ...f0 }} }} }} {chain} fragment f{number - 1} on Project {{ {field} }}"


def test_fragments_that_spread_fragments_are_looked_at_once(visited: list[FieldNode]) -> None:
    size, errors = judged(doubling(30, "it: tasks(limit: 1) { count @skip(if: true) }"))
    assert len(visited) == 4
    assert (size.aliases, size.directives, size.rows) == (2**29, 2**29, 50 * (1 + 2**29))
    assert errors == [
        "The operation has 536870912 aliases; at most 15 are allowed.",
        "The operation has 536870912 directives; at most 20 are allowed.",
        f"The operation asks for up to {MOST_COUNTED} rows; at most 5000 are allowed.",
    ]


def test_fragments_that_spread_each_other_come_to_an_end(visited: list[FieldNode]) -> None:
    document = """
        { organization { ...a } }
        fragment a on Organization { name ...b ...a }
        fragment b on Organization { timezone ...a }
    """
    assert judged(document)[1] == []
    assert len(visited) == 3
    assert any("itself" in error.message for error in validate(GRAPHQL_SCHEMA, parse(document)))


@pytest.mark.parametrize(
    "document",
    [
        # Fragments within fragments, of as many tokens as are allowed.
        "{ ...f0 }"
        + "".join(f" fragment f{at} on Query {{ {'... {' * 9} ...f{at + 1} {'}' * 9} }}" for at in range(27)),
        "{ ...f0 }" + "".join(f" fragment f{at} on Query {{ ...f{at + 1} }}" for at in range(124)),
        "{ ...f0 }" + "".join(f" fragment f{at} on X {{ {'a {' * 40} ...f{at + 1} {'}' * 40} }}" for at in range(7)),
    ],
)
def test_whatever_a_document_looks_like_it_is_judged(document: str) -> None:
    parse(document, max_tokens=limits.MOST_TOKENS)
    assert judged(document)


def test_a_document_without_a_bottom_is_refused() -> None:
    chain = "".join(f" fragment f{at} on Query {{ ...f{at + 1} }}" for at in range(2_000))
    assert judged("{ ...f0 }" + chain)[1] == ["The operation is nested too deeply."]


# The same, slowly: every fragment is written out wherever it is spread.


Way = tuple[tuple[GraphQLObjectType | None, FieldNode], ...]
"""A field, and those above it, each with the type on which it stands."""


class Expanded:
    """A document with its fragments written out."""

    def __init__(self, document: DocumentNode, variables: Mapping[str, Any]) -> None:
        self.fragments = {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }
        self.operation = definition_of(document)
        self.variables = variables
        self.directives = len(self.operation.directives or ())
        self.ways = list(self.walk(GRAPHQL_SCHEMA.query_type, self.operation.selection_set, ()))

    def walk(self, parent: GraphQLObjectType | None, nodes: SelectionSetNode | None, above: Way) -> Iterator[Way]:
        for node in nodes.selections if nodes is not None else ():
            self.directives += len(node.directives or ())
            if isinstance(node, FieldNode):
                way = (*above, (parent, node))
                yield way
                field = GRAPHQL_SCHEMA.get_field(parent, node.name.value) if parent is not None else None
                yield from self.walk(
                    self.named(get_named_type(field.type).name if field else ""), node.selection_set, way
                )
            elif isinstance(node, InlineFragmentNode):
                own = self.named(node.type_condition.name.value) if node.type_condition else parent
                yield from self.walk(own, node.selection_set, above)
            elif isinstance(node, FragmentSpreadNode) and node.name.value in self.fragments:
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
                if isinstance(argument.value, VariableNode):
                    return int(self.variables[argument.value.name.value])
                assert isinstance(argument.value, IntValueNode)
                return int(argument.value.value)
        return int(field.args["limit"].default_value)

    def rows(self, way: Way) -> int:
        found = [self.limit(*step) for step in way]
        if found[-1] is None:
            return 0
        product = 1
        for limit in found:
            product *= 1 if limit is None else limit
        return product

    def size(self) -> DocumentCost:
        names = [[node.name.value for _, node in way] for way in self.ways]
        meta = [sum(parent is not None and parent.name.startswith("__") for parent, _ in way) for way in self.ways]
        return DocumentCost(
            depth=max((len(way) - inner for way, inner in zip(self.ways, meta, strict=True)), default=0),
            introspection_depth=max(meta, default=0),
            fields=sum(len(name) == 1 and name[-1] != "__typename" for name in names),
            aliases=sum(way[-1][1].alias is not None for way in self.ways),
            directives=self.directives,
            rows=sum(map(self.rows, self.ways)),
            introspection_aliases=sum(
                parent is not None and parent.name.startswith("__") and node.alias is not None
                for *_, (parent, node) in self.ways
            ),
            introspections=sum(name[-1] in {"__schema", "__type"} for name in names),
            fragments=len(self.fragments),
        )


FIELDS = "projects tasks members results client user name count nothing __typename __schema __type types fields".split()
TYPES = [
    "Query",
    "Project",
    "ProjectPage",
    "Member",
    "TaskPage",
    "Client",
    "Nothing",
    "TaskStatus",
    "__Schema",
    "__Type",
]


@st.composite
def selections(draw: st.DrawFn, spreadable: list[str], levels: int) -> str:
    """A selection set, of fields that may or may not exist there, and of fragments."""
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
    """An operation and some fragments. Each may spread those behind it, and some that there are not."""
    names = [f"f{number}" for number in range(draw(st.integers(0, 4)))]
    text = f"query ($n: Int = 3, $m: Int){draw(st.sampled_from(['', ' @mark']))} {draw(selections([*names, 'g'], 4))}"
    for at, name in enumerate(names):
        body = draw(selections([*names[at + 1 :], "g"], 3))
        text += f" fragment {name} on {draw(st.sampled_from(TYPES))}{draw(st.sampled_from(['', ' @mark']))} {body}"
    return text


@settings(max_examples=examples(300), deadline=None)
@given(documents(), st.integers(1, 100), st.none() | st.integers(1, 100))
def test_one_pass_finds_what_writing_everything_out_does(text: str, most: int, other: int | None) -> None:
    document = parse(text)
    given = {"m": most} | ({"n": other} if other is not None else {})
    expanded = Expanded(document, {"n": 3} | given)
    assert cost_of(document, definition_of(document), given) == (expanded.size(), [])


def test_the_slow_count_is_not_fooled() -> None:
    document = parse("{ ...f ...f } fragment f on Query { a: projects(limit: 2) { results { tasks { count } } } }")
    assert isinstance(definition_of(document), OperationDefinitionNode)
    size = Expanded(document, {}).size()
    assert (size.depth, size.fields, size.aliases, size.rows) == (4, 2, 2, 2 * (2 + 2 * 50))
