"""What can be asked about timesheets."""


class TimesheetsQuery:
    pass
