"""What is measured, a part a file; each can be run alone."""
