"""`docs/troubleshooting.md`: its table has every message of a REST error that the code can answer, and no other."""

import ast
import re
from collections.abc import Iterator

from tests.helpers.repository import ROOT

PAGE = ROOT / "docs" / "troubleshooting.md"

MESSAGE_ARGUMENT = {"Invalid": 0, "invalid": 0, "not_found": 0, "QueryForm": 1, "Error": 2, "_invalid": 0}
"""Position of the message in calls that make an error of a client."""


TOO_MANY_SUMMED = (
    "The range of {} days has more than {} timesheets, which one statement does not sum in its time: "
    "ask for {} days, or for a team or a person."
)

GRAPHQL_ONLY = frozenset(
    {
        *(
            "limit must be from 1 to {}.",
            "{} must have at most {} ids.",
            "Invalid after.",
            "start_date and end_date must be given together.",
            "updated_since is {}, but must be within the last {} days. Read the list without it, or with a user_id.",
            TOO_MANY_SUMMED,
        ),
        *("A comparison with estimates needs `task` in group_by.", "Groups by days need start_date and end_date."),
        "Untracked groups, and comparisons with what is expected, are by people and periods alone.",
        *("member needs the id of one person, as `id`."),
    }
)
"""Messages of arguments that REST checks before, or does not have."""

GRAPHQL_MODULES = frozenset({ROOT / "resolvers" / "lists" / "where.py"})

PLACEHOLDER = re.compile(r"\{\w*\}")
VALUE = re.compile(r"\b(?:NAME|N)\b")
"""What stands for a value in the page."""

ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


def coded_messages() -> set[str]:
    """The messages in the code; `{}` stands for a value."""
    return {
        message
        for folder in ("rest_facade/errors", "rest_facade/rest", "rest_facade/access", "resolvers", "schema")
        for file in set((ROOT / folder).rglob("*.py")) - GRAPHQL_MODULES
        for message in messages_of(ast.parse(file.read_text()))
    } - GRAPHQL_ONLY


def messages_of(module: ast.Module) -> Iterator[str]:
    """The messages of a module: arguments of the calls above, and what functions return that make a message."""
    named: dict[str, list[ast.expr]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named.setdefault(node.targets[0].id, []).append(node.value)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name.endswith("_error"):
            for each in ast.walk(node):
                yield from texts_of(each.value, named) if isinstance(each, ast.Return) else ()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            if node.func.id == "NotFound":
                yield from (f"{text} not found." for text in texts_of(node.args[0], named))
            elif len(node.args) > (position := MESSAGE_ARGUMENT.get(node.func.id, len(node.args))):
                yield from texts_of(node.args[position], named)


def texts_of(node: ast.expr | None, named: dict[str, list[ast.expr]]) -> Iterator[str]:
    """The texts that an expression may be."""
    if isinstance(node, ast.Name):
        for value in named.get(node.id, ()):
            yield from texts_of(value, {})
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rstrip":
        yield from texts_of(node.func.value, named)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield PLACEHOLDER.sub("{}", node.value)
    elif isinstance(node, ast.JoinedStr):
        parts = [str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values]
        yield PLACEHOLDER.sub("{}", "".join(parts)).removesuffix(" {}")


def documented_messages() -> list[str]:
    return [VALUE.sub("{}", message) for message in ROW.findall(PAGE.read_text())]


def is_template(template: str, message: str) -> bool:
    """Whether a documented message is that of the code, or has a placeholder where the code has a word."""
    pattern = ".+".join(map(re.escape, template.split("{}")))
    return re.fullmatch(pattern, message) is not None


def test_every_message_of_the_code_has_a_remedy() -> None:
    documented = documented_messages()
    assert {each for each in coded_messages() if not any(is_template(one, each) for one in documented)} == set()


def test_every_message_of_the_page_is_in_the_code() -> None:
    coded = coded_messages()
    assert [each for each in documented_messages() if not any(is_template(each, one) for one in coded)] == []
    assert len(documented_messages()) == len(set(documented_messages()))
