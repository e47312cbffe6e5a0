"""Reports that correct earlier ones, or have a part of the entries; and what reports of the service count then.

Covers `db/jobs/importing/detailed_reports/entry_rows.py`, `db/jobs/importing/detailed_reports/replaced_days.py`,
`db/jobs/importing/time_summary.py` and `resolvers/reports/tracked_seconds.py`.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection

from db.admin.keys import set_organization
from db.jobs.importing.detailed_reports.mapping import DateOrder
from db.jobs.importing.detailed_reports.replaced_days import EVERY_DAY, ReplacedDays
from db.jobs.importing.statements import run
from db.tables.timesheets import timesheets
from resolvers.reports.tracked_seconds import tracked_seconds
from tests.db.jobs.importing.conftest import Select
from tests.db.jobs.importing.detailed_reports import reports
from tests.db.jobs.importing.detailed_reports.conftest import ImportFiles
from tests.db.jobs.importing.detailed_reports.reports import CLOCKIFY_HEADER, Tracker, clockify_line, toggl_line
from tests.factories.rows import Rows

HARVEST = "Date,Client,Project,Task,Notes,Hours,Billable?,First Name,Last Name"
KIMAI = "Date,From,To,Duration,Name,E-mail,Customer,Project,Activity,Description,Billable,Tags"

Load = Callable[..., Any]

BY_PROJECT = (
    "p.name, count(*), sum(extract(epoch FROM ended_at - started_at))::int FROM timesheets t JOIN projects p"
    " ON p.id = t.project_id WHERE t.deleted_at IS NULL GROUP BY 1 ORDER BY 1"
)


@pytest.fixture
def load(import_files: ImportFiles) -> Load:
    """`load(Tracker.toggl, {"a.csv": [...]})` imports; returns the changes of timesheets and the notes, or problems."""

    def run(tracker: Tracker, files: Mapping[str, list[str]], **options: Any) -> Any:
        header = {Tracker.harvest: HARVEST, Tracker.kimai: KIMAI}.get(tracker, reports.TOGGL_HEADER)
        changes, time, notes, problems = import_files(
            tracker, {name: [header, *lines] for name, lines in files.items()}, **options
        )
        counted = None if time is None else (time.people, time.uncounted, time.starts_are_equal)
        return problems or (changes.get("timesheets"), counted, notes)

    return run


@pytest.fixture
def tracked(owner: Connection, own: UUID, select: Select) -> Callable[[], dict[str, int]]:
    """What reports count of each person."""

    def read() -> dict[str, int]:
        names: dict[UUID, str] = dict(select("user_id, full_name FROM members"))
        low, high = (datetime(year, 1, 1, tzinfo=UTC) for year in (2026, 2027))
        with owner.begin():
            set_organization(owner, own)
            found = tracked_seconds(owner, own, list(names), low, high, {})
        return {names[id_]: seconds for id_, seconds in found.items()}

    return read


def kimai(day: str, start: str, end: str, length: str, project: str = "Site", note: str = "") -> str:
    return f"2026-09-{day},{start},{end},{length},Kev,kev@example.test,Acme,{project},dev,{note},1,"


def harvest(
    day: str, hours: str, client: str, project: str, note: str = "", *, task: str = "Dev", billable: str = "Yes"
) -> str:
    return f"2026-09-{day},{client},{project},{task},{note},{hours},{billable},Peter,Tester"


def entry(start: str, end: str, project: str = "Site", note: str = "", user: str = "Jo,jo@example.test") -> str:
    first, last = (datetime.fromisoformat(f"2026-{text}") for text in (start, end))
    seconds = int((last - first).total_seconds())
    length = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return toggl_line(f"{first}", f"{last}", length, user=user, work=f"Acme,{project},", description=note)


WEEKLY = {
    "k.csv": [
        kimai("21", "08:00", "13:00", "5:00"),
        kimai("21", "08:00", "11:00", "3:00", "Brand"),
        kimai("22", "08:00", "13:00", "5:00"),
        kimai("22", "08:00", "11:00", "3:00", "Brand"),
    ]
}


@pytest.fixture
def peter(rows: Rows, own: UUID) -> None:
    with rows.transaction(own):
        rows.member(own, full_name="Peter Tester", email="peter@example.test")


def test_time_of_another_tracker_counts_less_too(load: Load, tracked: Callable[[], Any]) -> None:
    load(Tracker.toggl, {"t.csv": [entry("09-21 09:00:00", "09-21 12:00:00", user="Kev,kev@example.test")]})
    line = kimai("21", "08:00", "13:00", "5:00")
    assert load(Tracker.kimai, {"k.csv": [line]})[1] == ([("Kev", 18_000)], [("Kev", 10_800)], False)
    assert tracked() == {"Kev": 18_000}


def test_equal_starts_are_in_the_order_of_the_file(load: Load, select: Select) -> None:
    load(Tracker.kimai, {"k.csv": [kimai("21", "08:00", "13:00", "5:00", f"P{number}") for number in range(20)]})
    names = select("p.name FROM timesheets t JOIN projects p ON p.id = project_id ORDER BY t.started_at, t.id")
    assert [name for (name,) in names] == [f"P{number}" for number in range(20)]


def test_durations_follow_each_other(load: Load, select: Select, tracked: Callable[[], Any]) -> None:
    load(Tracker.kimai, WEEKLY)
    # What the same file became before is deleted.
    counted: Any = ([("Kev", 57_600)], [], False)
    assert load(Tracker.kimai, WEEKLY, dry=True)[:2] == ((0, 0, 0), ([("Kev", 57_600)], [("Kev", 21_600)], True))
    assert load(Tracker.kimai, WEEKLY, durations=True)[:2] == ((4, 0, 4), counted)
    assert load(Tracker.kimai, WEEKLY, durations=True)[:2] == ((0, 0, 0), counted)
    assert select(BY_PROJECT) == [("Brand", 2, 21_600), ("Site", 2, 36_000)]
    assert tracked() == {"Kev": 57_600}
    assert load(Tracker.kimai, WEEKLY)[0] == (0, 4, 4)
    assert tracked() == {"Kev": 36_000}


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("22:00,06:00,8:00,0:00", 28_800),
        ("22:00,06:00,7:45,0:15", 27_900),
        ("22:00,06:00,7:00,1:00", 25_200),
        ("22:00,07:00,8:15,0:45", 29_700),
        ("22:00,05:00,6:15,0:45", 22_500),
    ],
)
def test_break_of_an_edited_entry_is_another(
    line: str, seconds: int, import_files: ImportFiles, tracked: Callable[[], Any]
) -> None:
    header = "Date,From,To,Duration,Break,Name,E-mail,Customer,Project,Activity"
    before, after, other = (
        f"2026-09-{times},Kev,kev@example.test,Acme,Site,dev"
        for times in ("21,22:00,06:00,7:15,0:45", f"21,{line}", "23,08:00,17:00,8:30,0:30")
    )
    import_files(Tracker.kimai, {"k.csv": [header, before, other]})
    assert import_files(Tracker.kimai, {"k.csv": [header, after]}).changes["break_times"][2] == 1
    # The other day, which the second file does not have, keeps its break.
    assert tracked() == {"Kev": seconds + 30_600}


def test_break_that_became_work_is_none(import_files: ImportFiles, tracked: Callable[[], Any]) -> None:
    for kind, seconds in (("Break", 0), ("Regular", 5_400)):
        line = clockify_line("03/16/2026 09:00:00 AM", "03/16/2026 10:30:00 AM", kind=kind)
        import_files(Tracker.clockify, {"c.csv": [CLOCKIFY_HEADER, line]})
        assert tracked() == {"Ann Lee": seconds}


def test_durations_replace_breaks_too(import_files: ImportFiles, select: Select, tracked: Callable[[], Any]) -> None:
    lines = [
        clockify_line("03/16/2026 09:00:00 AM", "03/16/2026 12:00:00 PM", "03:00:00"),
        clockify_line("03/16/2026 12:00:00 PM", "03/16/2026 12:30:00 PM", "00:30:00", kind="Break"),
        clockify_line("03/16/2026 12:30:00 PM", "03/16/2026 11:30:00 PM", "11:00:00"),
    ]
    for durations in (False, True, False):
        import_files(Tracker.clockify, {"c.csv": [CLOCKIFY_HEADER, *lines]}, durations=durations)
        assert select("count(*) FROM break_times WHERE deleted_at IS NULL") == [(1,)]
        assert tracked() == {"Ann Lee": 50_400}


def test_durations_replace_an_entry_of_midnight(load: Load, tracked: Callable[[], Any]) -> None:
    lines = [kimai("21", "09:00", "10:00", "1:00", "Brand"), kimai("21", "00:00", "02:00", "2:00", "Site")]
    for durations in (False, True, False):
        load(Tracker.kimai, {"k.csv": lines}, durations=durations)
        assert tracked() == {"Kev": 10_800}
    assert load(Tracker.kimai, {"k.csv": lines})[0] == (0, 0, 0)


def test_day_of_durations_has_its_hours_at_most(load: Load) -> None:
    long, other = kimai("21", "08:00", "21:00", "13:00"), kimai("21", "08:00", "20:00", "12:00")
    who = "makes more hours than kev@example.test has on 2026-09-21"
    remedy = "give each day a line, correct it, or give --map minutes=COLUMN"
    one = load(Tracker.kimai, {"k.csv": [long, other]}, durations=True)
    assert one == [f'k.csv:3: Duration "12:00" {who}: {remedy}']
    before = kimai("20", "08:00", "09:00", "1:00")
    two = load(Tracker.kimai, {"a.csv": [long], "b.csv": [before, other]}, durations=True)
    assert two == [f"b.csv:3: Duration {who}: {remedy}"]


ACME = [harvest("10", "3", "Acme", "Website", "a"), harvest("11", "4", "Acme", "Website", "a")]
GLOBEX = [harvest("10", "4", "Globex", "Brand", "b"), harvest("11", "4", "Globex", "Brand")]


@pytest.mark.usefixtures("peter")
def test_files_of_clients_all_count(load: Load, select: Select, tracked: Callable[[], Any]) -> None:
    changes, times, notes = load(Tracker.harvest, {"acme.csv": ACME, "globex.csv": GLOBEX})
    assert (changes, times) == ((4, 0, 0), ([("Peter Tester", 54_000)], [], False))
    shared = "Peter Tester on 2026-09-10, Peter Tester on 2026-09-11"
    assert notes == [f"Entries of several files share person and day, and differ: all count, {shared}."]
    assert tracked() == {"Peter Tester": 54_000}
    assert load(Tracker.harvest, {"acme.csv": ACME, "globex.csv": GLOBEX, "all.csv": [*ACME, *GLOBEX]})[0] == (0, 0, 0)
    assert load(Tracker.harvest, {"globex.csv": GLOBEX, "acme.csv": ACME})[0] == (0, 4, 0)
    assert select(BY_PROJECT) == [("Brand", 2, 28_800), ("Website", 2, 25_200)]


@pytest.mark.usefixtures("peter")
def test_equal_entries_of_files_count_once_in_words(load: Load) -> None:
    part = [harvest("10", "3", "", "Website", "Call")]
    changes, _, notes = load(Tracker.harvest, {"acme.csv": part, "globex.csv": part})
    assert changes == (1, 0, 0)
    once = "Entries that several files have with the same content count once, Peter Tester on 2026-09-10"
    assert notes == [f"{once}: if they are different, write all lines into one file."]
    assert load(Tracker.harvest, {"all.csv": [*part, *part]})[0] == (1, 0, 0)


@pytest.mark.usefixtures("peter")
def test_stored_time_that_the_files_lack_is_told(
    import_files: ImportFiles, rows: Rows, own: UUID, tracked: Callable[[], Any]
) -> None:
    with rows.transaction(own):
        rows.member(own, full_name="Paula Tester", email="paula@example.test")

    def stored(*lines: str, replaces: bool = False) -> Any:
        done = import_files(Tracker.harvest, {"h.csv": [HARVEST, *lines]}, replaces=replaces)
        return done.time and done.time.stored

    first, second, later = (harvest(day, "2", "Acme", "Website", day) for day in ("10", "11", "12"))
    assert stored(first, second, later) == []
    # Whom the files do not have is none of their people.
    assert stored(second.replace("Peter", "Paula")) == []
    # Without --replace the time of a deleted entry stays, and counts.
    assert stored(first, later) == [("Peter Tester", 7_200)]
    assert stored(later) == []
    assert tracked() == {"Paula Tester": 7_200, "Peter Tester": 21_600}
    assert stored(first, later, replaces=True) == []
    assert tracked() == {"Paula Tester": 7_200, "Peter Tester": 14_400}


@pytest.mark.usefixtures("peter")
def test_other_entries_than_the_stored_ones_are_refused(load: Load, select: Select) -> None:
    load(Tracker.harvest, {"acme.csv": ACME})
    reason = (
        "would take the place of stored time of another entry: import all files of these days at once, or with"
        " --replace if the files have all entries of their days"
    )
    assert load(Tracker.harvest, {"globex.csv": GLOBEX}) == [
        f'globex.csv:2: Project "Peter Tester on 2026-09-10" {reason}',
        f'globex.csv:3: Project "Peter Tester on 2026-09-11" {reason}',
    ]
    assert load(Tracker.harvest, {"acme.csv": ACME, "globex.csv": GLOBEX})[0] == (2, 0, 0)
    assert load(Tracker.harvest, {"acme.csv": [harvest("10", "5", "Acme", "Website", "c")]})[0] == (0, 1, 0)
    assert load(Tracker.harvest, {"globex.csv": GLOBEX}, replaces=True)[0] == (0, 2, 2)
    assert select(BY_PROJECT) == [("Brand", 2, 28_800)]


def of_day(hours: str, note: str = "", **work: str) -> str:
    return harvest("10", hours, "Acme", "Website", note, **work)


@pytest.mark.usefixtures("peter")
@pytest.mark.parametrize(
    ("stored", "other"),
    [
        ([of_day("3")], of_day("2", task="Code")),
        ([of_day("3")], of_day("3", task="Code")),
        ([of_day("3", "a")], of_day("3", "b", task="Code")),
        ([of_day("3", "a", billable="No")], of_day("2", "b")),
        ([of_day("3", task="")], of_day("2")),
        ([of_day("3", "a"), of_day("2", "b")], of_day("2", "b")),
        ([of_day("3"), of_day("2")], of_day("2")),
    ],
)
def test_part_of_a_report_takes_no_place(load: Load, tracked: Callable[[], Any], stored: list[str], other: str) -> None:
    load(Tracker.harvest, {"a.csv": stored})
    before = tracked()
    assert "would take the place of stored time" in load(Tracker.harvest, {"b.csv": [other]})[0]
    assert tracked() == before
    load(Tracker.harvest, {"b.csv": [other]}, replaces=True)
    assert tracked() == {"Peter Tester": 10_800 if ",3," in other else 7_200}


@pytest.mark.usefixtures("peter")
def test_edits_of_a_day_without_times_are_read(load: Load) -> None:
    load(Tracker.harvest, {"a.csv": [of_day("3", "a"), of_day("2", "b")]})
    edits = [of_day("1", "new", task="Plan"), of_day("3", "a"), of_day("2.5", "b", billable="No")]
    assert load(Tracker.harvest, {"b.csv": edits})[0] == (1, 2, 0)
    assert load(Tracker.harvest, {"b.csv": [edits[0], of_day("3", "a", task="Code")]})[0] == (0, 1, 0)


@pytest.mark.parametrize(
    ("stored", "other"),
    [(",,", "Acme,Web,"), ("Acme,Web,", ",,"), ("Acme,Web,Design", "Acme,Web,Code"), ("Acme,Web,", "Acme,Web,Code")],
)
def test_entry_of_other_work_length_and_note_is_refused(load: Load, select: Select, stored: str, other: str) -> None:
    first = toggl_line("2026-03-02 09:00:00", "2026-03-02 12:00:00", "03:00:00", work=stored, description="a")
    second = toggl_line("2026-03-02 09:00:00", "2026-03-02 10:00:00", "01:00:00", work=other, description="b")
    load(Tracker.toggl, {"a.csv": [first]})
    assert "would take the place of stored time" in load(Tracker.toggl, {"b.csv": [second]})[0]
    assert load(Tracker.toggl, {"a.csv": [first], "b.csv": [second]})[0] == (1, 0, 0)
    assert load(Tracker.toggl, {"b.csv": [second]}, replaces=True)[0] == (0, 1, 1)
    assert select("note FROM timesheets WHERE deleted_at IS NULL") == [("b",)]


@pytest.mark.parametrize("end", ["09-23 12:00:00", "09-23 06:00:00", "09-21 12:00:00"])
def test_entry_of_days_is_told_from_another_of_its_start(load: Load, tracked: Callable[[], Any], end: str) -> None:
    load(Tracker.toggl, {"a.csv": [entry("09-21 09:00:00", "09-22 15:00:00", "Site", "a")]})
    assert "would take the place" in load(Tracker.toggl, {"b.csv": [entry("09-21 09:00:00", end, "Brand", "b")]})[0]
    # Of the same length, it is an edit.
    assert load(Tracker.toggl, {"b.csv": [entry("09-21 09:00:00", "09-22 15:00:00", "Brand", "b")]})[0] == (0, 2, 0)
    assert tracked() == {"Jo": 30 * 3600}


def test_timers_of_equal_start_are_other_entries_too(load: Load, select: Select) -> None:
    site, brand = ([kimai("21", "08:00", "13:00", "5:00")], [kimai("21", "08:00", "11:00", "3:00", "Brand")])
    both = {"site.csv": site, "brand.csv": brand}
    assert load(Tracker.kimai, both, durations=True)[:2] == ((2, 0, 0), ([("Kev", 28_800)], [], False))
    assert load(Tracker.kimai, both)[0] == (2, 0, 2)
    assert "would take the place" in load(Tracker.kimai, {"brand.csv": brand})[0]
    # An entry whose project alone was edited.
    assert load(Tracker.kimai, {"site.csv": [kimai("21", "08:00", "13:00", "5:00", "New")]})[0] == (0, 1, 0)
    assert select(BY_PROJECT) == [("Brand", 1, 10_800), ("New", 1, 18_000)]


def test_file_of_another_client_takes_no_place(load: Load, select: Select) -> None:
    acme, globex = (kimai("21", "08:00", "09:00", "1:00", name) for name in ("Site", "Brand"))
    globex = globex.replace("Acme", "Globex")
    load(Tracker.kimai, {"acme.csv": [acme]})
    assert "would take the place of stored time" in load(Tracker.kimai, {"globex.csv": [globex]})[0]
    assert load(Tracker.kimai, {"acme.csv": [acme], "globex.csv": [globex]})[0] == (1, 0, 0)
    # A client that was renamed has its projects still.
    assert load(Tracker.kimai, {"all.csv": [acme.replace("Acme", "Ajax"), globex]})[0] == (0, 1, 0)
    assert select(BY_PROJECT) == [("Brand", 1, 3_600), ("Site", 1, 3_600)]


def test_entry_that_moved_up_takes_no_place(load: Load, select: Select) -> None:
    site, brand = (kimai("21", "08:00", "09:00", "1:00", *work) for work in (("Site", "a"), ("Brand", "b")))
    load(Tracker.kimai, {"all.csv": [site, brand]})
    assert "would take the place of stored time" in load(Tracker.kimai, {"all.csv": [brand]})[0]
    assert select(BY_PROJECT) == [("Brand", 1, 3_600), ("Site", 1, 3_600)]
    load(Tracker.kimai, {"all.csv": [brand]}, replaces=True)
    assert select(BY_PROJECT) == [("Brand", 1, 3_600)]


def test_shorter_entry_takes_back_its_later_days(load: Load, tracked: Callable[[], Any]) -> None:
    load(Tracker.toggl, {"a.csv": [entry("09-18 17:00:00", "09-21 09:00:00", note="forgot")]})
    assert tracked() == {"Jo": 64 * 3600}
    assert load(Tracker.toggl, {"a.csv": [entry("09-18 17:00:00", "09-18 19:00:00", note="forgot")]})[0] == (0, 1, 2)
    assert tracked() == {"Jo": 7_200}


def test_replace_deletes_all_pieces_of_an_entry(load: Load, tracked: Callable[[], Any]) -> None:
    long = entry("09-18 17:00:00", "09-21 09:00:00")
    load(Tracker.toggl, {"a.csv": [long, entry("09-22 09:00:00", "09-22 10:00:00")]})
    assert load(Tracker.toggl, {"a.csv": [entry("09-18 16:00:00", "09-18 19:00:00")]}, replaces=True)[0] == (1, 0, 3)
    assert tracked() == {"Jo": 4 * 3600}


def test_replace_reaches_moved_entries_and_absent_people(load: Load, tracked: Callable[[], Any]) -> None:
    ann = entry("09-18 09:00:00", "09-18 12:00:00", user="Ann,ann@example.test")
    load(Tracker.toggl, {"a.csv": [entry("09-18 09:00:00", "09-18 12:00:00"), ann]})
    moved = [entry("09-19 13:00:00", "09-19 16:00:00")]
    days = ReplacedDays(date(2026, 9, 18), date(2026, 9, 19))
    changes, _, notes = load(Tracker.toggl, {"a.csv": moved}, replaces=True, days=days, dry=True)
    assert changes == (1, 0, 2)
    assert notes[0].startswith("Replaced: the entries of all people, 2026-09-18 to 2026-09-19.")
    assert tracked() == {"Jo": 10_800, "Ann": 10_800}
    load(Tracker.toggl, {"a.csv": moved}, replaces=True, days=days)
    assert tracked() == {"Jo": 10_800}
    (refused,) = load(Tracker.toggl, {"a.csv": moved}, replaces=True, days=ReplacedDays.parse("2026-09-18"))
    assert "has entries of 2026-09-19 to 2026-09-19, and --days gives 2026-09-18 to 2026-09-18" in refused


def test_name_of_a_file_says_the_days(load: Load, tracked: Callable[[], Any]) -> None:
    name = "Toggl_time_entries_2026-09-01_to_2026-09-30.csv"
    load(Tracker.toggl, {name: [entry("09-18 09:00:00", "09-18 12:00:00"), entry("09-29 09:00:00", "09-29 12:00:00")]})
    assert load(Tracker.toggl, {name: [entry("09-19 09:00:00", "09-19 12:00:00")]}, replaces=True)[0] == (1, 0, 2)
    assert tracked() == {"Jo": 10_800}


@pytest.mark.parametrize(
    ("name", "order", "days"),
    [
        ("harvest_time_report_from2026-09-01to2026-09-30.csv", None, "2026-09-01 to 2026-09-30"),
        ("Clockify_Time_Report_Detailed_01_09_2026-30_09_2026.csv", DateOrder.dmy, "2026-09-01 to 2026-09-30"),
        ("Clockify_Time_Report_Detailed_01_09_2026-30_09_2026.csv", None, "None"),
        ("20260930-kimai-export.csv", None, "None"),
        ("report 2026-09-30 to 2026-09-01.csv", None, "None"),
        ("report 2026-09-31 to 2026-10-01.csv", None, "None"),
    ],
)
def test_days_of_names_are_read(name: str, order: DateOrder | None, days: str) -> None:
    assert str(ReplacedDays.of_name(name, order)) == days


def test_more_than_ten_entries_of_one_start_are_replaced(load: Load, select: Select) -> None:
    lines = [entry("09-18 09:00:00", "09-18 12:00:00", note=f"{number}") for number in range(15)]
    load(Tracker.toggl, {"a.csv": lines})
    assert load(Tracker.toggl, {"a.csv": lines[:1]}, replaces=True)[0] == (0, 0, 14)


@pytest.mark.usefixtures("peter")
def test_more_than_a_thousand_entries_of_a_day_are_replaced(load: Load) -> None:
    lines = [harvest("21", "0.01", "Acme", "Site", f"{number}") for number in range(1_010)]
    load(Tracker.harvest, {"a.csv": lines})
    assert load(Tracker.harvest, {"a.csv": lines[:999]}, replaces=True)[0] == (0, 0, 11)


def test_new_member_of_a_known_name_is_named(load: Load) -> None:
    first, second = entry("09-21 08:00", "09-21 09:00"), entry("09-21 08:00", "09-21 09:00", user="Jo,jo@other.test")
    assert load(Tracker.toggl, {"t.csv": [first]})[2] == ["Columns that are not imported: Amount (EUR)."]
    assert load(Tracker.toggl, {"t.csv": [second]})[2][0] == (
        "New members have the name of another: Jo (jo@other.test). If one has another address: import members.csv with"
        " user_id and the new email first, or stored time counts twice."
    )


def test_undo_takes_back_what_a_tracker_made(load: Load, tracked: Callable[[], Any], rows: Rows, own: UUID) -> None:
    entries = [entry("09-18 09:00:00", "09-18 12:00:00"), entry("03-04 09:00:00", "03-06 12:00:00")]
    load(Tracker.toggl, {"a.csv": entries})
    load(Tracker.kimai, WEEKLY)
    day = ReplacedDays(date(2026, 9, 18), date(2026, 9, 18))
    assert load(Tracker.toggl, {}, replaces=True, days=day)[:2] == ((0, 0, 1), None)
    assert load(Tracker.toggl, {}, replaces=True, days=EVERY_DAY)[:2] == ((0, 0, 3), None)
    assert load(Tracker.toggl, {}, replaces=True, days=EVERY_DAY)[:2] == (None, None)
    assert tracked() == {"Kev": 36_000}


def test_rows_of_earlier_versions_are_known_again(load: Load, select: Select, owner: Connection, own: UUID) -> None:
    load(Tracker.kimai, WEEKLY)
    columns = ", ".join(column.name for column in timesheets.columns if column.name != "id")
    with owner.begin():
        set_organization(owner, own)
        # They had no number in their milliseconds.
        second = "substring(id::text FROM 13 FOR 1) = '1'"
        run(
            owner,
            f"WITH old AS (DELETE FROM timesheets WHERE {second} RETURNING *) INSERT INTO timesheets (id, {columns})"
            f" SELECT overlay(id::text PLACING '0' FROM 13 FOR 1)::uuid, {columns} FROM old",
        )
    assert load(Tracker.kimai, WEEKLY)[0] == (0, 0, 0)
    assert load(Tracker.kimai, {"k.csv": WEEKLY["k.csv"][:1]}, replaces=True)[0] == (0, 0, 1)
