"""Enumerations of the organization, its members and teams."""

from db.tables.people import EmploymentType, MemberRole, MemberStatus, OrganizationStatus, TeamRole, Weekday
from schema.enums.declaration import enumeration

enumeration(
    EmploymentType,
    "Type of employment.",
    employee="Employee of the organization.",
    contractor="Contractor who invoices the organization.",
    intern="Intern or trainee.",
    other="Any other type of employment.",
)
enumeration(
    MemberRole,
    "Role of a member in the organization.",
    owner="Owns the organization's account.",
    admin="Administers the organization.",
    manager="Manages other members.",
    member="Tracks time, and has no rights over other members.",
    viewer="Reads data, and changes none.",
)
enumeration(
    MemberStatus,
    "Status of a membership; `active` is a current one.",
    active="Current member.",
    invited="Invited; has not joined yet.",
    suspended="Suspended for a time; still a member.",
    removed="Removed; a past member.",
)
enumeration(
    OrganizationStatus,
    "Status of an organization.",
    active="The service answers requests for the organization.",
    suspended="Suspended by the operator; keys of the organization are refused.",
)
enumeration(
    TeamRole,
    "Role of a member in a team.",
    lead="Leads the team.",
    member="Member of the team who does not lead it.",
)
enumeration(
    Weekday,
    "A day of the week.",
    monday="Monday.",
    tuesday="Tuesday.",
    wednesday="Wednesday.",
    thursday="Thursday.",
    friday="Friday.",
    saturday="Saturday.",
    sunday="Sunday.",
)
