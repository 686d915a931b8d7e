"""Rules of the family `termination`."""
