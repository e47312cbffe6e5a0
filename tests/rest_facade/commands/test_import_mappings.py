"""`orgdata import --from` of files that no time tracker wrote: a mapping is proposed, kept, and used again.

Covers `rest_facade/commands/imports/import_rows.py` and `db/jobs/importing/detailed_reports/mapping_choice.py`.
"""

from pathlib import Path
from uuid import UUID

import httpx2 as httpx
import pytest

from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run, succeed

HOURS = """Mitarbeiter;Datum;Von;Bis;Projekt
Ann Lee;02.03.2026;09:00;17:00;Website
Ann Lee;03.03.2026;09:00;10:30;Website
Bob Ray;03.03.2026;22:00;02:00;Shop
Bob Ray;05.03.2026;09:00;10:00;Shop
"""

STARTS = "half of the entries start between 09:00 and 09:00 (Europe/Berlin)"

ADVICE = (
    "The mapping agency is a proposal. To keep it as agency.toml and import with it, add --save; to change it, give its"
    " columns: --map person=Mitarbeiter --map project=Projekt --map date=Datum --map from=Von --map to=Bis;"
    " other fields are email, first_name, last_name, type, client, task, billable, note, tags, end_date, duration,"
    " minutes, seconds, break, break_minutes, break_seconds, start, end, created, unit"
)


@pytest.fixture(scope="module", autouse=True)
def shared(one_connection: None) -> None:
    """All imports here use one connection."""


def company(rows: Rows) -> UUID:
    own = rows.organization(timezone="Europe/Berlin")
    rows.member(own, full_name="Ann Lee", email="ann@example.com")
    rows.member(own, full_name="Bob Ray", email="bob@example.com")
    return own


@pytest.fixture
def organization(rows: Rows) -> UUID:
    return company(rows)


@pytest.fixture(scope="module")
def unchanged(rows: Rows) -> str:
    """An organization for imports that write nothing."""
    return str(company(rows))


def test_mapping_is_proposed_and_nothing_written(run: Run, own: str, folder: Path) -> None:
    (folder / "Stunden 2026.CSV").write_text(HOURS)
    out = succeed(run("import", "--organization", own, "--from", "agency", "Stunden 2026.CSV"))
    assert not (folder / "agency.toml").exists()
    assert out.splitlines() == [
        "looks like: person = Mitarbeiter; project = Projekt; date = Datum, dmy; from = Von; to = Bis",
        f"time\t2026-03-02 to 2026-03-05\t2 people\t2 projects\t{STARTS}",
        "hours\t9:30\tAnn Lee",
        "hours\t5:00\tBob Ray",
        "project\t9:30\tWebsite",
        "project\t5:00\tShop",
        "projects\t2 new\t0 changed\t0 deleted\t0 unchanged",
        "project_members\t2 new\t0 changed\t0 deleted\t0 unchanged",
        "timesheets\t4 new\t0 changed\t0 deleted\t0 unchanged",
        "2026-03-02 09:00 to 17:00 (8:00) Ann Lee, Website",
        "2026-03-03 09:00 to 10:30 (1:30) Ann Lee, Website",
        "2026-03-03 22:00 to 02:00 (4:00) Bob Ray, Shop",
        ADVICE,
        "This was a dry run: nothing was written.",
    ]


@pytest.mark.parametrize(
    ("encoding", "lines", "shown"),
    [
        (
            "cp1252",
            (
                "Dia;Colaborador;Projeto;Hora de Entrada;Hora de saída;Almoço (min);Faturável\n"
                "13-03-2026;ann@example.com;Loja;09:00;17:00;30;não\n"
            ),
            (
                "email = Colaborador; project = Projeto; billable = Faturável; date = Dia; from = Hora de Entrada;"
                " to = Hora de saída; break_minutes = Almoço (min)"
            ),
        ),
        (
            "utf-16",
            "Datum\tNamn\tKund\tProjekt\tTimmar\tDebiterbar\n2026-03-02\tAnn Lee\tÅre\tBod\t7,5\tNej\n",
            (
                "person = Namn; client = Kund; project = Projekt; billable = Debiterbar; date = Datum, ymd;"
                " duration = Timmar"
            ),
        ),
        (
            "utf-8",
            "DATA;PRACOWNIK;PROJEKT;POCZATEK;KONIEC\n02.03.2026;ann@example.com;Dom;9:00;17:00\n",
            "email = PRACOWNIK; project = PROJEKT; date = DATA, dmy; from = POCZATEK; to = KONIEC",
        ),
    ],
)
def test_other_languages_are_proposed(encoding: str, lines: str, shown: str, run: Run, own: str, folder: Path) -> None:
    (folder / "hours.csv").write_bytes(lines.encode(encoding))
    result = run("import", "--organization", own, "--from", "agency", "hours.csv")
    assert result.out.splitlines()[0] == f"looks like: {shown}"
    assert result.code == 0


def test_written_import_ends_with_the_command_that_shows_its_last_year(run: Run, own: str, folder: Path) -> None:
    (folder / "hours.csv").write_text("Wer;Tag;Stunden\nAnn Lee;2024-01-08;1\nAnn Lee;2026-03-02;1\n")
    arguments = ("import", "--organization", own, "--from", "agency", "--save", "hours.csv")
    report = f"orgdata report --organization {own} --start 2025-03-02 --end 2026-03-02 --html hours.html"
    assert report not in run(*arguments, "--dry-run").out
    assert not (folder / "agency.toml").exists()
    assert run(*arguments).out.splitlines()[-1] == f"To look at the hours: {report}"


TWO_DURATIONS = "Wer;Datum;Normal;Mehr\nAnn Lee;02.03.2026;8;2"
TWO_TABLES = "Wer,Dauer,From,To\nAnn Lee,1:30,2026-03-02 09:00,2026-03-02 10:30\n\nArt,Dauer,%\nCode,1:30,100"
SHIFTS = "Wer;Tag;VM_von;VM_bis;NM_von;NM_bis\nAnn Lee;02.03.2026;9:00;12:00;13:00;17:30"
CLOCK = "Wer;Tag;Clock in;Clock out;Clock_h\nAnn Lee;02.03.2026;9:00;17:00;8:00"
LUNCH = "Wer;Tag;Von;Bis;Lunch_1\nAnn Lee;02.03.2026;9:00;17:00;0:30"
KINDS = "Wer;Tag;Von;Bis;Tags\nAnn Lee;2.3.2026;9:00;13:00;Work\nAnn Lee;2.3.2026;13:00;14:00;Pause"
DAY = "Wer;Start;End;Worked\nAnn Lee;2026-03-02 09:00;2026-03-02 17:30;6:15\nAnn Lee;2026-03-03 09:00;2026-03-03 9:00;-"
PAUSE = "Wer;Tag;Von;Bis;Pause\nAnn Lee;02.03.2026;9:00;17:00;0:30\nAnn Lee;03.03.2026;9:00;12:00;"
STAYS = "Typ;Kategorie;Wer;Tag;Stunden\ntimesheet;work;Ann Lee;02.03.2026;1\ntimesheet;holiday;Ann Lee;03.03.2026;8"
SPAN = "Wer;From;To;Time\nAnn Lee;2026-03-02 00:00:00;2026-03-08 23:59:59;1:30"
EVENT = "Wer;Timestamp;Duration\nAnn Lee;2026-03-02T08:00:00Z;930.5"
REST = "Wer;Tag;Von;Bis;Pause;Seconds\nAnn Lee;02.03.2026;9:00;17:00;1800;27000"
RANGES = "Wer;Tag;Vormittag;Nachmittag\nAnn Lee;02.03.2026;6:00-10:00;11:00-15:00"
ROUNDED = "Wer;Tag;Von;Bis;Std\nAnn Lee;2.3.2026;9:00;9:50;1:00\nAnn Lee;2.3.2026;9:50;10:40;1:00"
AMOUNTS = "Wer;Tag;Menge;Einheit\nAnn Lee;02.03.2026;1,5;Std\nAnn Lee;03.03.2026;15;Min"
WEEKS = "Wer;Woche;Mo;Di;Mi;Summe\nAnn Lee;02.03.2026;3;4;;7"
IN_UTC = "Wer;Start (UTC);End (UTC)\nAnn Lee;2026-03-02 23:00;2026-03-02 23:30"
DAYS_OFF = "Wer;Tag;Von;Bis;Stunden\nAnn Lee;6.3.2026;9:00;17:00;8\nAnn Lee;7.3.2026;;;0,00"
JOINED = "Wer;Tag;Stunden\nAnn Lee;2.3.2026;1\nWer;Tag;Stunden\nAnn Lee;3.3.2026;2"
SUBTOTAL = "Wer;Tag;Projekt;Stunden\nAnn Lee;2.3.2026;A;1\nAnn Lee;2.3.2026;B;2\nAnn Lee;2.3.2026;Summe;3"
THIRDS = "Wer;Tag;Von;Bis;Std\nAnn Lee;2.3.2026;9:00;9:20;0,33\nAnn Lee;2.3.2026;10:00;11:10;1,25"
HOUR_LINE = "Wer;Tag;Stunden\nAnn Lee;2.3.2026"
COLUMNS = "--map person=Wer --map date=Tag --map duration=Stunden --map client=Kunde"


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        # The column that is most like a project is proposed.
        ("Wer;Tag;Stunden;Kunde;Was\nAnn Lee;02.03.2026;7,5;Kiosk;Umbau", "", "(7:30) Ann Lee, Kiosk, Umbau"),
        ("Who,Work Date,Hrs,Job #,Task\nAnn Lee,3/13/2026,8,1042,Plan", "", "(8:00) Ann Lee, 1042, Plan"),
        ("Wer;Tag;Stunden;Kunde;Aufgabe\nAnn Lee;02.03.2026;1;Kiosk;Umbau", "", "(1:00) Ann Lee, Kiosk, Umbau"),
        ("Wer;Tag;Stunden;Kunde\nAnn Lee;02.03.2026;1;Kiosk", COLUMNS, "Columns that are not imported: Kunde."),
        # Columns that are given complete a proposal.
        (TWO_DURATIONS, "", "say which columns they are: --map duration=COLUMN"),
        (TWO_DURATIONS, "--map duration=Normal", "looks like: person = Wer; date = Datum, dmy; duration = Normal"),
        # What cannot be read is named.
        ("Wer;Tag;Stunden;Projekt\nAnn Lee;9.3.2026;1;Login", "", "hours\t1:00\tAnn Lee"),
        ("Wer;Tag;Von;Bis;Ort\nAnn Lee;2.3.2026;9:00;12:00;in", "", "hours\t3:00\tAnn Lee"),
        ("Wer;Tag;Zeit;Art\nAnn Lee;02.03.2026;09:00;Kommen\nAnn Lee;02.03.2026;12:00;Gehen", "", "each stamp (Art)"),
        ("Wer;Tag;Zeit;Art\nAnn Lee;2.3.2026;09:00;C/In\nAnn Lee;2.3.2026;12:00;C/Out", "", "each stamp (Art)"),
        ("Wer;Tag;Zeit;Art\nAnn Lee;2.3.2026;09:00;Eintritt\nAnn Lee;2.3.2026;12:00;", "", "each stamp (Art)"),
        ("Wer;Tag;Dauer (Tage)\nAnn Lee;02.03.2026;1", "", "Dauer (Tage) has neither hours, minutes nor seconds"),
        ("Wer;Tag;Von 1;Bis 1;Von 2;Bis 2\nAnn Lee;02.03.2026;9:00;12:00;13:00;17:00", "", "in one line (Von 2): give"),
        ("Wer;Tag;Von;Bis;Bis2\nAnn Lee;02.03.2026;9:00;12:00;17:00", "", "in one line (Bis2): give each"),
        (SHIFTS, "", "in one line (NM_von): give each a line of its own, or say which count: --map from=COLUMN"),
        (SHIFTS, "--map from=NM_von --map to=NM_bis", "13:00 to 17:30 (4:30)"),
        ("Wer;Tag;Von;Bis;Pause von\nAnn Lee;02.03.2026;9:00;17:00;12:00", "", "in one line (Pause von): give each"),
        (CLOCK, "--map duration=Clock_h", "09:00 to 17:00 (8:00)"),
        (CLOCK, "", "may have breaks in Clock_h: give a column of their length"),
        ("Wer;Tag;Soll_1;Soll_2;Ist_1;Ist_2\nAnn Lee;02.03.2026;9:00;17:00;9:15;17:00", "", "from = Ist_1; to = Ist_2"),
        ("Name;Vorname;Tag;Stunden\nLee;Ann;02.03.2026;8\u00a0h", "", "(8:00) Ann Lee"),
        ("Name;Vorname;Tag;Stunden\nAnn Lee;Ann;02.03.2026;8\u202fh", "", "(8:00) Ann Lee"),
        # Breaks are not counted as work.
        (LUNCH, "", "may have breaks in Lunch_1: give a column of their length with --map break=COLUMN or"),
        (LUNCH, "--map break=Lunch_1", "09:00 to 16:30 (7:30)"),
        (f"{LUNCH};7,5".replace("_1", "_1;Std", 1), "--trust-durations", "09:00 to 16:30 (7:30)"),
        ("Wer;Tag;Von;Finish time\nAnn Lee;02.03.2026;9:00;17:00", "", "09:00 to 17:00 (8:00)"),
        ("Wer;Tag;Von;Bis;Von (UTC)\nAnn Lee;02.03.2026;9:00;17:00;8:00", "", "09:00 to 17:00 (8:00)"),
        ("Wer;Tag;Von;Bis;Paid lunch\nAnn Lee;02.03.2026;9:00;17:00;0:30", "", "09:00 to 17:00 (8:00)"),
        (KINDS, "", "13:00 to 14:00 (1:00, a break)"),
        # A dash is nothing; other values that cannot be read do not hide a column that has a length by its name.
        (DAY, "", "has a duration of 6:15, but 8:30 from start to end"),
        (DAY, "--trust-durations", "has no length (line 3)"),
        (f"{PAUSE}-", "", "09:00 to 16:30 (7:30)"),
        (f"{PAUSE}keine", "", 'Pause "keine" is not a duration such as'),
        # Of several columns of types, the one counts that tells leave from work, in a word at least.
        (STAYS, "", "is a holiday or time off (line 3)"),
        ("Wer;Tag;Stunden;Type\nAnn Lee;02.03.2026;8;Sick child", "", 'Type "Sick child" is not Regular'),
        ("Wer;Tag;Stunden;Type\nAnn Lee;02.03.2026;8;Sick child", "--map tags=Type", "hours\t8:00\tAnn Lee"),
        # Time until another day is no time of a day, and a number without an end may be of any unit.
        (SPAN, "", "is another day than 2026-03-02: give each day a line"),
        (EVENT, "", "may be hours, minutes or seconds: give --map minutes=COLUMN or seconds=COLUMN, or write 930:30"),
        (EVENT, "--map seconds=Duration", "hours\t0:15:30\tAnn Lee"),
        ("Wer;Tag;Data di inizio;Ore\nAnn Lee;x;2026-03-02;1", "", "date = Data di inizio, ymd; duration = Ore"),
        ("Wer;Entry date;Date worked;Std\nAnn Lee;2026-03-09;2026-03-02;1", "", "date = Date worked, ymd"),
        ("Wer;StartDate;StartTime;EndDate;EndTime\nAnn Lee;2026-03-02;23:00;2026-03-03;1:00", "", "23:00 to 01:00"),
        ("Wer;Start date;End date;Total\nAnn Lee;2026-03-02 9:00;2026-03-02 17:00;8", "", "end = End date"),
        ("Wer;Tag;Stunden;Dauer;Pause\nAnn Lee;02.03.2026;0,33;0:20;5", "", "not imported: Stunden, Pause."),
        ('"Wer", "Tag", "Stunden", "Was"\n"Ann Lee", "2026-03-02", "1", "a, b"', "", "(1:00) Ann Lee, a, b"),
        ("Wer;Tag;Von;Bis;Netto\nAnn Lee;02.03.2026;8:00;17:00;8:15", "", "a duration of 8:15, but 9:00 from start"),
        ("Wer;Tag;Von;Bis;Abzug\nAnn Lee;02.03.2026;8:00;17:00;0:45", "", "may have breaks in Abzug: give a column"),
        # Units are told by the header.
        ("Wer;Tag;Von;Bis;Pause in Min.\nAnn Lee;02.03.2026;9:00;17:00;5", "", "09:00 to 16:55 (7:55)"),
        ("Wer;Tag;Dauer in Min\nAnn Lee;02.03.2026;20", "", "(0:20) Ann Lee"),
        ("Wer;Tag;Job(min)\nAnn Lee;02.03.2026;20", "--map duration=Job(min)", "Job(min) has minutes: give --map"),
        ("Wer;Tag;Hours;Minutes\nAnn Lee;02.03.2026;0.08;5", "", "(0:05) Ann Lee"),
        ("Wer;Tag;Dauer\nAnn Lee;02.03.2026;5400.0", "", "looks like seconds: give --map seconds=COLUMN"),
        (REST, "--map break=Pause", "minutes or seconds, give --map break_minutes=COLUMN or break_seconds=COLUMN"),
        (REST, "--map break_seconds=Pause", "09:00 to 16:30 (7:30)"),
        (REST.replace("Pause", "Pause (sec)"), "", "09:00 to 16:30 (7:30)"),
        # Lengths with breaks would be longer than the times, if they were trusted.
        (REST.replace("27000", "28800"), "--map break_seconds=Pause", "a duration of 8:00 with the break: name the"),
        (ROUNDED, "--trust-durations", "less\t0:10\tAnn Lee"),
        (ROUNDED, "--trust-durations", "If only the lengths are right, as after rounding, import with --durations."),
        # No table tells its columns.
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT", "", "delete what is above, export CSV if this is another format"),
        ('"Wer;Tag;Stunden"\n"Ann Lee;02.03.2026;8"', "", "divide lines into columns if quotes are around them"),
        ("Person;;Zeit;;\nVorname;Nachname;Datum;Von;Bis", "", "but Person, Zeit: the first line must have the names"),
        # A unit may have a column of its own, which lines differ in.
        (AMOUNTS, "", "hours\t1:45\tAnn Lee"),
        (AMOUNTS.replace("Min", "Tage"), "", 'Menge "15 Tage" is not a duration such as'),
        (AMOUNTS.replace("Std", "Büro").replace("Min", "Lager"), "", "hours\t16:30\tAnn Lee"),
        # Breaks of two columns, in a range, or marked in lines would be lost, and times of another zone shifted.
        (LUNCH.replace("Lunch_1", "Lunch (min);Pause (min)") + ";15", "", "may have breaks in Lunch (min): give"),
        (LUNCH.replace("Lunch_1", "Xyz"), "", "may have breaks in Xyz: give a column of their length"),
        (LUNCH.replace("Bis", "Y").replace("Lunch_1", "Std").replace("0:30", "7,5"), "", "a duration of 7:30, but"),
        (LUNCH.replace("0:30", "12:00-12:30"), "", "may have breaks in Lunch_1: give a column of their length"),
        (LUNCH.replace("Lunch_1", "Pause").replace("0:30", "true"), "", "may have breaks in Pause: give a column"),
        (LUNCH.replace("Lunch_1", "Time_zone").replace("0:30", "EST"), "", "has the zone of each line (Time_zone)"),
        (LUNCH.replace("Lunch_1", "VonOffset").replace("0:30", "+0000"), "", "has the zone of each line (VonOffset)"),
        ("Wer;Start;End;Offset\nAnn Lee;2026-03-02T08:00Z;2026-03-02T12:00Z;0", "", "hours\t4:00\tAnn Lee"),
        (LUNCH.replace("Von", "Von (IST)"), "", "has times of IST (Von (IST)): give --timezone UTC or AREA/CITY."),
        (LUNCH.replace("Lunch_1", "TZ").replace("0:30", "CET"), "--timezone Europe/Paris", "hours\t8:00\tAnn Lee"),
        (LUNCH.replace("Lunch_1", "Art").replace("0:30", "Sonnenurlaub"), "", 'Art "Sonnenurlaub" is not Regular,'),
        (LUNCH.replace("Lunch_1", "Pause (min)").replace("0:30", "0,5"), "", "is no whole number of minutes: if these"),
        (LUNCH, "--map person=Wer --map date=Tag --map from=Von --map to=Bis", "may have breaks in Lunch_1: give"),
        ("Zaměstnanec;Datum;Od;Do;Přestávka\nAnn Lee;2.3.2026;9:00;17:00;0:30", "", "hours\t7:30\tAnn Lee"),
        ("Név;Dátum;Óra\nAnn Lee;2026.03.02.;8", "", "hours\t8:00\tAnn Lee"),
        ("Wer;Tag;Std;Lohnart\nAnn Lee;2.3.2026;8;10\nAnn Lee;3.3.2026;8;25", "", 'Lohnart "10" is not Regular, Break'),
        (
            "Wer;Tag;Std;Art\nAnn Lee;2.3.2026;8;Urlaub",
            "--map person=Wer --map date=Tag --map duration=Std",
            'Art "Urlaub" is no work, and the column is not imported: give --map type=COLUMN, or delete it',
        ),
        ("Tag,Wer,Std,\n02.03.2026,Ann Lee,1,5", "", "has 4 values, and the header has 3: put values with separators"),
        ("Tag,Wer,Std,,\n02.03.2026,Ann Lee,1\n3.3.2026,Ann Lee,1,x,", "", "hours\t2:00\tAnn Lee"),
        # Letters and their accents may be apart.
        ("Ta\u0308tigkeit;Tag;Wer;Std\nMu\u0308ll;2.3.2026;Ann Lee;1", "", "project\t1:00\tM\u00fcll"),
        # A line has one day.
        (WEEKS, "", "has a column for each day (Mo, Di, Mi): give each day a line, in Excel by Unpivot Columns"),
        ("Wer,2026-03-02,2026-03-03,2026-03-04\nAnn Lee,1,2,3", "", "a column for each day (2026-03-02, 2026-03-03"),
        ("Nome do x;CPF do x;Cargo do x;Data;Horas\nAnn Lee;1;2;2.3.2026;8", "", "does not have email, but Nome do x"),
        ("Who,Week ending,Hours\nAnn Lee,2026-03-08,8", "", "does not have date, but Who, Week ending, Hours"),
        (SUBTOTAL, "", 'Projekt "Summe" sums up the lines of its day: delete it, or give the project another name'),
        (SUBTOTAL.replace("Summe;3", "Summe;4"), "", "hours\t7:00\tAnn Lee"),
        (JOINED, "", "hours\t3:00\tAnn Lee"),
        # Headers of spreadsheets and of databases.
        ('Employee*;Date:;"Total\nHours"\nAnn Lee;2026-03-02;8', "", "hours\t8:00\tAnn Lee"),
        ("Name, Vorname;Work.Date;Std.\nLee, Ann;2026-03-02;8", "", "hours\t8:00\tAnn Lee"),
        ("name;start;end\nAnn Lee;2026-03-02 08:00:00+00;2026-03-02 09:00:00+00", "", "09:00 to 10:00 (1:00)"),
        # What stands in brackets may be another length than that of the work.
        ("Wer;Tag;Dauer (Soll);Dauer (Ist)\nAnn Lee;2.3.2026;8;5", "", "hours\t5:00\tAnn Lee"),
        ("Wer;Tag;Hours (billable);Hours\nAnn Lee;2.3.2026;4;5", "", "hours\t5:00\tAnn Lee"),
        ("Wer;Tag;Hours (planned)\nAnn Lee;2.3.2026;8", "", "say which columns they are: --map duration=COLUMN"),
        ("Wer;Tag;Dauer (dezimal)\nAnn Lee;2.3.2026;8", "", "hours\t8:00\tAnn Lee"),
        ("Wer;Tag;Dauer (hh:mm)\nAnn Lee;2.3.2026;8:00", "", "hours\t8:00\tAnn Lee"),
        ("Wer;Tag;Dauer (mm:ss)\nAnn Lee;2.3.2026;8:00", "", "Dauer (mm:ss) has neither hours, minutes nor seconds"),
        ("Wer;Tag;Von;Bis;Break (paid)\nAnn Lee;2.3.2026;9:00;17:00;0:30", "", "09:00 to 17:00 (8:00)"),
        ("Wer;Tag;Von;Bis;Break (unpaid)\nAnn Lee;2.3.2026;9:00;17:00;0:30", "", "09:00 to 16:30 (7:30)"),
        ("Wer;Tag;Von;Bis;Breaks\nAnn Lee;2.3.2026;9:00;17:00;2", "", "may have breaks in Breaks: give a column"),
        (
            "Wer;Tag;Von;Bis;\nAnn Lee;2.3.2026;9:00;12:00;Work\nAnn Lee;2.3.2026;12:00;13:00;Break",
            "",
            "has no name of column 5, which tells breaks or leave: name it Type.",
        ),
        ("Wer;Tag;Von;Bis;Breaks\nAnn Lee;2.3.2026;9:00;17:00;0,5", "", "09:00 to 16:30 (7:30)"),
        # Lengths of no known name are no start and end.
        ("Wer;Tag;Target;Actual\nAnn Lee;2.3.2026;7:00;8:00", "", "say which columns they are: --map duration=COLUMN"),
        # From one time to another is no time with an offset, which a moment may have.
        (RANGES, "", "does not have duration, but Wer, Tag, Vormittag, Nachmittag"),
        (RANGES, "--map from=Vormittag --map to=Nachmittag", 'Vormittag "6:00-10:00" is not a time such as 14:30:00'),
        ("Wer;Start;Std\nAnn Lee;2026-03-02 6:00-10:00;4", "", "does not have date, but Wer, Start, Std: say"),
        ("Wer;Von;Bis\nAnn Lee;2026-03-02T08:00-05:00;2026-03-02T09:00-05:00", "", "14:00 to 15:00 (1:00)"),
        # Without a column of people it may be the time of another one.
        (JOINED.replace("Wer;", "").replace("Ann Lee;", ""), "--person ann@example.com", 'Tag "Tag" is not a date'),
        (JOINED.replace("\nWer", '\n\ufeff"Wer"'), "", "hours\t3:00\tAnn Lee"),
        # A zone in the header is that of its times.
        (IN_UTC, "", "hours.csv has times of UTC (Start (UTC)): give --timezone UTC"),
        (IN_UTC, "--timezone UTC", "2026-03-02 23:00 to 23:30 (0:30)"),
        ("Wer;Tag;Stunden\nAnn\u00a0Lee;2.3.2026;,5", "", "hours\t0:30\tAnn Lee"),
        # Lines of days without work are left out, and counted.
        (DAYS_OFF, "", "has no length (line 3)"),
        ("Wer;Tag;Von;Bis\nAnn Lee;6.3.2026;9:00;17:00\nAnn Lee;7.3.2026;;", "", "has no length (line 3)"),
        ("Wer;Start;Ende\nAnn Lee;Mo, 02.03.2026 09:00;Mo, 02.03.2026 17:00", "", "09:00 to 17:00 (8:00)"),
        ("Data;Da;A;Nome;Tag\n02.03.2026;9:00;17:00;Ann Lee;", "", "09:00 to 17:00 (8:00)"),
        ("Wer;Tag;Dauer\nAnn Lee;02.03.2026;0,0625", "", "hours.csv: Dauer may be parts of days: format it as [h]:mm"),
        (
            "Wer;Tag;Dauer\nAnn Lee;02.03.2026;0,0625",
            "--map duration=Dauer --map person=Wer --map date=Tag",
            "hours\t0:03:45",
        ),
        # Numbers that clocks or thousands may be are decimal hours where a user or other lines say so.
        (f"{HOUR_LINE};8.30", "", "Stunden may be hours and minutes: write 8:30 for 8.30, or give --map duration="),
        ("Wer;Tag;Start;Std\nAnn Lee;2.3.2026;9:00;8.30", "", "Std may be hours and minutes"),
        (f"{HOUR_LINE};8,05 h", "", "Stunden may be hours and minutes"),
        (f"{HOUR_LINE};8.30", "--map duration=Stunden", "hours\t8:18\tAnn Lee"),
        (f"{HOUR_LINE};8.30\nAnn Lee;3.3.2026;7.90", "", "hours\t16:12\tAnn Lee"),
        (f"{HOUR_LINE};7,5\nAnn Lee;3.3.2026;1.000", "", "Stunden may be thousands: write all numbers with one deci"),
        (f"{HOUR_LINE};7.5\nAnn Lee;3.3.2026;1.125\nAnn Lee;4.3.2026;8", "", "hours\t16:37:30\tAnn Lee"),
        (f"{HOUR_LINE};8.000\nAnn Lee;3.3.2026;7.500", "", "hours\t15:30\tAnn Lee"),
        (f"{HOUR_LINE};8\n;;8", "", 'hours.csv:3: Stunden "8" has no person, or no date: delete the line'),
        (
            "Wer;Start;Ende\nAnn Lee;Mon Mar 02 2026 09:00:00 GMT-5 (EST);Mon Mar 02 2026 10:00:00 GMT-5 (EST)",
            "",
            "15:00 to 16:00 (1:00)",
        ),
        (f"{HOUR_LINE};8;x".replace("en\n", "en;is_deleted\n"), "", 'is_deleted "x" tells that the entry is deleted'),
        (f"{HOUR_LINE};8;No".replace("en\n", "en;is_deleted\n"), "", "hours\t8:00\tAnn Lee"),
        (f"{HOUR_LINE};8;NULL".replace("en\n", "en;deleted_at\n"), "", "hours\t8:00\tAnn Lee"),
        (f"{HOUR_LINE};8\n;2.3.2026;8", "", 'hours.csv:3: Stunden "8" has no person, or no date: delete the line'),
        (LUNCH.replace("Lunch_1", "Pause").replace("0:30", "0.30"), "", "Pause may be hours and minutes: write"),
        (LUNCH.replace("Lunch_1", "Pause;Std").replace("0:30", "0.20;7.80"), "", "hours\t7:48\tAnn Lee"),
        (LUNCH.replace("Lunch_1", "Std").replace("0:30", "8.00"), "", "hours\t8:00\tAnn Lee"),
        (
            LUNCH.replace("Lunch_1", "Std").replace("17:00;0:30", "17:30;8.30"),
            "",
            "has a duration of 8.30 hours, and 8:30 from start to end: write 8:30",
        ),
        (THIRDS, "--trust-durations", "hours\t1:35\tAnn Lee"),
        (TWO_TABLES, "", "hours.csv:4: has 3 of 4 values: complete the line, or delete it"),
        ('Wer;Datum\n"Ann";"<a href="5">Stop</a>"', "", "hours.csv:2 has text after a closing quote: write a quote in"),
        (f"Stundenzettel;;;;\n;;;;\n{HOURS}", "", "but Stundenzettel: the first line must have the names of the"),
    ],
)
def test_file_is_proposed_or_refused(
    content: str, options: str, words: str, run: Run, unchanged: str, folder: Path
) -> None:
    (folder / "hours.csv").write_text(f"{content}\n")
    result = run("import", "--organization", unchanged, "--from", "agency", *options.split(), "hours.csv")
    assert words in result.out + result.err


@pytest.mark.parametrize(
    ("more", "value"), [("Pause", "0:30"), ("Art", "Urlaub"), ("Minuten", "30"), ("Einheit", "Min")]
)
def test_later_file_has_no_further_lengths(more: str, value: str, run: Run, own: str, folder: Path) -> None:
    (folder / "a.csv").write_text("Wer;Tag;Stunden\nAnn Lee;2026-03-02;1\n")
    (folder / "b.csv").write_text(f"Wer;Tag;Stunden;{more};Ort\nAnn Lee;2026-03-03;1;{value};X\n")
    result = run("import", "--organization", own, "--from", "agency", "a.csv", "b.csv")
    assert f"b.csv:1: differs from a.csv in having {more}: import each in a command of its own" in result.err


async def test_kept_mapping_is_used_again(run: Run, own: str, http: httpx.AsyncClient, folder: Path) -> None:
    (folder / "hours.csv").write_text(HOURS)
    arguments = ("import", "--organization", own, "--from", "agency", "hours.csv")
    assert "--from agency reads it from this folder." in run(*arguments, "--dates", "dmy", "--save").out
    kept = (folder / "agency.toml").read_text()
    again = run(*arguments)
    assert "agency.toml: File exists. Leave out --save" in run(*arguments, "--save").err
    assert kept == (
        'dates = "dmy"\n[columns]\nperson = "Mitarbeiter"\nproject = "Projekt"\ndate = "Datum"\nfrom = "Von"\n'
        'to = "Bis"\n'
    )
    assert "timesheets\t0 new\t0 changed\t0 deleted\t4 unchanged" in again.out
    response = await http.get("/v1/time_activity_reports/?start_date=2026-03-02&end_date=2026-03-05")
    seconds = {row["user"]["full_name"]: row["tracked_seconds"] for row in response.json()["results"]}
    assert seconds == {"Ann Lee": 34_200, "Bob Ray": 18_000}


@pytest.mark.parametrize("column", ["Pause", "Art", "Dauer", "Einheit"])
def test_kept_mapping_refuses_further_lengths(column: str, run: Run, own: str, folder: Path) -> None:
    arguments = ("import", "--organization", own, "--from", "agency", "hours.csv")
    header, lines = HOURS.split("\n", 1)
    (folder / "hours.csv").write_text(f"{header};Ort\n" + lines.replace("\n", ";X\n"))
    assert run(*arguments, "--dates", "dmy", "--save").code == 0
    assert 'left_out = ["Ort"]' in (folder / "agency.toml").read_text()
    (folder / "hours.csv").write_text(f"{header};{column}\n" + lines.replace("\n", ";\n"))
    assert f"hours.csv has {column}, which agency.toml neither reads nor leaves out: give" in run(*arguments).err
    (folder / "agency.toml").write_text((folder / "agency.toml").read_text().replace("Ort", column))
    assert run(*arguments).code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--from", "agency", "--map", "datum=Datum"], "--map: datum is none of email, person, first_name"),
        (["--from", "agency", "--map", "date=Tag"], "has no column Tag, but Mitarbeiter, Datum, Von, Bis, Projekt."),
        (["--from", "agency", "--map", "duration=Von", "--map", "duration=Bis"], "--map gives a field twice: add up"),
        (["--from", "agency", "--map", "date"], "--map: date needs the name of a column"),
        (["--from", "agency", "--person", "ann"], "--person ann is no e-mail address: give the one of a member."),
        (
            ["--from", "agency", "--person", "ann@example.com"],
            'hours.csv:4: Mitarbeiter "Bob Ray" is not Ann Lee, and all entries are of --person: leave it out',
        ),
        (["--from", "gone.toml"], "There is no file gone.toml."),
        (["--from", "redmine", "--map", "person=Datum"], "does not have Date, Hours, but Mitarbeiter, Datum, Von"),
        (["--from", "agency", "--map", "date=Von", "--map", "from=Von"], "--map gives a column to two fields: one of"),
        (["--from", "agency", "--map", "date=Von"], "does not have duration, but Mitarbeiter, Datum, Von"),
        (["--map", "date=Datum"], "is needed: these options are for detailed reports"),
        (["--from", "broken.toml"], "broken.toml is not a TOML file"),
        (["--from", "unknown.toml"], "unknown.toml: zone is not known"),
    ],
)
def test_wrong_mapping_is_refused_in_words(options: list[str], words: str, run: Run, own: str, folder: Path) -> None:
    (folder / "hours.csv").write_text(HOURS)
    (folder / "broken.toml").write_text("[columns")
    (folder / "unknown.toml").write_text('zone = "UTC"')
    result = run("import", "--organization", own, *options, "hours.csv")
    assert result.code != 0
    assert words in result.err


def test_lengths_that_differ_are_refused_in_words(run: Run, own: str, folder: Path) -> None:
    lines = ["Email,Date,Hours,Minutes", "ann@example.com,2026-03-02,7.5,30", "ann@example.com,2026-03-03,2,90"]
    (folder / "hours.csv").write_text("\n".join(lines))
    result = run("import", "--organization", own, "--from", "agency", "--save", "hours.csv")
    assert 'hours.csv:2: Minutes "30" is neither a part of 7:30 nor as long: delete one of the columns' in result.err
    assert 'hours.csv:3: Minutes "90" is neither a part of 2:00 nor as long: delete one of the columns' in result.err


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("E-Mail;Tag;Stunden\nann@example.com;2026-03-02;7 T", 'Stunden "7 T" is not a duration such as 1:30:00'),
        (
            "Correo;Fecha;Hora inicio;Hora fin\nann@example.com;2026-03-02;9:00 vorm.;1:30 nachm.",
            'Hora inicio "9:00 vorm." is not a time such as 14:30:00',
        ),
        ("E-Mail;Tag;Stunden\nann@example.com;;7", 'Tag "" is missing: fill it in, or delete the line if it sums'),
        (
            "E-Mail;Tag;Von;Bis\nann@example.com;2026-03-02;9:00;5:00",
            '"2026-03-02 9:00 to 5:00" ends before it starts, or lasts 20:00: correct it (12 hours need AM or PM)',
        ),
        (
            "E-Mail;Tag;Von;Bis;Dauer\nann@example.com;2026-03-02;;;4\nann@example.com;2026-03-02;9:00;10:00;1",
            'Von "" is missing: fill it in, or give --durations',
        ),
        (
            "E-Mail;Von;Bis;Stunden\nann@example.com;2026-03-02;2026-03-06;20",
            'Bis "2026-03-06" is another day than 2026-03-02: give each day a line',
        ),
        (
            "E-Mail;Tag;Stunden;Art\nann@example.com;2026-03-02;8;Kur\nann@example.com;2026-03-03;8;Urlaub",
            'Art "Kur" is not Regular, Break, Holiday or Time off: write one of them',
        ),
    ],
)
def test_unreadable_length_is_refused_by_its_line(lines: str, words: str, run: Run, own: str, folder: Path) -> None:
    (folder / "hours.csv").write_text(lines)
    assert f"hours.csv:2: {words}" in run("import", "--organization", own, "--from", "agency", "hours.csv").err


@pytest.mark.parametrize(
    ("name", "header", "words"),
    [
        ("Hubstaff Time.csv", "Client,Project,To-do,Member,Email,Date,Time,Notes", "Hubstaff: add --from hubs"),
        ("2026-03 timelog.csv", "Project,Date,User,Activity,Issue,Comment,Hours", "Redmine: add --from redmine"),
        ("HOURS.CSV", "Mitarbeiter;Datum;Von;Bis;Projekt", "has time entries, and looks like: person = Mitarbeiter;"),
        ("timesheets 2026.csv", "Wer;Datum;Stunden", "has time entries, and looks like: person = Wer;"),
        ("List 2.csv", "a,b", "is not named after a table: if it has time entries, add --from NAME"),
    ],
)
def test_any_file_is_told_by_its_header(name: str, header: str, words: str, run: Run, own: str, folder: Path) -> None:
    (folder / name).write_text(f"{header}\n")
    assert words in run("import", "--organization", own, str(folder / name)).err
