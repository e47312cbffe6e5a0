"""Values of a report's line: what the text of a column says. Readers raise ValueError with a sentence."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from unicodedata import normalize

from db.jobs.importing.detailed_reports.intervals import Duration, read_duration
from db.jobs.importing.detailed_reports.mapping import BREAKS, LENGTHS, LONGEST_BREAK, WORDS, Field
from db.jobs.importing.typed.text_forms import MAX_NAME

_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")

_BILLABLE: Mapping[str, bool] = {word: answer == "yes" for answer, words in WORDS["billable"].items() for word in words}

_ENTRY_TYPES: Mapping[str, str] = {word: kind for kind, words in WORDS["types"].items() for word in words}
"""What an entry of a type is: work, break or time_off."""


def read_email(text: str) -> str:
    """The address in lower case."""
    if not _EMAIL.fullmatch(text):
        raise ValueError("is not an e-mail address: write the address by which the person is known")
    return text.lower()


def read_name(text: str) -> str | None:
    """A name without control characters, or None."""
    # Files of macOS may have letters and their accents apart.
    name = normalize("NFC", _CONTROL_CHARACTERS.sub(" ", text)).strip()
    if len(name) > MAX_NAME:
        raise ValueError(f"has more than {MAX_NAME} characters")
    return name or None


def read_known_name(text: str) -> str:
    name = read_name(text.replace("\u00a0", " "))
    if name is None:
        raise ValueError(
            "is missing: the report has no e-mail addresses, so that each line needs the name of the person"
        )
    return name


@lru_cache(maxsize=10_000)
def read_tags(text: str) -> Sequence[str]:
    return tuple(tag.strip() for tag in dict.fromkeys(text.split(",")) if tag.strip())


def refuse_task(text: str) -> None:
    if text:
        raise ValueError("is a task without a project: fill in its project")


def read_type(text: str) -> str | None:
    name = text.lower().replace("_", " ")
    if name and name not in _ENTRY_TYPES:
        raise ValueError(
            "is not Regular, Break, Holiday or Time off: write one of them, or export the report in English; give --map"
            " tags=COLUMN if the column says something else"
        )
    return _ENTRY_TYPES.get(name)


def read_billable(text: str) -> bool:
    if text.lower() not in _BILLABLE:
        raise ValueError("is neither Yes nor No: write one of them, or export the report in English")
    return _BILLABLE[text.lower()]


def _hours_of_break(text: str) -> Duration:
    if text.isdigit() and int(text) > LONGEST_BREAK:
        advice = "if these are minutes or seconds, give --map break_minutes=COLUMN or break_seconds=COLUMN"
        raise ValueError(f"is more than {LONGEST_BREAK} hours: {advice}")
    return read_duration(text)


def _minutes_of_break(text: str) -> Duration:
    if re.search("[.,][0-9]*[1-9]", text):
        raise ValueError("is no whole number of minutes: if these are hours, give --map break=COLUMN")
    return read_duration(text, 60)


LENGTH_READERS: Mapping[Field, Callable[[str], Duration]] = {
    **{field: partial(read_duration, unit=unit) for field, unit in (LENGTHS | BREAKS).items()},
    Field.break_: _hours_of_break,
    Field.break_minutes: _minutes_of_break,
}
