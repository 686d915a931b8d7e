"""Which verifiers guard which effect: what must not be open when something is pushed, merged, deployed, deleted."""

from __future__ import annotations

from collections.abc import Mapping

from transcript_lint.commandline import Kind

_CHECKS = frozenset((Kind.TEST, Kind.BUILD, Kind.LINT, Kind.TYPES, Kind.CHECK))
_REHEARSALS = frozenset((Kind.BACKUP, Kind.PLAN, Kind.CHECK, Kind.MIGRATE))

GUARDS: Mapping[str, frozenset[Kind]] = {
    "push": _CHECKS,
    "merge": _CHECKS,
    "publish": _CHECKS | {Kind.PLAN},
    "deploy": _CHECKS | {Kind.PLAN},
    "apply": _CHECKS | {Kind.PLAN},
    "migrate": _CHECKS | _REHEARSALS,
    "delete": _REHEARSALS,
    "send": frozenset((Kind.CHECK, Kind.PLAN)),
    "pay": frozenset((Kind.CHECK, Kind.PLAN)),
}
"""By effect: the kinds of verifier that must not be open when it is brought about."""


def guards(effect: str, configured: Mapping[str, tuple[str, ...]]) -> frozenset[Kind] | None:
    """The kinds that guard an effect: the configuration's if it names any, else ours; None for no known effect."""
    own = configured.get(effect)
    return frozenset(Kind(kind) for kind in own) if own else GUARDS.get(effect)
