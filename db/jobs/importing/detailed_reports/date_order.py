"""The order of the dates of a file, where its dates decide it."""

from collections.abc import Iterator

from db.jobs.importing.detailed_reports.dates import DateOrder, dates_by_order
from db.jobs.importing.detailed_reports.formats import Field
from db.jobs.importing.detailed_reports.report_file import Header, Record, ReportFile
from db.jobs.importing.rows import Problem

DATE_FIELDS = (Field.start_date, Field.end_date, Field.created)


def date_order(file: ReportFile, header: Header) -> DateOrder | list[Problem] | None:
    """The order; None if each date says its order itself; the problems if the file does not decide it."""
    decided: dict[DateOrder, Problem] = {}
    undecided: Problem | None = None
    for line, field, text in _dates(file, header):
        try:
            dates = dates_by_order(text)
        except ValueError:
            # It is reported where the entry is read.
            continue
        if len(dates) == 1:
            order = next(iter(dates))
            reason = f"has the order {order}, and other dates of the file have another: give --dates dmy or --dates mdy"
            decided.setdefault(order, file.problem(line, header.name(field), text, reason))
        elif undecided is None and len(set(dates.values())) > 1:
            reason = "is day first or month first, and no date of the file decides it: give --dates dmy or --dates mdy"
            undecided = file.problem(line, header.name(field), text, reason)
    if len(decided) > 1:
        return list(decided.values())
    if decided:
        return next(iter(decided))
    return None if undecided is None else [undecided]


def _dates(file: ReportFile, header: Header) -> Iterator[tuple[int, Field, str]]:
    """Each text in the columns of dates, once."""
    columns = [(field, header.positions[field]) for field in DATE_FIELDS if field in header.positions]
    seen: set[str] = set()
    for record in file.records():
        if isinstance(record, Record):
            for field, position in columns:
                text = record.values[position].strip()
                if text not in seen:
                    seen.add(text)
                    yield record.line, field, text
