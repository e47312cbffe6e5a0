"""The tables of activity."""
