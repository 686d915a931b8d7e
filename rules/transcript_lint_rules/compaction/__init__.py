"""Rules of the family `compaction`."""
