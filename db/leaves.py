"""The tables of leaves."""
