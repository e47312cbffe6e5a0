"""Rules of the source tree: import directions, sizes of folders, mirrored tests, no SQL as text, literal documents."""

import ast
import graphlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.repository import LAYERS, ROOT
from tests.quick import covered_by_docstrings, mirror_of

ORDER: dict[str, tuple[str, ...]] = {
    # The same rule inside each package. A line names folders and modules, which may import each other, themselves and
    # the lines before. A module that is named with its folder does not belong to the folder's line.
    "db": (
        "errors",
        "values",
        "tables",
        "reading",
        "figures",
        "admin",
        "migrations",
        "jobs.distribution",
        "jobs.exporting",
        "jobs.importing",
        "jobs.retention",
        "jobs.doctor",
        "sample.embedded",
        "sample.demo sample.seed sample.deferred_keys",
    ),
    "resolvers": (
        "errors signed_urls selected",
        "values",
        "context",
        "relations steps",
        "day_bounds period",
        "lists",
        "records",
        "people",
        "work",
        "reports",
        "timesheets activity screenshots money payroll leaves",
    ),
    "schema": (
        "scalars fields",
        "totals",
        "people work timesheets activity money payroll leaves",
        "conditions",
        "schema",
        "execution",
        "documents",
    ),
    "rest_facade": (
        "settings version",
        "errors",
        "access",
        "telemetry",
        "rest",
        "v1",
        "graphql",
        "tracing",
        "openapi",
        "mcp",
        "internal site",
        "composition",
        "server",
        "commands",
        "__main__",
    ),
}

MOST_MODULES = 14
"""A folder holds no more, `__init__.py` aside."""

# What of SQLAlchemy reads a table that was never declared, or SQL that was never checked.
RAW_NAMES = {"text", "literal_column", "table", "TextClause", "TextualSelect", "TableClause"}
RAW_METHODS = {"op", "bool_op", "prefix_with", "suffix_with", "with_hint", "with_statement_hint"}

LONGEST_INIT = 15

IMPORT = re.compile(r"^\s*(?:from|import)\s[^(\n]*(?:\([^)]*\))?", re.MULTILINE)

DOCUMENT_PARTS = ("fields", "selection", "fragments")
"""What an endpoint's document is made of, besides the schema."""


def findings(root: Path) -> Iterator[str]:
    """Everything under `root` that breaks a rule, as `path: what`."""
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*.py")):
            source = path.read_text()
            nodes = list(ast.walk(ast.parse(source)))
            wrong = [f"imports {name}" for name in _imported(nodes) if name.split(".")[0] in _above(layer)]
            if layer != "db":
                wrong += _raw_sql(nodes)
            if path.parent == root / "rest_facade" / "v1":
                wrong += _made_text(nodes)
            if path.name == "__init__.py" and len(source.splitlines()) > LONGEST_INIT:
                wrong.append("is long")
            yield from (f"{path.relative_to(root)}: {what}" for what in wrong)


def inward(root: Path, package: str, order: tuple[str, ...]) -> Iterator[str]:
    """Every import inside `package` against `order`, as `path: what`."""
    lines = {f"{package}.{name}": number for number, line in enumerate(order) for name in line.split()}
    modules = {_dotted(path.relative_to(root)): path for path in sorted((root / package).rglob("*.py"))}
    for module, path in modules.items():
        place = _line(module, lines)
        if place is None and path.name != "__init__.py":
            yield f"{path.relative_to(root)}: is in no line of ORDER in tests/test_layers.py"
        imported = {_module(name, modules) for name in _names_imported(path.read_text())}
        for name in sorted(imported - {None, module}, key=str):
            line = _line(str(name), lines)
            if place is not None and line is not None and line > place:
                yield f"{path.relative_to(root)}: imports {name}, which ORDER has above it"


def circle(root: Path, package: str) -> list[str]:
    """Modules of `package` that import each other in a circle."""
    modules = {_dotted(path.relative_to(root)): path for path in sorted((root / package).rglob("*.py"))}
    imports: dict[str, set[str]] = {}
    for module, path in modules.items():
        found = {_module(name, modules) for name in _names_imported(path.read_text())}
        imports[module] = {name for name in found if name not in {None, module}}
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def crowded(root: Path, most: int = MOST_MODULES) -> Iterator[str]:
    """Folders with more than `most` modules."""
    for package in LAYERS:
        for folder in sorted({path.parent for path in (root / package).rglob("*.py")}):
            count = sum(path.name != "__init__.py" for path in folder.glob("*.py"))
            if count > most and folder.name != "versions":
                yield f"{folder.relative_to(root)}: holds {count} modules, {most} at most"


def untested(root: Path) -> Iterator[str]:
    """Modules with a function that have no `test_NAME.py` in the mirrored folder, and that no test module names.

    A test module names what it covers besides in its docstring, a module or a whole folder: Covers `db/sample/seed/`.
    """
    covered: set[str] = set().union(*covered_by_docstrings(root).values())
    for name in sorted(covered):
        if not (root / name).exists():
            yield f"{name}: a docstring under tests/ says that it is covered, but it is not there"
    for package in LAYERS:
        for path in sorted((root / package).rglob("*.py")):
            module = path.relative_to(root)
            if {str(module), *(f"{folder}/" for folder in module.parents)} & covered or "versions" in module.parts:
                continue
            functions = (ast.FunctionDef, ast.AsyncFunctionDef)
            has_logic = any(isinstance(node, functions) for node in ast.walk(ast.parse(path.read_text())))
            mirror = mirror_of(module)
            if has_logic and not (root / mirror).is_file():
                yield f"{module}: there is no {mirror}, and no docstring under tests/ says: Covers `{module}`."


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _line(module: str, lines: Mapping[str, int]) -> int | None:
    """The line of `module`: its own, or that of the nearest folder around it."""
    while module not in lines and module:
        module = module.rpartition(".")[0]
    return lines.get(module)


def _module(name: str, modules: Mapping[str, Path]) -> str | None:
    """The module that an imported name is, or is in."""
    while name not in modules and name:
        name = name.rpartition(".")[0]
    return name or None


def _above(layer: str) -> set[str]:
    return {*LAYERS[LAYERS.index(layer) + 1 :], "tests", "<relative>"}


@cache
def _names_imported(source: str) -> frozenset[str]:
    """What the text of a module imports."""
    return frozenset(_imported(ast.walk(ast.parse(source))))


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" if not node.level else "<relative>" for name in node.names)


def _raw_sql(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("sqlalchemy"):
            yield from (f"imports sqlalchemy's {name.name}" for name in node.names if name.name in RAW_NAMES)
        elif isinstance(node, ast.Import) and any(name.name.startswith("sqlalchemy") for name in node.names):
            yield "imports the whole of sqlalchemy"
        elif isinstance(node, ast.Attribute) and node.attr in RAW_METHODS:
            yield f"uses {node.attr}()"


def _made_text(nodes: list[ast.AST]) -> Iterator[str]:
    """Text that is put together, and parts of documents that are neither literals nor names of literals."""
    for node in nodes:
        method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        called = isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and named(node.value) != "partial"
        if method or called or isinstance(node, (ast.JoinedStr, ast.BinOp, ast.AugAssign)):
            yield f"puts together {ast.unparse(node)}"
        elif isinstance(node, ast.Call) and named(node).endswith("Endpoint"):
            parts = [word.value for word in node.keywords if word.arg in DOCUMENT_PARTS]
            built = [part for part in (*node.args[3:], *parts) if not isinstance(part, (ast.Constant, ast.Name))]
            yield from (f"publishes {ast.unparse(part)}" for part in built)


def named(call: ast.Call) -> str:
    """The function that is called, as it is written."""
    return ast.unparse(call.func)


def imports_of_tests(root: Path) -> Iterator[str]:
    """Modules under tests/ that import a test module, as `path: what`."""
    for path in sorted((root / "tests").rglob("*.py")):
        source = path.read_text()
        # Most import no name of a test: to parse all would take most of the time of this module.
        if not any("test_" in words for words in IMPORT.findall(source)):
            continue
        names = _names_imported(source)
        for module in sorted(names | {name.rpartition(".")[0] for name in names}):
            test = Path(f"{module.replace('.', '/')}.py")
            if test.name.startswith("test_") and (root / test).is_file():
                yield f"{path.relative_to(root)}: imports {test}: move what both use into a module of its own"


def none(found: Iterator[str]) -> None:
    """Fail with one finding a line."""
    text = "\n".join(found)
    assert not text, text


def test_imports_point_downward_sql_is_declared_and_documents_are_literals() -> None:
    none(findings(ROOT))


@pytest.mark.parametrize("package", ORDER)
def test_folders_import_in_the_declared_order(package: str) -> None:
    none(inward(ROOT, package, ORDER[package]))
    for name in " ".join(ORDER[package]).split():
        path = ROOT / package / name.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), f"tests/test_layers.py: ORDER names {package}.{name}"


@pytest.mark.parametrize("package", LAYERS)
def test_no_modules_import_each_other(package: str) -> None:
    assert circle(ROOT, package) == []


INTERNALS = {
    "schema/execution/graphql_core_internals.py": r"(?m)^from graphql\.execution\.",
    "resolvers/relations/strawberry_internals.py": (
        r"(?i)__strawberry_definition__|strawberry-definition|schema\._schema|strawberryresolver|wrapped_func"
    ),
    "rest_facade/server/uvicorn_internals.py": (
        r"(?s)^(?=.*uvicorn).*(uvicorn\.(protocols|_types|server)|RequestResponseCycle|_should_upgrade|_start_asgi_task"
        r"|_unset_keepalive|self\.(cycle|pipeline|flow|server_state|parser|timeout_keep_alive_task|tasks)\b)"
    ),
}
"""The one module that names internals of a library, and what these look like."""


@pytest.mark.parametrize(("module", "words"), INTERNALS.items(), ids=INTERNALS)
def test_one_module_names_internals_of_a_library(module: str, words: str) -> None:
    sources = {
        str(path.relative_to(ROOT)): path.read_text() for layer in LAYERS for path in (ROOT / layer).rglob("*.py")
    }
    assert [name for name, text in sources.items() if re.search(words, text)] == [module]


def test_no_module_imports_a_test_module() -> None:
    none(imports_of_tests(ROOT))


def test_no_folder_is_crowded() -> None:
    none(crowded(ROOT))


def test_every_module_with_logic_has_a_test_module() -> None:
    none(untested(ROOT))
