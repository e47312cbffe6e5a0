"""Small programs that serve the same page of projects, each in its own way."""
