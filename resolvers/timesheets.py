"""How timesheets are found."""
