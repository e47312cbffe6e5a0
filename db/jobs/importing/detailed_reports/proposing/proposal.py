"""Proposal of a mapping by the header and the first rows of a company's own file.

The words are in `words.toml`. The values decide where words do not: whether `Start` is a date, a time, or both, and
which columns are dates and times if no word tells.
"""

from collections.abc import Iterator
from itertools import chain
from operator import contains

from db.jobs.importing.detailed_reports.mapping import LENGTHS, WORDS, ColumnMapping, Field
from db.jobs.importing.detailed_reports.proposing.header_words import columns_by_words, is_of_record
from db.jobs.importing.detailed_reports.proposing.refusals import (
    refuse_another_zone,
    refuse_header,
    refuse_several_times,
    refuse_stamps,
    refuse_types_without_name,
    refuse_unclear_breaks,
    refuse_unclear_numbers,
)
from db.jobs.importing.detailed_reports.proposing.sample import EMPTY, FoundColumns, Sample, read_sample
from db.jobs.importing.detailed_reports.report_file import NO_WORK, WORK, ReportFile


def proposed(file: ReportFile) -> ColumnMapping:
    """The mapping of a file as far as its header and first rows show it. Raises UnreadableText and OperatorError."""
    refuse_header(file)
    sample, found = read_sample(file), FoundColumns()
    for rule in PROPOSAL_RULES:
        rule(sample, found)
    return file.mapping.mapped({field.key: sample.names[index] for field, index in sorted(found.items())})


def _find_by_words(sample: Sample, found: FoundColumns) -> None:
    for kinds in (sample.kinds, sample.kinds_of_some):
        for field, index in columns_by_words(sample, kinds):
            if index not in found.values() and (kinds is sample.kinds or field >= Field.date):
                found.setdefault(field, index)


def _find_by_values(sample: Sample, found: FoundColumns) -> None:
    for field, kind in _unfound(found):
        for index, name in enumerate(sample.names):
            if sample.kinds[index] == kind and name and index not in found.values() and not is_of_record(name):
                found[field] = index
                break


def _unfound(found: FoundColumns) -> Iterator[tuple[Field, str]]:
    """What no word has told, and the kind of its values."""
    if not {Field.email, Field.person, Field.first_name} & {*found}:
        yield Field.email, "email"
    if not {Field.date, Field.start} & {*found}:
        yield from ((Field.date, "date"), (Field.start, "moment"))
        if not {*LENGTHS} & {*found}:
            yield Field.end, "moment"
    times = {Field.from_, Field.to} - {*found}
    if times and (len(times) == 1 or not {Field.start, *LENGTHS} & {*found}) and Field.start not in found:
        yield from ((field, "time") for field in sorted(times))


def _find_unreadable_times(sample: Sample, found: FoundColumns) -> None:
    """Take columns by their words alone: lines refuse what is no time, which says more than that there is no column."""
    lacking = set() if {Field.date, Field.start} & {*found} else {Field.date}
    lacking |= set() if {Field.to, Field.end, *LENGTHS} & {*found} else {Field.from_, Field.to, *LENGTHS}
    for field, index in columns_by_words(sample, [EMPTY] * len(sample.names)) if lacking else ():
        if field in lacking and index not in found.values():
            found.setdefault(field, index)


def _find_types(sample: Sample, found: FoundColumns) -> None:
    """Take a column only if it tells breaks or time off from work: one of types by its name, or by all its values.

    One of types by its name is also taken if all its values are work, and no other column tells more.
    """
    named, taken = found.pop(Field.type, None), {*found.values()} - {found.get(Field.tags)}
    for index, values in sorted(enumerate(sample.columns), key=lambda column: column[0] != named):
        texts = {value.lower() for value in values if value}
        is_told = bool(texts & WORK and texts & NO_WORK) and texts <= WORK | NO_WORK
        if index == named:
            # A longer word tells it, too, or numbers of wages: lines with unknown ones are refused then.
            is_told = any(word in (text if word[3:] else text.split()) for text in texts for word in NO_WORK)
            is_told = is_told or (sample.kinds[index] == "number" and len(texts) > 1)
        if is_told and index not in taken:
            found[Field.type] = index
            break
        if index == named and set() < texts <= WORK:
            found[Field.type] = index
    if found.get(Field.tags) == found.get(Field.type):
        found.pop(Field.tags, None)


def _leave_out_other_units(sample: Sample, found: FoundColumns) -> None:
    """Leave out a column of units that has those of a company, or where durations have their own."""
    if Field.unit in found:
        told = {value.lower().rstrip(".") for value in sample.columns[found[Field.unit]]}
        length = found.get(Field.duration)
        if not told & {*chain(*WORDS["units"].values())} or length is None or sample.kinds[length] != "number":
            del found[Field.unit]


def _leave_out_empty_times(sample: Sample, found: FoundColumns) -> None:
    if Field.from_ in found and {*LENGTHS} & {*found} and sample.kinds[found[Field.from_]] == EMPTY:
        del found[Field.from_]
        found.pop(Field.to, None)


def _leave_out_counts(sample: Sample, found: FoundColumns) -> None:
    """Leave out a column such as `Breaks` that may count them, instead of their hours: it is refused if it is not 0."""
    index = found.get(Field.break_)
    if index is None or not sample.names[index].lower().endswith(("breaks", "pausen")):
        return
    if all(value.isdigit() for value in sample.columns[index] if value):
        del found[Field.break_]


def _prefer_moments(_: Sample, found: FoundColumns) -> None:
    if Field.start in found:
        found.pop(Field.date, None)
        found.pop(Field.from_, None)


def _take_for_projects(_: Sample, found: FoundColumns) -> None:
    """Take tasks or clients for projects, which they belong to, where there are none."""
    for field in (Field.task, Field.client):
        if Field.project not in found and field in found:
            found[Field.project] = found.pop(field)


def _tell_last_names(sample: Sample, found: FoundColumns) -> None:
    """Take `Name` beside `Vorname` for last names, unless it has the first names, too."""
    if {Field.person, Field.first_name} <= {*found} and Field.last_name not in found:
        first_names, names = (sample.columns[found[field]] for field in (Field.first_name, Field.person))
        if all(map(contains, names, first_names)):
            del found[Field.first_name]
        else:
            found[Field.last_name] = found.pop(Field.person)


PROPOSAL_RULES = (
    _find_by_words,
    refuse_stamps,
    _find_by_values,
    _find_unreadable_times,
    _find_types,
    refuse_types_without_name,
    _leave_out_other_units,
    _leave_out_empty_times,
    refuse_unclear_numbers,
    refuse_another_zone,
    refuse_several_times,
    _leave_out_counts,
    refuse_unclear_breaks,
    _prefer_moments,
    _take_for_projects,
    _tell_last_names,
)
"""What finds the columns of a file, leaves some out, and refuses files, in this order."""
