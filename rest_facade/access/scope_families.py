"""The families of scopes by area; a scope is `<family>:read`. Without imports: the client of MCP has no SQL."""

FAMILIES_OF_AREAS = {
    "people": ("organization", "members", "teams"),
    "work": ("clients", "projects", "tasks"),
    "time": ("time", "attendance"),
    "activity": ("activity", "screenshots", "security"),
    "money": ("invoices", "payroll"),
    "leaves": ("leave",),
}

FAMILIES = frozenset(family for families in FAMILIES_OF_AREAS.values() for family in families)
