"""Rules of the family `effect`."""
