"""What can be asked about leaves."""


class LeavesQuery:
    pass
