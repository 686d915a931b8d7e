"""Rules of the family `approval`."""
