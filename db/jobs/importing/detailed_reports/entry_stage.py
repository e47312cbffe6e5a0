"""Entry stage: the entries of a report in a temporary table, filled by one COPY while the files are read, once.

What the report names, the rows that it becomes, and the stored rows that it no longer has are found there by SQL.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from sqlalchemy import Connection, Table

from db.admin.engine import copying
from db.jobs.importing.detailed_reports.entry import Entry, OmittedLine, ReportedPerson, ReportedWork, Survey
from db.jobs.importing.detailed_reports.report_rows import ReportRows
from db.jobs.importing.rows import Problem
from db.jobs.importing.statements import run
from db.tables.timesheets import MAX_INTERVAL, break_times, timesheets

_PIECE = int(MAX_INTERVAL.total_seconds())

_BLOCK = 500
"""Rows that are written at once."""

CREATE = """
CREATE TEMP TABLE import_entries (row bigint, file int, line bigint, person int, work int, known_at bigint,
                                  started_at bigint, ended_at bigint, note text, tags text[]) ON COMMIT DROP;
CREATE TEMP TABLE import_people (person int, user_id uuid) ON COMMIT DROP;
CREATE TEMP TABLE import_work (work int, is_break boolean, is_manual boolean, project_id uuid, task_id uuid,
                               is_billable boolean) ON COMMIT DROP;
"""

FIRST_OF_EACH = """
SELECT person, work, first_started_at, file, line FROM import_entries JOIN (
  SELECT min(row) AS row, min(started_at) AS first_started_at FROM import_entries GROUP BY person, work
) first_of_each USING (row) ORDER BY row
"""

_ESCAPED = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
"""Characters with a meaning in COPY."""


class EntryStage:
    """Copies entries. A row has the numbers of its file, its person and its work."""

    def __init__(self, connection: Connection, files: Sequence[str]) -> None:
        self._connection = connection
        self._files = {name: number for number, name in enumerate(files)}
        self._keys: dict[tuple[ReportedPerson, ReportedWork], str] = {}
        self._people: dict[str, tuple[int, ReportedPerson]] = {}
        """The number of each person, and how the report names the person first."""
        self._work: dict[ReportedWork, int] = {}
        run(connection, CREATE)

    def copy(
        self, items: Iterable[Entry | OmittedLine | Problem], survey: Survey, count: Callable[[int], object]
    ) -> Iterator[Problem]:
        """Copy the entries, and hand on the problems. `count` is called with numbers of entries."""
        row, block = 0, []
        with copying(self._connection, "COPY import_entries FROM STDIN") as copy:
            for item in items:
                if isinstance(item, Problem):
                    yield item
                    continue
                if isinstance(item, OmittedLine):
                    survey.omit(item)
                    continue
                (file, line), person, work, begin, ended_at, note, tags, known_at = item
                key = self._keys.get((person, work)) or self._key(person, work)
                start = f"{self._files[file]}\t{line}\t{key}\t{known_at}"
                end = f"{note.translate(_ESCAPED)}\t{_array(tags)}\n"
                while begin < ended_at:
                    piece = min(begin + _PIECE, ended_at)
                    block.append(f"{row}\t{start}\t{begin}\t{piece}\t{end}")
                    row += 1
                    begin = piece
                if len(block) >= _BLOCK:
                    copy.write("".join(block))
                    count(len(block))
                    block.clear()
            copy.write("".join(block))
            count(len(block))

    def survey(self, survey: Survey) -> None:
        """Add what the entries name to a survey."""
        people, work, files = list(self._people.values()), list(self._work), list(self._files)
        for person, number, first_started_at, file, line in run(self._connection, FIRST_OF_EACH):
            first = datetime.fromtimestamp(first_started_at, UTC)
            survey.add(people[person][1], work[number], first, (files[file], line))

    def resolve(self, rows: ReportRows) -> None:
        """Store the ids of the people and the work, which `rows` has made or found."""
        with copying(self._connection, "COPY import_people FROM STDIN") as copy:
            for who, (number, _) in self._people.items():
                copy.write_row((number, rows.people[who]))
        with copying(self._connection, "COPY import_work FROM STDIN") as copy:
            for work, number in self._work.items():
                project = None if work.project is None else rows.projects[work.project]
                task = None if project is None or work.task is None else rows.tasks[project, work.task]
                copy.write_row((number, work.is_break, work.is_manual, project, task, work.is_billable))

    def tables(self, *, replaces: bool) -> Sequence[Table]:
        """The tables of the entries; with `replaces`, also one of which the report has none any more."""
        kinds = {work.is_break for work in self._work}
        return [table for table in (timesheets, break_times) if (table is break_times) in kinds or (replaces and kinds)]

    def _key(self, person: ReportedPerson, work: ReportedWork) -> str:
        """The numbers of a person and of work, as COPY has them."""
        number, _ = self._people.setdefault(person.who, (len(self._people), person))
        key = self._keys[person, work] = f"{number}\t{self._work.setdefault(work, len(self._work))}"
        return key


@lru_cache(maxsize=10_000)
def _array(tags: Sequence[str]) -> str:
    """An array of texts as COPY has it."""
    quoted = ['"' + tag.replace("\\", "\\\\").replace('"', '\\"') + '"' for tag in tags]
    return f"{{{','.join(quoted)}}}".translate(_ESCAPED)
