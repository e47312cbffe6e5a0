"""Fifty broken files, each with the sentences that `orgdata import` prints of it.

Covers `db/jobs/importing/files/source.py`, `db/jobs/importing/detailed_reports/report_file.py` and
`db/jobs/importing/problems.py`.
"""

import gzip
import io
from pathlib import Path
from uuid import UUID
from zipfile import ZipFile

import pytest

from db.jobs.importing.import_table import IMPORT_TABLES
from tests.db.jobs.importing.detailed_reports.reports import CLOCKIFY_HEADER, TOGGL_HEADER, clockify_line, toggl_line
from tests.db.jobs.importing.detailed_reports.test_trackers import HARVEST, KIMAI, SOLIDTIME, harvest
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run

HEAD = b"external_id,name\n"
TOGGL, CLOCKIFY = "--from toggl", "--from clockify"


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "name\nAcme\n")
    return buffer.getvalue()


def report(*lines: str, header: str = TOGGL_HEADER) -> str:
    return "\n".join([header, *lines, ""])


BROKEN: dict[str, tuple[str, str | bytes, str, list[str]]] = {
    "no file of a table": (
        "notes.csv",
        "a,b\n1,2\n",
        "",
        [
            "notes.csv is not named after a table: rename it to TABLE.csv, where TABLE is one of "
            + ", ".join(sorted(IMPORT_TABLES))
            + "."
        ],
    ),
    "no format": (
        "teams.txt",
        "a,b\n1,2\n",
        "",
        [
            (
                "teams.txt does not end in one of .csv, .ndjson, .jsonl, .parquet: name it after its "
                "table and format, such as teams.csv."
            )
        ],
    ),
    "excel by name": (
        "teams.xlsx",
        zipped("[Content_Types].xml", "xl/workbook.xml"),
        "",
        ["teams.xlsx is an Excel or OpenDocument workbook: save each sheet as CSV in UTF-8."],
    ),
    "excel as csv": (
        "teams.csv",
        zipped("[Content_Types].xml", "xl/workbook.xml"),
        "",
        ["teams.csv is an Excel or OpenDocument workbook: save each sheet as CSV in UTF-8."],
    ),
    "old excel": (
        "teams.csv",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "",
        ["teams.csv: is an Excel workbook: save each sheet as CSV in UTF-8"],
    ),
    "open document sheet": (
        "teams.ods",
        zipped("mimetype", "content.xml"),
        "",
        ["teams.ods is an Excel or OpenDocument workbook: save each sheet as CSV in UTF-8."],
    ),
    "pdf": ("teams.csv", b"%PDF-1.7\n", "", ["teams.csv: is a PDF document: export the data as CSV"]),
    "web page": (
        "teams.csv",
        b"<!DOCTYPE html>\n<html></html>",
        "",
        ["teams.csv: is a web page: export the data as CSV while you are logged in"],
    ),
    "parquet as csv": (
        "teams.csv",
        b"PAR1\x15\x04",
        "",
        ["teams.csv: is a Parquet file: give the file a name that ends in .parquet"],
    ),
    "csv as parquet": (
        "teams.parquet",
        HEAD,
        "",
        [
            (
                "teams.parquet: is not a whole Parquet file (Parquet magic bytes not found in footer. "
                "Either the file is corrupted or this is not a parquet file.): export it again"
            )
        ],
    ),
    "parquet in gzip": (
        "teams.parquet.gz",
        gzip.compress(b"PAR1"),
        "",
        [("teams.parquet.gz must not be compressed: unpack it. Parquet files are compressed inside.")],
    ),
    "empty": ("teams.csv", b"", "", ["teams.csv:1: is empty: a CSV file begins with the names of its columns"]),
    "spaces alone": (
        "teams.csv",
        b"\n \n",
        "",
        ["teams.csv:1: is empty: a CSV file begins with the names of its columns"],
    ),
    "half a gzip": (
        "teams.csv.gz",
        gzip.compress(HEAD + b"d,Design\n")[:-9],
        "",
        ["teams.csv.gz: is not a whole gzip file: export or copy it again"],
    ),
    "no gzip": ("teams.csv.gz", HEAD, "", ["teams.csv.gz: is not a whole gzip file: export or copy it again"]),
    "gzip in gzip": (
        "teams.csv.gz",
        gzip.compress(gzip.compress(HEAD)),
        "",
        ["teams.csv.gz: is compressed twice: unpack it"],
    ),
    "half a zip": (
        "teams.zip",
        zipped("teams.csv")[:60],
        "",
        ["teams.zip is not a whole ZIP file: export or copy it again."],
    ),
    "zip of notes": (
        "export.zip",
        zipped("readme.txt"),
        "",
        [
            (
                "export.zip:readme.txt does not end in one of .csv, .ndjson, .jsonl, .parquet: name "
                "it after its table and format, such as teams.csv."
            )
        ],
    ),
    "empty zip": ("export.zip", zipped(), "", ["export.zip has no files: export or copy it again."]),
    "image": (
        "teams.csv",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        "",
        ["teams.csv:1: is not UTF-8 at byte 1: save the file as CSV in UTF-8"],
    ),
    "nul": (
        "teams.csv",
        HEAD + b"d,De\x00sign\n",
        "",
        ["teams.csv:2: has a NUL character: save the file as CSV in UTF-8"],
    ),
    "half utf-8": (
        "teams.csv",
        HEAD + "d,Büro\n".encode() + b"e,B\xfcro\n",
        "",
        ["teams.csv:3: is not UTF-8 at byte 4: save the file as CSV in UTF-8"],
    ),
    "json in csv": (
        "teams.csv",
        b'[{"name": "Design"}]',
        "",
        ["teams.csv:1: is JSON: write one object a line, in a file whose name ends in .ndjson"],
    ),
    "csv in ndjson": (
        "teams.ndjson",
        HEAD,
        "",
        [
            (
                "teams.ndjson:1: is not one JSON object (unexpected character, expected a JSON "
                "value): write each object on a line of its own"
            )
        ],
    ),
    "json array": (
        "teams.ndjson",
        b'[{"name": "Design"}]\n',
        "",
        [('teams.ndjson:1: "[{"name": "Design"}]" is not a JSON object: write each object on a line of its own')],
    ),
    "pretty json": (
        "teams.ndjson",
        b'{\n  "name": "Design"\n}\n',
        "",
        [
            ("teams.ndjson:1: is not one JSON object (unexpected end of data): write each object on a line of its own"),
            (
                "teams.ndjson:2: is not one JSON object (unexpected content after document): write "
                "each object on a line of its own"
            ),
            (
                "teams.ndjson:3: is not one JSON object (unexpected character, expected a JSON "
                "value): write each object on a line of its own"
            ),
        ],
    ),
    "unclosed quote": (
        "teams.csv",
        HEAD + b'd,"Design\n',
        "",
        [("teams.csv:2: has a quote that is not closed: close it, or write a quote inside a value twice")],
    ),
    "text after quote": (
        "teams.csv",
        HEAD + b'd,"De"sign\n',
        "",
        ["teams.csv:2: has text after a closing quote: write a quote inside a value twice"],
    ),
    "half a line": (
        "teams.csv",
        HEAD + b"d\n",
        "",
        ["teams.csv:2: has 1 of 2 values: complete the line, or delete it"],
    ),
    "long line": (
        "teams.csv",
        HEAD + b"d,Design,1,2\n",
        "",
        [("teams.csv:2: has 4 values, and the header has 2: put values with separators in quotes")],
    ),
    "header twice": (
        "teams.csv",
        b"name,external_id,name\nx,y,z\n",
        "",
        ["teams.csv:1: name stands twice in the header: rename or delete one"],
    ),
    "no header": (
        "teams.csv",
        b"d,Design\ne,Build\n",
        "",
        [
            "teams.csv:1: has no column of teams: a file begins with the names that docs/data.md lists",
            "teams.csv:2: id is missing: give each row a value of id or external_id",
        ],
    ),
    "many columns": (
        "teams.csv",
        ",".join(f"c{n}" for n in range(1001)),
        "",
        ["teams.csv:1: has 1001 columns; at most 1000 are read: delete the others"],
    ),
    "unknown column": (
        "teams.csv",
        b"external_id,name,colour\nd,Design,red\n",
        "",
        ["teams.csv:1: colour is not a column of teams: rename or delete it; docs/data.md lists the columns"],
    ),
    "nothing names the row": (
        "teams.csv",
        b"name\nDesign\n",
        "",
        ["teams.csv:2: id is missing: give each row a value of id or external_id"],
    ),
    "missing column": ("teams.csv", b"external_id\nd\n", "", ["teams.csv:2: new rows need the column name: add it"]),
    "missing value": ("teams.csv", HEAD + b"d,\n", "", ["teams.csv:2: name is required: fill it in"]),
    "two faults in a line": (
        "members.csv",
        b"email,full_name,status,hired_on\na@example.com,A,here,1.3.2026\n",
        "",
        [
            'members.csv:2: hired_on "1.3.2026" is not a date such as 2026-03-01',
            'members.csv:2: status "here" is not one of active, invited, suspended, removed',
        ],
    ),
    "no zone": (
        "timesheets.csv",
        b"user_email,started_at,ended_at\na@example.com,2026-03-01T09:00:00,2026-03-01T10:00:00Z\n",
        "",
        [
            (
                'timesheets.csv:2: started_at "2026-03-01T09:00:00" has no time zone: write '
                "2026-03-01T09:00:00Z, or +01:00 instead of the Z"
            )
        ],
    ),
    "end before start": (
        "timesheets.csv",
        b"external_id,user_email,started_at,ended_at\n1,a@example.com,2026-03-01T09:00:00Z,2026-03-01T08:00:00Z\n",
        "",
        [
            'timesheets.csv:2: ended_at "2026-03-01T08:00:00Z" is not after the start',
            ('timesheets.csv:2: started_at "2026-03-01T09:00:00Z" is after tracked_until, where its time ends'),
        ],
    ),
    "unknown person": (
        "timesheets.csv",
        b"user_email,started_at,ended_at\nb@example.com,2026-03-01T09:00:00Z,2026-03-01T10:00:00Z\n",
        "",
        ['timesheets.csv:2: user_email "b@example.com" is not in members: correct it, or import that row, too'],
    ),
    "same row twice": (
        "teams.csv",
        HEAD + b"d,Design\nd,Build\n",
        "",
        [
            'teams.csv:2: external_id "d" stands more than once: keep one of the lines',
            'teams.csv:3: external_id "d" stands more than once: keep one of the lines',
        ],
    ),
    "report without its option": (
        "Toggl.csv",
        report(toggl_line()),
        "",
        ["Toggl.csv looks like a report of Toggl Track: add --from toggl."],
    ),
    "report of another tracker": (
        "report.csv",
        report(clockify_line(), header=CLOCKIFY_HEADER),
        TOGGL,
        ["report.csv:1: looks like a report of Clockify: give --from clockify"],
    ),
    "harvest as toggl": (
        "report.csv",
        report(harvest("2026-03-02", "1"), header=HARVEST),
        TOGGL,
        ["report.csv:1: looks like a report of Harvest: give --from harvest"],
    ),
    "summary report": (
        "report.csv",
        "Project,Client,Duration\nWebsite,Acme,01:30:00\n",
        TOGGL,
        [
            (
                "report.csv:1: does not have User, Email, Start date, Start time, End date, End time: "
                "export the detailed report of Toggl Track as CSV, in English"
            )
        ],
    ),
    "german report": (
        "report.csv",
        "Benutzer,E-Mail,Kunde,Projekt\nAnn,a@example.com,Acme,Web\n",
        TOGGL,
        [
            (
                "report.csv:1: does not have User, Email, Client, Project, Start date, Start time, "
                "End date, End time, Duration: export the detailed report of Toggl Track as CSV, in "
                "English"
            )
        ],
    ),
    "empty report": (
        "report.csv",
        b"",
        TOGGL,
        ["report.csv: is empty: export the detailed report of Toggl Track as CSV"],
    ),
    "header alone": (
        "report.csv",
        report(),
        TOGGL,
        [("report.csv:1: has a header but no entries: choose other days in the time tracker, and export again")],
    ),
    "spreadsheet of a report": (
        "report.csv",
        zipped("[Content_Types].xml"),
        TOGGL,
        ["report.csv is an Excel or OpenDocument workbook: save each sheet as CSV in UTF-8."],
    ),
    "page of a login": (
        "report.csv",
        b"<html><body>Log in</body></html>",
        CLOCKIFY,
        ["report.csv: is a web page: export the data as CSV while you are logged in"],
    ),
    "half a line of a report": (
        "report.csv",
        report("Ann Lee,ann@example.com,Acme,Website"),
        TOGGL,
        ["report.csv:2: has 4 of 14 values: complete the line, or delete it"],
    ),
    "two faults in an entry": (
        "report.csv",
        report(toggl_line(user="Ann,", duration="soon")),
        TOGGL,
        [
            ('report.csv:2: Email "" is not an e-mail address: write the address by which the person is known'),
            'report.csv:2: Duration "soon" is not a duration such as 1:30:00, 1:30 or 1.50',
        ],
    ),
    "rounded durations": (
        "report.csv",
        report(toggl_line(duration="02:00:00")),
        TOGGL,
        [
            (
                'report.csv:2: "2026-03-02 09:00:00 to 2026-03-02 10:30:00, 02:00:00" has a '
                "duration that differs from its start and end: export without rounding, and give the time zone of the "
                "export with --timezone"
            )
        ],
    ),
    "dates without order": (
        "report.csv",
        report(clockify_line(), header=CLOCKIFY_HEADER),
        CLOCKIFY,
        [
            (
                'report.csv:2: Start Date "03/02/2026" may begin with day or month, and no date of '
                "the file shows which: give --dates dmy or --dates mdy"
            )
        ],
    ),
    "dates of both orders": (
        "report.csv",
        report(
            clockify_line("03/14/2026 09:00:00 AM", "03/14/2026 10:30:00 AM"),
            clockify_line("14/03/2026 09:00:00 AM", "14/03/2026 10:30:00 AM"),
            header=CLOCKIFY_HEADER,
        ),
        CLOCKIFY,
        [
            (
                'report.csv:2: Start Date "03/14/2026" has the order mdy, but other dates of the file '
                "have another: give --dates dmy or --dates mdy"
            ),
            (
                'report.csv:3: Start Date "14/03/2026" has the order dmy, but other dates of the file '
                "have another: give --dates dmy or --dates mdy"
            ),
        ],
    ),
    "hour that repeats": (
        "report.csv",
        report(toggl_line("2026-10-25 02:30:00", "2026-10-25 02:40:00", "00:10:00")),
        TOGGL + " --timezone Europe/Berlin",
        [
            (
                'report.csv:2: "2026-10-25 02:30:00 to 2026-10-25 02:40:00, 00:10:00" is in an hour '
                "that the clocks repeat or skip in Europe/Berlin: export with the time zone of your "
                "profile set to UTC, and import with --timezone UTC"
            )
        ],
    ),
    "person of no address": (
        "report.csv",
        report(harvest("2026-03-02", "1"), header=HARVEST),
        "--from harvest",
        [
            (
                'report.csv:2: First Name "Ann Lee" is not the full name of a member, and the report has no '
                "e-mail addresses: import members.csv with email and full_name first"
            )
        ],
    ),
    "hours of words": (
        "report.csv",
        report(harvest("2026-03-02", "one"), header=HARVEST),
        "--from harvest",
        ['report.csv:2: Hours "one" is not a duration such as 1:30:00, 1:30 or 1.50'],
    ),
    "kimai end": (
        "report.csv",
        report(
            "2026-03-02,09:00,10:30,8,EUR,0,0,0,0,Ann Lee,ann,ann@example.com,,Acme,Web,Design,,1,,,,,,,", header=KIMAI
        ),
        "--from kimai",
        [
            (
                'report.csv:2: "2026-03-02 09:00 to 10:30, 8" has a duration that differs from its start and end: '
                "export without rounding, and give the time zone of the export with --timezone"
            )
        ],
    ),
    "solidtime start": (
        "report.csv",
        report("Sketches,,Web,,Ann Lee,yesterday,2026-03-02 10:30:05,1:30:05,1.50,Yes,", header=SOLIDTIME),
        "--from solidtime",
        [
            'report.csv:2: Start "yesterday" is not a date such as 2026-03-04 or 04.03.2026',
            'report.csv:2: Start "" is not a time such as 14:30:00 or 02:30:00 PM',
        ],
    ),
}
"""What is broken: the name of the file, its content, the options, and what is printed."""


@pytest.mark.parametrize(("name", "content", "options", "lines"), BROKEN.values(), ids=BROKEN)
def test_broken_file_is_refused_in_sentences(
    name: str, content: str | bytes, options: str, lines: list[str], run: Run, own: str, rows: Rows, folder: Path
) -> None:
    with rows.transaction(UUID(own)):
        rows.member(UUID(own), email="a@example.com")
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    result = run("import", "--organization", own, *options.split(), name)
    assert (result.code, result.out) == (1, "")
    shown = [line.removeprefix("orgdata: ") for line in result.err.splitlines()]
    assert [line for line in shown if not line.endswith("nothing was imported.")] == lines


def test_there_are_fifty() -> None:
    assert len(BROKEN) >= 50
