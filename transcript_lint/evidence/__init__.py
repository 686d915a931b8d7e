"""What a claim rests on: the one place that joins claims to runs and grades them.

`weigh` finds the commands that a claim speaks of (`candidates`, by the `words` they share) and grades it (`grading`).
Beside it stand the joins of other sorts of claims: figures of a run that was cut (`partial`), stored results
(`stored`), a sub-agent's report (`delegation`), what a compaction retells (`retelling`, `carried`), tasks (`tasks`).
"""

from transcript_lint.evidence.grading import grade, weigh
from transcript_lint.evidence.model import Evidence, Fault, Grade
from transcript_lint.evidence.words import calls

__all__ = ["Evidence", "Fault", "Grade", "calls", "grade", "weigh"]
