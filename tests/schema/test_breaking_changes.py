"""Changes of the schema since the release: the changelog has what breaks clients, and fields are deprecated first."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from graphql import (
    BreakingChangeType,
    DangerousChangeType,
    GraphQLObjectType,
    GraphQLSchema,
    build_schema,
    find_breaking_changes,
    find_dangerous_changes,
)

from schema.schema import schema_text
from tests.generate.released_schema import FILE

CHANGELOG = (Path(__file__).parents[2] / "CHANGELOG.md").read_text()

BEFORE_COORDINATE = re.compile(r"^(Field|Argument|Enum value|An? (required|optional) (argument|field)) ")
COORDINATE = re.compile(r"@?\w+(\.\w+)?(\(\w+:\))?")
UNUSED_SCALAR = "Standard scalar "
"""How the sentence begins about `Int` or `ID` that has no use left; each change of a use has a sentence of its own."""

HARMLESS = {DangerousChangeType.OPTIONAL_ARG_ADDED}
"""Dangerous changes that need no line: a document without the argument has the same answer as before."""


def unreleased(changelog: str, *headings: str) -> str:
    """The text of the unreleased version under some headings, without line breaks."""
    version = changelog.partition("## Unreleased\n")[2].partition("\n## ")[0]
    sections = [section.partition("\n") for section in version.split("\n### ")]
    return " ".join(" ".join(text.split()) for heading, _, text in sections if heading in headings)


def missing_lines(old: GraphQLSchema, new: GraphQLSchema, changelog: str) -> list[str]:
    """The lines that the changelog needs for what breaks clients of the old schema, or may surprise them."""
    changes = [change.description for change in find_breaking_changes(old, new)]
    breaking = [change for change in changes if not change.startswith(UNUSED_SCALAR)]
    dangerous = [change.description for change in find_dangerous_changes(old, new) if change.type not in HARMLESS]
    return [
        *_missing(breaking, unreleased(changelog, "Changed", "Removed"), "Changed or Removed"),
        *_missing(dangerous, unreleased(changelog, "Added", "Changed", "Removed"), "Added, Changed or Removed"),
    ]


# `*(limit:)` in the changelog names the argument of every field.
def _missing(changes: Iterable[str], text: str, headings: str) -> list[str]:
    lines = []
    for change in changes:
        found = COORDINATE.search(BEFORE_COORDINATE.sub("", change))
        assert found is not None, change
        everywhere = re.sub(r".+(?=\()", "*", found[0])
        if f"`{found[0]}`" not in text and f"`{everywhere}`" not in text:
            sentence = change.replace(found[0], f"`{found[0]}`", 1)
            lines.append(f"Add to CHANGELOG.md, Unreleased, {headings}: - GraphQL: {sentence}")
    return lines


def removed_without_deprecation(old: GraphQLSchema, new: GraphQLSchema) -> list[str]:
    """The fields that the new schema does not have, though the release did not deprecate them."""
    return [
        f"{name}.{field_name}"
        for name, type_ in old.type_map.items()
        if isinstance(type_, GraphQLObjectType) and isinstance(now := new.type_map.get(name), GraphQLObjectType)
        for field_name, field in type_.fields.items()
        if field_name not in now.fields and field.deprecation_reason is None
    ]


def test_changelog_has_every_breaking_change() -> None:
    released, current = build_schema(FILE.read_text()), build_schema(schema_text())
    assert "\n".join(missing_lines(released, current, CHANGELOG)) == ""


def test_removed_fields_were_deprecated_in_the_release() -> None:
    released, current = build_schema(FILE.read_text()), build_schema(schema_text())
    assert removed_without_deprecation(released, current) == []


OLD = """
type Query { team(id: ID!, size: Int = 1): Team! teams: [Team!]! @deprecated(reason: "Use `team`.") }
type Team { name: String day: Day }
enum Day { monday tuesday }
"""

OTHER_LINES = "## Unreleased\n\n### Fixed\n\n- `{1}`\n\n### Changed\n\n- `{0}`\n\n## 0.1.0\n\n### Changed\n\n- `{1}`\n"


@pytest.mark.parametrize(
    ("text", "by", "coordinate"),
    [
        ("name: String ", "", "Team.name"),
        ("name: String", "name: Int", "Team.name"),
        ("team(id: ID!, size: Int = 1): Team!", "team(id: ID!, size: Int = 1): Team", "Query.team"),
        ("(id: ID!, size", "(id: ID!, of: ID!, size", "Query.team(of:)"),
        ("(id: ID!, ", "(", "Query.team(id:)"),
        ("size: Int", "size: ID", "Query.team(size:)"),
        ("= 1", "= 2", "Query.team(size:)"),
        ("monday tuesday", "monday", "Day.tuesday"),
        ("tuesday", "tuesday sunday", "Day.sunday"),
        ("Day", "Weekday", "Day"),
    ],
)
def test_change_without_a_line_is_found(text: str, by: str, coordinate: str) -> None:
    old, new = build_schema(OLD), build_schema(OLD.replace(text, by))
    line, *_ = missing_lines(old, new, OTHER_LINES.format("", coordinate))
    assert line.startswith("Add to CHANGELOG.md, Unreleased, ")
    assert f"`{coordinate}`" in line
    rest = missing_lines(old, new, OTHER_LINES.format(coordinate, ""))
    assert [line for line in rest if f"`{coordinate}`" in line] == []


def test_new_field_and_optional_argument_need_no_line() -> None:
    new = OLD.replace("size: Int = 1", "size: Int = 1, day: Day").replace("name:", "title: String name:")
    assert missing_lines(build_schema(OLD), build_schema(new), "") == []


def test_field_without_deprecation_must_stay() -> None:
    old = build_schema(OLD)
    assert removed_without_deprecation(old, build_schema(OLD.replace("name: String", ""))) == ["Team.name"]
    assert removed_without_deprecation(old, build_schema(re.sub(r"teams:.*\)", "", OLD))) == []


def test_breaking_change_types_are_those_of_the_library() -> None:
    # A new kind of change may have another sentence, from which the coordinate is read.
    assert len(BreakingChangeType) == 16
    assert len(DangerousChangeType) == 7
