"""What can be asked about activity."""


class ActivityQuery:
    pass
