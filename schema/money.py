"""What can be asked about money."""


class MoneyQuery:
    pass
