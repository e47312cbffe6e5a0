"""How leaves are found."""
