"""One name, one meaning: no public name of two modules stands for different things, but for those accepted below."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from db.tables.areas import AREAS
from db.tables.columns import metadata
from tests.helpers.repository import LAYERS, ROOT

assert AREAS, "all tables are declared"

ACCEPTED = {
    "log": "the logger of its module",
    "app": "the commands of a group, as typer's documentation calls them",
    "ENDPOINTS": "the endpoints of an area, and all of them",
}
"""Names of several modules, with the reason."""

VALUES_OF_TYPES = {"Budget", "Membership"}
"""Classes of resolvers whose objects are those of the type of the same name in the schema."""

COMMANDS = "rest_facade.commands"
"""A function of these modules is a command, and is called as the function that it runs."""

SKIPPED = "db.migrations.versions"
"""Revisions stay as they are, with the names that Alembic wants in each."""

PATH = (
    *("RestApp.fetch_data", "Executor.execute", "FieldPlan.fill_column", "Context.fetch"),
    *("Reader.fetch_together", "Database.read_rows", "Connection.exchange"),
)
"""The functions from the door of REST to the database, in the order in which one calls the next."""


def definitions(module: ast.Module, name: str) -> Iterator[tuple[str, str]]:
    """Public names that a module defines, each with its definition: an expression, or the module of a class."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not name.startswith(COMMANDS):
                yield node.name, f"function of {name}"
        elif isinstance(node, ast.ClassDef):
            if not (name.startswith("resolvers") and node.name in VALUES_OF_TYPES):
                yield node.name, f"class of {name}"
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from values(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from values(node.target, node.value)


def values(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str]]:
    if isinstance(target, ast.Name):
        yield target.id, ast.unparse(value)
    elif isinstance(target, ast.Tuple):
        parts = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
        for each, part in zip(target.elts, parts, strict=True):
            yield from values(each, part)


def ambiguous_names(modules: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    """The names that several modules define differently: name to module to definition."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for module, text in modules.items():
        for name, definition in definitions(ast.parse(text), module):
            if not name.startswith("_"):
                found[name][module] = definition
    return {name: places for name, places in found.items() if len(set(places.values())) > 1}


def test_one_name_has_one_meaning() -> None:
    paths = [path for package in LAYERS for path in (ROOT / package).rglob("*.py")]
    texts = {".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text() for path in paths}
    found = ambiguous_names({name: text for name, text in texts.items() if not name.startswith(SKIPPED)})
    assert {name: places for name, places in found.items() if name not in ACCEPTED} == {}
    assert set(ACCEPTED) <= set(found), "These accepted names have one meaning: take them out."


def test_a_verb_of_the_path_of_a_request_names_one_function() -> None:
    """A class may override it for the same class, to measure or to record."""
    found: dict[str, set[str]] = defaultdict(set)
    for package in LAYERS:
        for path in (ROOT / package).rglob("*.py"):
            for owner in ast.walk(ast.parse(path.read_text())):
                bases = {base.id for base in getattr(owner, "bases", ()) if isinstance(base, ast.Name)}
                for node in ast.iter_child_nodes(owner):
                    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                        names = {f"{base}.{node.name}" for base in bases} & {*PATH}
                        found[node.name] |= names or {f"{getattr(owner, 'name', path.name)}.{node.name}"}
    verbs = {name.partition(".")[2]: {name} for name in PATH}
    assert {verb: found[verb] for verb in verbs} == verbs


MECHANISMS = ("schema/execution", "schema/documents", "resolvers/steps", "resolvers/relations", "rest_facade/rest")
"""Folders of code that is the same for every list, report and endpoint."""

OF_DOMAINS = {"current", "where", "order_by"} | {
    column.name for table in metadata.tables.values() for column in table.c if column.name.endswith("_id")
} - {"organization_id"}
"""Names of arguments and columns: an argument declares what these mechanisms do about it."""


def test_no_mechanism_has_a_domain_name_as_a_string() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {node.value}"
        for folder in MECHANISMS
        for path in (ROOT / folder).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in OF_DOMAINS
    }
    assert found == set()
