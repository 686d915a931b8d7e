"""TL001."""

from transcript_lint.events import RecordProblem
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, human, says, write

_WHOLE = write([command("make")]).strip()


class UnreadableRecord(Rule):
    """A record of the log cannot be read as it stands.

    What it does
    ------------
    Reports records that are torn, that are not JSON, that are not of their format's shape, or that share a line with
    another record, with the byte offset and what was recovered.

    Why it matters
    --------------
    Whatever the record held is missing from every other check: a lost exit code looks exactly like a run that has not
    ended. A log that cannot be read is not a clean log.

    What clears it
    --------------
    It is only a note where nothing was lost: both records of the line were read, or the last record of a log that is
    still being written is not finished yet. Blank lines, a byte order mark and a missing last newline are no problem.

    References
    ----------
    Session writers that were killed in the middle of a line, and writers that leave out the newline between two
    records, are both common in published logs.
    """

    id = "TL001"
    name = "unreadable-record"
    family = "record"
    level = Level.WARNING
    needs = ()
    examples = (
        Example(
            "a record is torn in the middle of the log",
            (human("hi"), b'{"v":1,"event":"mess', says("ok")),
            (2,),
        ),
        Example(
            "two records on one line, both read",
            (human("hi"), _WHOLE + _WHOLE, says("ok")),
            (2,),
            level="note",
        ),
        Example("innocent: a blank line", (human("hi"), b"", says("ok"))),
    )

    def on_record_problem(self, event: RecordProblem, ledger: Ledger) -> Outcomes:
        level = Level.WARNING if event.lost else Level.NOTE
        yield self.finding(event.message, at=event, level=level, about=event.problem)
