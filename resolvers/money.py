"""How money are found."""
