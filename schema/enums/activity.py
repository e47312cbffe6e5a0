"""Enumerations of application and URL usage, screenshots and suspicious activity."""

from db.tables.activity import Productivity, ScreenshotStatus, SuspicionSeverity, SuspicionStatus, SuspicionType
from schema.enums.declaration import enumeration

enumeration(
    Productivity,
    "Productivity rating of an application or website by the organization.",
    productive="Rated productive.",
    neutral="Rated neither productive nor unproductive.",
    unproductive="Rated unproductive.",
    unrated="Without a rating.",
)
enumeration(
    ScreenshotStatus,
    "Status of a screenshot; only `available` ones can be downloaded.",
    available="The image can be downloaded.",
    deleted="A person deleted the image.",
    expired="The image was dropped after the days of retention.",
    processing="The image is being uploaded or processed.",
)
enumeration(
    SuspicionSeverity,
    "Severity of a suspicious activity.",
    low="Low severity.",
    medium="Medium severity.",
    high="High severity.",
)
enumeration(
    SuspicionStatus,
    "Review status of a suspicious activity.",
    open="Not reviewed yet.",
    confirmed="The reviewer confirmed the suspicion.",
    dismissed="The reviewer dismissed the suspicion.",
)
enumeration(
    SuspicionType,
    "Type of a suspicious activity.",
    mouse_jiggler="Mouse movements that a device or program makes.",
    auto_clicker="Mouse clicks that a program makes.",
    key_repeat="One key held down or repeated by a program.",
    constant_activity="Input without the pauses that people make.",
    single_input_only="Input from the mouse alone or from the keyboard alone for a long time.",
    no_input_while_tracking="No input while a timer ran.",
    suspicious_app="An application that simulates activity.",
    remote_or_virtual_machine="Work on a remote or virtual machine.",
    clock_tampering="The clock of the device was changed.",
    duplicate_screenshot="Equal screenshots at different times.",
    location_mismatch="A location that does not fit the place of work.",
    other="Any other suspicious activity.",
)
