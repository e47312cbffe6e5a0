"""The tables of money."""
