"""Column mapping: which column of a file has what of an entry. Those of time trackers are TOML files in `mappings`.

A mapping is data: a community's time tracker, or a company's own file, needs a TOML file and no code.
"""

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from db.errors import OperatorError

SUFFIX = ".toml"

MAPPINGS = Path(__file__).with_name("mappings")

WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
"""The words that time trackers and companies use in their files."""


class Field(IntEnum):
    """What a column has. Its number is the position of its text in a line."""

    email, person, first_name, last_name, type, client, project, task, billable = range(9)
    note, tags = range(9, 11)
    date, from_, end_date, to = range(11, 15)
    duration, minutes, seconds, break_, break_minutes, break_seconds = range(15, 21)
    start, end, created, unit = range(21, 25)

    @property
    def key(self) -> str:
        """The name in a TOML file and in `--map`."""
        return self.name.rstrip("_")


FIELDS: Mapping[str, Field] = {each.key: each for each in Field}

COMBINED_FIELDS: Mapping[Field, Field] = {
    Field.date: Field.start,
    Field.from_: Field.start,
    Field.end_date: Field.end,
    Field.to: Field.end,
    Field.person: Field.first_name,
}
"""Fields that another column has where they have none of their own."""

LENGTHS: dict[Field, int] = {Field.duration: 3600, Field.minutes: 60, Field.seconds: 1}
"""Columns of a duration, with the seconds of a number without unit. Several have parts of it, or each has all of it."""

BREAKS: dict[Field, int] = {Field.break_: 3600, Field.break_minutes: 60, Field.break_seconds: 1}
"""Those of a break."""

LONGEST_BREAK = 5
"""Hours of a break, at most: a larger number without unit is minutes."""

KEPT: Mapping[Field, tuple[str, str]] = {
    Field.client: ("", "that of the project of this name, else none"),
    Field.project: ("project_id", "none"),
    Field.task: ("task_id", "none"),
    Field.billable: ("is_billable", "no"),
    Field.note: ("note", "none"),
    Field.tags: ("tags", "none"),
}
"""Fields that a file need not have, each with its column of a timesheet, if any: stored values stay, and what new rows
get."""

SETTINGS: Mapping[str, type] = {
    **dict.fromkeys(("title", "person", "timezone", "dates"), str),
    "trusts_durations": bool,
    "left_out": list,
}
"""What a TOML file may say besides the columns."""


class DateOrder(StrEnum):
    """The order of day and month, where the year is last."""

    dmy = "dmy"
    mdy = "mdy"


@dataclass(frozen=True)
class ColumnMapping:
    name: str
    """What `--from` calls it. Imported entries are known by it."""
    columns: Mapping[Field, Sequence[str]] = field(default_factory=dict)
    """The headers of each field. Case is ignored; the first of them that a file has is read."""
    title: str = ""
    """The name of the time tracker; empty for a company's own file."""
    person: str = ""
    """The e-mail address of the person whose file it is, if it has no column of people."""
    timezone: str = ""
    dates: DateOrder | None = None
    trusts_durations: bool = False
    """Whether the end of an entry is its start and its duration, where the file has another."""
    left_out: Sequence[str] = ()
    """Columns of its file that are not read. Others that tell a length or a break are refused in a later file."""
    is_proposed: bool = False
    """Whether it is a guess."""

    def fields(self, names: Sequence[str]) -> list[Field | None]:
        """What each column of a file has; None for one that is not imported."""
        known = [name.strip().lower() for name in names]
        chosen = {
            each: next((header.lower() for header in headers if header.lower() in known), None)
            for each, headers in self.columns.items()
        }
        found = {header: each for each, header in chosen.items()}
        return [found.get(name) for name in known]

    def missing(self, found: Collection[Field | None]) -> list[Field]:
        """What a file with these fields lacks: a person, a date, or the length of time."""
        has_times = {Field.from_, Field.start} & {*self.columns}
        wanted = [
            () if self.person else (Field.email, Field.person, Field.first_name, Field.last_name),
            (Field.date, Field.start),
            (Field.from_, Field.start) if has_times else (),
            (*LENGTHS, Field.to, Field.end) if has_times else (*LENGTHS,),
        ]
        lacking = [fields for fields in wanted if fields and not {*fields} & {*found}]
        named = (next((each for each in fields if each in self.columns), fields[0]) for fields in lacking)
        return list(dict.fromkeys(named))

    def mapped(self, columns: Mapping[str, str]) -> "ColumnMapping":
        """The mapping with other columns for some fields, and none of them for others. Raises OperatorError."""
        given = _columns(columns, "--map")
        taken = {name.lower() for names in given.values() for name in names}
        left = {each: [name for name in names if name.lower() not in taken] for each, names in self.columns.items()}
        return replace(self, columns={each: names for each, names in {**left, **given}.items() if names})

    def save(self) -> str:
        """Write the mapping to a new file here; returns what was done in a sentence. Raises OperatorError."""
        path = Path(f"{self.name}{SUFFIX}")
        # A text, a list of texts, and true are in JSON as in TOML.
        settings = {key: getattr(self, key) for key in SETTINGS}
        columns = {each.key: names[0] if len(names) == 1 else names for each, names in self.columns.items()}
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in settings.items() if value]
        lines += ["[columns]", *(f"{key} = {json.dumps(names, ensure_ascii=False)}" for key, names in columns.items())]
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write("\n".join([*lines, ""]))
        except OSError as error:
            reason = f"The mapping is not kept: {path}: {error.strerror}. Leave out --save, or delete the file."
            raise OperatorError(reason) from error
        return f"The mapping is in {path}: --from {self.name} reads it from this folder."


def find_mapping(name: str) -> ColumnMapping | None:
    """The mapping of the file NAME.toml here, of a time tracker, or of a path; None if there is none.

    Raises OperatorError.
    """
    paths = [Path(f"{name}{SUFFIX}"), MAPPINGS / f"{name}{SUFFIX}", Path(name)]
    path = next((path for path in paths if path.suffix == SUFFIX and path.is_file()), None)
    return None if path is None else read_mapping(path)


@cache
def trackers() -> Sequence[ColumnMapping]:
    return [read_mapping(path) for path in sorted(MAPPINGS.glob(f"*{SUFFIX}"))]


@cache
def headers_in_words() -> Mapping[Field, Sequence[str]]:
    """The headers by which a field is known in any file."""
    return _columns(WORDS["columns"], "words.toml")


def recognized(names: Sequence[str]) -> ColumnMapping | None:
    """The mapping of the time tracker whose report has columns of these names: the one that most of them fit.

    None if the names say more than its report has: it would lose times of day, say, or put all time on one person.
    """
    scores = []
    told = {*ColumnMapping("words", headers_in_words()).fields(names)} - {None}
    for mapping in trackers():
        found = {*mapping.fields(names)} - {None}
        lacks = any(each in mapping.columns for each in mapping.missing(found))
        if not lacks and len(found) >= len(told) and 4 * len(found) >= 3 * len(mapping.columns):
            scores.append((len(found), mapping))
    best = max((score for score, _ in scores), default=0)
    fitting = [mapping for score, mapping in scores if score == best]
    return fitting[0] if len(fitting) == 1 else None


def read_mapping(path: Path) -> ColumnMapping:
    """The mapping of a TOML file. Raises OperatorError."""
    try:
        content = tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise OperatorError(f"{path} is not a TOML file: {error}.") from error
    columns = content.pop("columns", {})
    for key, value in content.items():
        if not isinstance(value, SETTINGS.get(key, ())):
            known = ", ".join(SETTINGS)
            raise OperatorError(f"{path}: {key} is not known, or of another kind: known are {known}, columns.")
    if "dates" in content:
        if content["dates"] not in [*DateOrder]:
            raise OperatorError(f"{path}: dates is {' or '.join(DateOrder)}.")
        content["dates"] = DateOrder(content["dates"])
    return ColumnMapping(path.stem, _columns(columns, str(path)), **content)


def _columns(columns: Any, place: str) -> dict[Field, Sequence[str]]:
    """The headers of each field, from names of one or several columns. Raises OperatorError."""
    found: dict[Field, Sequence[str]] = {}
    for key, headers in columns.items() if isinstance(columns, dict) else [("columns", None)]:
        names = [headers] if isinstance(headers, str) else headers
        if key not in FIELDS:
            raise OperatorError(f"{place}: {key} is none of {', '.join(FIELDS)}.")
        if not (isinstance(names, list) and names and all(isinstance(name, str) and name.strip() for name in names)):
            raise OperatorError(f"{place}: {key} needs the name of a column, or a list of names.")
        found[FIELDS[key]] = [name.strip() for name in names]
    return found
