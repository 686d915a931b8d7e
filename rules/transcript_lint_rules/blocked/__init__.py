"""Rules of the family `blocked`."""
