"""Words of headers: the fields that the name of a column tells, and its unit. The words are in `words.toml`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from unicodedata import combining, normalize

from db.errors import OperatorError
from db.jobs.importing.detailed_reports.mapping import (
    BREAKS,
    FIELDS,
    LENGTHS,
    LONGEST_BREAK,
    WORDS,
    Field,
    headers_in_words,
)
from db.jobs.importing.detailed_reports.proposing.sample import COLUMN_KINDS, EMPTY, TEXT, Sample

_BETWEEN_WORDS = re.compile("(?<=[a-z])(?=[A-Z])")

_BETWEEN = re.compile(r"[\s_.:*]+")

_IN_BRACKETS = re.compile(r"\s*[(\[]([^)\]]*)[)\]]\s*")

_LENGTH_UNITS = "|".join(chain(*(words for unit, words in WORDS["units"].items() if unit != "other")))

_UNIT_AT_END = re.compile(rf"(?:[ _]in)?[ _]({_LENGTH_UNITS})\.?$", re.IGNORECASE)

BY_KIND: Mapping[Field, Mapping[str, Field]] = {
    Field.email: {"email": Field.email},
    Field.person: dict.fromkeys((*COLUMN_KINDS, TEXT), Field.person) | {"email": Field.email},
    Field.date: {"date": Field.date, "number": Field.date, "moment": Field.start},
    Field.end_date: {"date": Field.end_date, "moment": Field.end},
    Field.from_: {"time": Field.from_, "number": Field.from_, "moment": Field.start, "date": Field.date},
    Field.to: {"time": Field.to, "number": Field.to, "moment": Field.end, "date": Field.end_date},
    **{each: dict.fromkeys(("number", "duration", "time"), each) for each in (*LENGTHS, Field.break_)},
}
"""What a column is by the kind of its values, if its word says the first field; other fields are texts of any kind."""


def columns_by_words(sample: Sample, kinds: Sequence[str]) -> Iterator[tuple[Field, int]]:
    """Each field and a column that may have it, the surest first."""
    named = [_BETWEEN_WORDS.sub(" ", name) for name in sample.names]
    whole = [unaccented(name) for name in sample.names]
    plain = [_BETWEEN.sub(" ", _IN_BRACKETS.sub(" ", unaccented(name))).strip() for name in named]
    bare = [_UNIT_AT_END.sub("", name) for name in plain]
    for field, words in headers_in_words().items():
        is_length = field in LENGTHS or field in BREAKS
        headers = (whole, plain, bare) if field in (Field.duration, Field.break_) else (whole, plain)
        for word in map(unaccented, words):
            for index, kind in enumerate(kinds):
                if is_length and not _is_of_length(named[index]) and whole[index] != word:
                    continue
                if any(names[index] == word for names in headers):
                    told = field if kind == EMPTY else BY_KIND.get(field, {kind: field}).get(kind)
                    if told is not None:
                        yield with_unit(told, named[index], sample.columns[index]), index


def with_unit(field: Field, name: str, values: Sequence[str]) -> Field:
    """The field, by the unit in the header: `Dauer (min)`, `Dauer in Min.`; of breaks, by their numbers."""
    written = "".join(_IN_BRACKETS.findall(name) or _UNIT_AT_END.findall(name)).lower().rstrip(".")
    unit = next((unit for unit, words in WORDS["units"].items() if written in words), None)
    if field is Field.duration and unit == "other":
        raise OperatorError(f"{name} has neither hours, minutes nor seconds: convert it in the file.")
    if field is Field.duration:
        return FIELDS.get(unit or "", field)
    if field is Field.break_ and unit == "seconds":
        return Field.break_seconds
    if field is Field.break_:
        longest = max((int(value) for value in values if value.isdigit()), default=0)
        return Field.break_minutes if unit == "minutes" or longest > LONGEST_BREAK else field
    return field


def _is_of_length(name: str) -> bool:
    """Whether the brackets of a header have a unit or a format, and tell no other length, such as a planned one."""
    texts = (text.removeprefix("in ").rstrip(".") for text in _IN_BRACKETS.findall(unaccented(name)))
    known = {*chain(*WORDS["units"].values()), *WORDS["headers"]["of_length"]}
    return all(text in known or re.fullmatch("h+:mm(:ss)?", text) for text in texts)


def is_of_record(name: str) -> bool:
    return any(part in name.lower() for part in WORDS["headers"]["of_record"])


def in_words(name: str) -> str:
    return _BETWEEN.sub(" ", _BETWEEN_WORDS.sub(" ", name)).strip().lower()


def first_word(name: str) -> str:
    return re.split(r"[\W\d_]", unaccented(name), maxsplit=1)[0]


def words_in(name: str) -> set[str]:
    return {*re.findall(r"[^\W\d_]+", unaccented(name))}


def unaccented(text: str) -> str:
    return "".join(each for each in normalize("NFKD", text.lower()) if not combining(each))
