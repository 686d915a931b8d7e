"""One module a format: bytes of records in, events out. Readers know no rule."""
