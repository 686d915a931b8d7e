"""`python -m transcript_lint`."""

from transcript_lint.cli import main

main()
