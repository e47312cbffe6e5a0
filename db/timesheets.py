"""The tables of timesheets."""
