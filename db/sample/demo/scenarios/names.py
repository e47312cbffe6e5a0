"""Names of people, teams, clients, projects and tasks of the demo organizations. All are invented.

E-mail domains are reserved for examples, telephone numbers for fiction.
"""

import unicodedata
from collections.abc import Sequence

from db.sample.demo.scenarios.scenario import Address

ASCII_SPELLINGS = {"ß": "ss", "ø": "o", "ł": "l", "ð": "d", "æ": "ae"}
"""ASCII spellings of letters that Unicode does not decompose."""

NAMES = (
    ("Katharina", "Vogt"),
    ("Tomasz", "Wójcik"),
    ("Amara", "Okafor"),
    ("Élodie", "Marchand"),
    ("Jonas", "Brückner"),
    ("Sofía", "Herrera"),
    ("Daniel", "Osei"),
    ("Priya", "Raman"),
    ("Liam", "Whitfield"),
    ("Mei-Ling", "Chen"),
    ("Yusuf", "Demir"),
    ("Hannah", "Lindström"),
    ("Oliver", "Nguyen"),
    ("Zuzana", "Dvořáková"),
    ("Mateus", "Carvalho"),
    ("Noor", "Haddad"),
    ("Sigríður", "Jónsdóttir"),
    ("Ravi", "Shrestha"),
    ("Chloé", "Dubois"),
    ("Peter", "Hansen"),
    ("Grace", "Mwangi"),
    ("Léa", "Fontaine"),
    ("Oleksandr", "Kovalenko"),
    ("Renate", "Groß"),
    ("Søren", "Mikkelsen"),
    ("Ayumi", "Takahashi"),
    ("Kofi", "Boateng"),
    ("Ioana", "Popescu"),
    ("Rafael", "Monteiro"),
    ("Łucja", "Zielińska"),
    ("Samir", "Benali"),
    ("Freya", "Holm"),
    ("Minh", "Tran"),
    ("Giulia", "Ferraro"),
    ("Ngozi", "Eze"),
    ("Lukas", "Hofstätter"),
    ("Aoife", "Brennan"),
    ("Deniz", "Şahin"),
    ("Arjun", "Iyer"),
    ("Marta", "Kowalczyk"),
    ("Jun-ho", "Park"),
    ("Beatriz", "Figueira"),
    ("Elias", "Nyström"),
    ("Farah", "Siddiqui"),
    ("Nikolaj", "Bæk"),
    ("Thandiwe", "Ndlovu"),
    ("Mikko", "Virtanen"),
    ("Petra", "Novak"),
    ("Caleb", "Ashworth"),
    ("Ximena", "Ortega"),
)

SQUAD_NAMES = (
    "Avocet",
    "Bittern",
    "Curlew",
    "Dunlin",
    "Egret",
    "Fieldfare",
    "Goldcrest",
    "Hoopoe",
    "Ibis",
    "Jackdaw",
    "Kittiwake",
    "Lapwing",
    "Merlin",
    "Nuthatch",
    "Oriole",
    "Plover",
    "Quail",
    "Redstart",
    "Siskin",
    "Turnstone",
    "Wagtail",
    "Yellowhammer",
)

# Two lists of the same length, so that every name meets every trade before a pair repeats.
CLIENT_NAMES = (
    "Amberfeld",
    "Birkenhain",
    "Corvanta",
    "Dorndal",
    "Elbgarten",
    "Fjordlys",
    "Grauwacke",
    "Heidemoor",
    "Isarblick",
    "Junimond",
    "Kalkstein",
    "Lindwerder",
    "Morgenrot",
    "Nebelhorn",
    "Ostwind",
    "Pappelhof",
    "Quellgrund",
    "Rotbuche",
    "Silbersee",
    "Tannzapfen",
)
CLIENT_TRADES = (
    "Architects",
    "Bakery",
    "Chocolates",
    "Dental Care",
    "Energy",
    "Furniture",
    "Gardens",
    "Hotels",
    "Insurance",
    "Joinery",
    "Kitchens",
    "Logistics",
    "Mobility",
    "Nurseries",
    "Optics",
    "Pharmacy",
    "Quarries",
    "Robotics",
    "Sailing",
    "Theatre",
)
CITIES = (
    Address("Hafenstraße {}", None, "Hamburg", None, "20359", "DE"),
    Address("Lindenallee {}", None, "Köln", "Nordrhein-Westfalen", "50968", "DE"),
    Address("Rue du Tilleul {}", None, "Strasbourg", "Grand Est", "67000", "FR"),
    Address("Getreidegasse {}", "Stiege 2", "Salzburg", None, "5020", "AT"),
    Address("Nørregade {}", None, "København", None, "1165", "DK"),
)
PROJECT_NAMES = (
    "Website relaunch",
    "Mobile app",
    "Brand guidelines",
    "Annual report",
    "Recruiting campaign",
    "Design system",
    "Online booking",
    "Accessibility audit",
    "Product film",
    "Newsletter",
    "Trade fair stand",
    "Customer research",
)
COLORS = ("#d81b60", "#3949ab", "#00acc1", "#7cb342", "#f4511e", "#6d4c41", "#546e7a", "#8e24aa")

INTERNAL_TASKS = (
    "Quarterly numbers",
    "Renew software licences",
    "Order hardware for newcomers",
    "Update the employee handbook",
    "Backup restore drill",
    "Prepare the all-hands",
    "Reading group",
    "Conference report",
    "Online course on accessibility",
    "Plan the summer party",
    "Clean up the shared drive",
    "Review the insurance",
)
SUBTASKS = (
    "Collect open questions",
    "First draft",
    "Internal review",
    "Corrections after review",
    "Check on a phone",
    "Check with a screen reader",
    "Agree on wording with the client",
    "Write the tests",
    "Update the documentation",
)
TASK_NOTES = (
    "See the notes from the last call; the client wants to see two variants.",
    "Keep it small. What doesn't fit goes into a task of its own.",
    "Blocked until the contents arrive, then about two days.",
    "Acceptance: works with the keyboard alone, in the three latest browsers.",
    "Was promised for the end of the month.",
)


def name_pair(index: int, names: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The pair with an index: first the pairs of `names`, then mixed ones. With n names, n * n pairs are different."""
    round_number, position = divmod(index, len(names))
    return names[position][0], names[(position + round_number) % len(names)][1]


def to_ascii(name: str) -> str:
    """A name in lower case ASCII, for e-mail addresses."""
    letters = name.lower()
    for letter, spelling in ASCII_SPELLINGS.items():
        letters = letters.replace(letter, spelling)
    return unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode()
