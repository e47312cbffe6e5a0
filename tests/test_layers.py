"""Who may import whom, where SQL may be text, and that published documents are literals: read from the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

LAYERS = ("db", "resolvers", "schema", "rest_facade")
"""From the bottom up: each imports itself and those before it."""

# What of SQLAlchemy reads a table that was never declared, or SQL that was never checked.
RAW_NAMES = {"text", "literal_column", "table", "TextClause", "TextualSelect", "TableClause"}
RAW_METHODS = {"op", "bool_op", "prefix_with", "suffix_with", "with_hint", "with_statement_hint"}

LONGEST_INIT = 15


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


def _above(layer: str) -> set[str]:
    return {*LAYERS[LAYERS.index(layer) + 1 :], "tests", "<relative>"}


def _imported(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield f"{node.module}.{node.names[0].name}" if not node.level else "<relative>"


def _raw_sql(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("sqlalchemy"):
            yield from (f"imports sqlalchemy's {name.name}" for name in node.names if name.name in RAW_NAMES)
        elif isinstance(node, ast.Import) and any(name.name.startswith("sqlalchemy") for name in node.names):
            yield "imports the whole of sqlalchemy"
        elif isinstance(node, ast.Attribute) and node.attr in RAW_METHODS:
            yield f"uses {node.attr}()"


def _made_text(nodes: list[ast.AST]) -> Iterator[str]:
    """Text that is put together, and documents that are neither literals nor names of literals."""
    for node in nodes:
        method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        called = isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if method or called or isinstance(node, (ast.JoinedStr, ast.BinOp, ast.AugAssign)):
            yield f"puts together {ast.unparse(node)}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Endpoint":
            named = [word.value for word in node.keywords if word.arg in ("document", "fragment")]
            yield from (
                f"publishes {ast.unparse(document)}"
                for document in (*node.args[3:], *named)
                if not isinstance(document, (ast.Constant, ast.Name))
            )


def test_imports_point_downward_sql_is_declared_and_documents_are_literals() -> None:
    assert list(findings(ROOT)) == []


def test_a_wrong_tree_would_be_noticed(tmp_path: Path) -> None:
    for name, source in {
        "db/a.py": "import sqlalchemy\nfrom sqlalchemy import text\ndef f():\n    from resolvers.b import g",
        "resolvers/b.py": "from sqlalchemy import text\nimport schema.c\nx.op('=')(y)",
        "schema/c.py": "import sqlalchemy as sa\nfrom db.a import f\nfrom resolvers.b import g\nfrom . import d",
        "schema/d.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from rest_facade.x import y",
        "rest_facade/__init__.py": "import tests.factories" + "\n" * 16,
        "rest_facade/v1/e.py": "A = 'a'\nB = f'{A}'\nC = f()\nD = [Endpoint(1, 2, 3, A, 'b'), Endpoint(1, 2, 3, [A])]",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    assert list(findings(tmp_path)) == [
        "db/a.py: imports resolvers.b.g",
        "resolvers/b.py: imports schema.c",
        "resolvers/b.py: imports sqlalchemy's text",
        "resolvers/b.py: uses op()",
        "schema/c.py: imports <relative>",
        "schema/c.py: imports the whole of sqlalchemy",
        "schema/d.py: imports rest_facade.x.y",
        "rest_facade/__init__.py: imports tests.factories",
        "rest_facade/__init__.py: is long",
        "rest_facade/v1/e.py: puts together C = f()",
        "rest_facade/v1/e.py: puts together f'{A}'",
        "rest_facade/v1/e.py: publishes [A]",
    ]
