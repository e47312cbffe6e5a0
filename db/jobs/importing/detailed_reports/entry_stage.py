"""Entry stage: the entries of a report in a temporary table, filled by one COPY while the files are read, once.

What the report names, which entry it is that a line has, and the rows that it becomes are found there by SQL.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from sqlalchemy import Connection

from db.admin.engine import copying
from db.jobs.importing.detailed_reports.entry import Entry, NamedWork, OmittedLine, ReportedPerson, ReportedWork
from db.jobs.importing.detailed_reports.intervals import DAY_LENGTH
from db.jobs.importing.detailed_reports.report_rows import ReportRows
from db.jobs.importing.rows import Advance, Problem
from db.jobs.importing.statements import run

_BLOCK = 500
"""Rows that are written at once."""

CREATE = """
CREATE TEMP TABLE import_entries (row bigint, file int, line bigint, person int, work int, known_at bigint,
                                  seconds bigint, day_end bigint, note text, tags text[]) ON COMMIT DROP;
CREATE TEMP TABLE import_people (person int, user_id uuid) ON COMMIT DROP;
CREATE TEMP TABLE import_work (work int, is_break boolean, is_manual boolean, client_id uuid, project text,
                               project_id uuid, task_id uuid, is_billable boolean) ON COMMIT DROP;
"""

FIRST_OF_EACH = """
SELECT person, work, first_known_at, file, line FROM import_entries JOIN (
  SELECT min(row) AS row, min(known_at) AS first_known_at FROM import_entries GROUP BY person, work
) first_of_each USING (row) ORDER BY row
"""

FULL_DAYS = """
SELECT DISTINCT ON (person, known_at) file, line, person, known_at FROM import_numbered
WHERE begin + seconds > day_end ORDER BY person, known_at, file, line
"""

SHARED_TIME = {
    "SELECT DISTINCT person, known_at FROM import_numbered"
    " GROUP BY person, known_at, is_break HAVING count(DISTINCT file) > 1 ORDER BY person, known_at": (
        "Entries of several files share person and {what}, and differ: all count, {named}."
    ),
    "SELECT DISTINCT person, known_at FROM import_entries e"
    " WHERE NOT EXISTS (SELECT FROM import_numbered n WHERE n.row = e.row) ORDER BY person, known_at": (
        "Entries that several files have with the same content count once, {named}: if they are different, write all"
        " lines into one file."
    ),
}
"""What finds entries of several files, and what is said of them."""

_ESCAPED = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
"""Characters with a meaning in COPY."""


class EntryStage:
    """Copies entries. A line has the numbers of its file, its person and its work; `row` is that of its first piece."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys: dict[tuple[ReportedPerson, ReportedWork], str] = {}
        self._people: dict[str, tuple[int, ReportedPerson]] = {}
        """The number of each person, and how the report names the person first."""
        self._work: dict[ReportedWork, int] = {}
        run(connection, CREATE)

    def copy(
        self, items: Iterable[tuple[int, Entry | OmittedLine | Problem]], count: Advance
    ) -> Iterator[OmittedLine | Problem]:
        """Copy the entries of numbered files, and hand on the rest."""
        row, block = 0, []
        with copying(self._connection, "COPY import_entries FROM STDIN") as copy:
            for file, item in items:
                if not isinstance(item, Entry):
                    yield item
                    continue
                line, person, work, started_at, ended_at, note, tags, day_end = item
                key = self._keys.get((person, work)) or self._key(person, work)
                seconds, until = ended_at - started_at, r"\N" if day_end is None else day_end
                start = f"{row}\t{file}\t{line}\t{key}\t{started_at}\t{seconds}\t{until}"
                block.append(f"{start}\t{note.translate(_ESCAPED)}\t{_array(tags)}\n")
                row += 1 + (seconds - 1) // DAY_LENGTH
                if len(block) >= _BLOCK:
                    copy.write("".join(block))
                    count(len(block))
                    block.clear()
            copy.write("".join(block))
            count(len(block))

    def named(self) -> Sequence[NamedWork]:
        """The people and the work of the entries, in their order."""
        people, works = self._reported, list(self._work)
        return [
            NamedWork(people[person], works[work], datetime.fromtimestamp(first_known_at, UTC), file, line)
            for person, work, first_known_at, file, line in run(self._connection, FIRST_OF_EACH)
        ]

    def store_ids(self, rows: ReportRows) -> None:
        """Store the ids of the people and the work, which `rows` has made or found."""
        with copying(self._connection, "COPY import_people FROM STDIN") as copy:
            for who, (number, _) in self._people.items():
                copy.write_row((number, rows.people[who]))
        with copying(self._connection, "COPY import_work FROM STDIN") as copy:
            for work, number in self._work.items():
                client, name = work.project or (None, None)
                project = None if work.project is None else rows.projects[work.project]
                task = None if project is None or work.task is None else rows.tasks[project, work.task]
                ids = (rows.clients[client] if client else None, name, project, task)
                copy.write_row((number, work.is_break, work.is_manual, *ids, work.is_billable))

    def moments(self) -> Sequence[int]:
        """When the first entry begins, and the last one; nothing without entries."""
        first, last = run(self._connection, "SELECT min(known_at), max(known_at) FROM import_entries").one()
        return [] if first is None else [first, last]

    def full_days(self) -> Iterator[tuple[int, int, str, int]]:
        """The file, the line, the person and the beginning of each day that has more hours than it lasts."""
        for file, line, person, known_at in run(self._connection, FULL_DAYS):
            yield file, line, self._reported[person].who, known_at

    def named_moments(self, statement: str) -> Sequence[tuple[str, int]]:
        """The person and the moment of the entries that a statement finds."""
        found = run(self._connection, statement).all()
        return [(self._reported[person].name, known_at) for person, known_at in found]

    @property
    def _reported(self) -> Sequence[ReportedPerson]:
        """The people, by their numbers."""
        return [person for _, person in self._people.values()]

    def _key(self, person: ReportedPerson, work: ReportedWork) -> str:
        """The numbers of a person and of work, as COPY has them."""
        number, _ = self._people.setdefault(person.who, (len(self._people), person))
        key = self._keys[person, work] = f"{number}\t{self._work.setdefault(work, len(self._work))}"
        return key


@lru_cache(maxsize=10_000)
def _array(tags: Sequence[str]) -> str:
    quoted = ['"' + tag.replace("\\", "\\\\").replace('"', '\\"') + '"' for tag in tags]
    return f"{{{','.join(quoted)}}}".translate(_ESCAPED)
