"""Rules of the family `feedback`."""
