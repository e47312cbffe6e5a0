"""Apps, sites and pages with category and productivity. All hosts are reserved for examples (RFC 2606)."""

from typing import NamedTuple

from db.tables.activity import Productivity


class Software(NamedTuple):
    """An app or a site."""

    name: str
    category: str | None
    productivity: Productivity = Productivity.productive


class Page(NamedTuple):
    """A page of a site, by its path."""

    domain: str
    path: str
    title: str | None


BROWSER = "Firefox"

APPS = (
    Software(BROWSER, "Browser", Productivity.neutral),
    Software("Thunderbird", "Mail", Productivity.neutral),
    Software("Element", "Chat", Productivity.neutral),
    Software("VSCodium", "Development"),
    Software("GNOME Terminal", "Development"),
    Software("Penpot", "Design"),
    Software("Inkscape", "Design"),
    Software("Krita", "Design"),
    Software("LibreOffice Calc", "Office"),
    Software("LibreOffice Writer", "Office"),
    Software("Jitsi Meet", "Meetings"),
    Software("R Studio", "Statistics"),
    Software("Rhythmbox", "Music", Productivity.unproductive),
    Software("SuperTux", "Games", Productivity.unproductive),
    Software("Mouse Nudger", None, Productivity.unrated),
)

APPS_BY_DEPARTMENT = {
    "Engineering": ("VSCodium", "VSCodium", BROWSER, "GNOME Terminal", "VSCodium", "Element"),
    "Design": ("Penpot", "Inkscape", BROWSER, "Krita", "Penpot", "Thunderbird"),
    "Research": ("R Studio", "LibreOffice Writer", BROWSER, "LibreOffice Calc", "Thunderbird"),
}
"""The apps of a department; an app that stands twice is drawn twice as often."""

DEFAULT_APPS = ("Thunderbird", BROWSER, "LibreOffice Calc", "LibreOffice Writer", "Jitsi Meet", "Element")

RARE_APPS = ("Rhythmbox", "SuperTux", "Jitsi Meet", "Mouse Nudger")

SITES = (
    Software("kestrelwerk.example", "Intranet"),
    Software("tickets.example", "Project management"),
    Software("lumen-optik.example", "Client"),
    Software("alpenrad.example", "Client"),
    Software("xn--grnau-lva.example", "Client"),
    Software("reference.example", "Documentation"),
    Software("type-foundry.example", "Design"),
    Software("mail.example", "Mail", Productivity.neutral),
    Software("news.example", "News", Productivity.unproductive),
    Software("recipes.example", None, Productivity.unrated),
)

PAGES = (
    Page("kestrelwerk.example", "/", "Intranet"),
    Page("kestrelwerk.example", "/handbook/travel", "Travel expenses"),
    Page("tickets.example", "/board", "Board"),
    Page("tickets.example", "/issues/open", "Open issues"),
    Page("tickets.example", "/calendar", None),
    Page("lumen-optik.example", "/", "Lumen Optik"),
    Page("lumen-optik.example", "/frames", "Frames | Lumen Optik"),
    Page("lumen-optik.example", "/checkout", None),
    Page("alpenrad.example", "/bikes/touring", "Touring bikes"),
    Page("alpenrad.example", "/dealers", "Find a dealer"),
    Page("xn--grnau-lva.example", "/stoerung", "Störung melden"),
    Page("reference.example", "/html/forms", "Forms"),
    Page("reference.example", "/css/grid", "Grid layout"),
    Page("reference.example", "/sql/window-functions", "Window functions"),
    Page("type-foundry.example", "/specimens/grotesk", "Grotesk"),
    Page("mail.example", "/inbox", None),
    Page("news.example", "/", "News of the day"),
    Page("news.example", "/sport", "Sport"),
    Page("recipes.example", "/soups/pumpkin", "Pumpkin soup"),
)
