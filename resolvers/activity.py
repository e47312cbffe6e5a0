"""How activity are found."""
