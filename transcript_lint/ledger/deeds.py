"""The same deed by other means: a deletion by another program, a merge through the API, a payment by a tool."""

from __future__ import annotations

from transcript_lint import patterns as re
from transcript_lint.claims.concepts import AT_HOME, concepts, named_by, tokens_of
from transcript_lint.commandline import INERT, Kind, Part, parse
from transcript_lint.events import Step
from transcript_lint.ledger.acts import HARMLESS, Act, is_dry

_NOT_DEEDS = AT_HOME | {"crawl"}
_VERBS_OF = {
    "git": 1,
    "npm": 1,
    "pnpm": 1,
    "yarn": 1,
    "cargo": 1,
    "docker": 1,
    "helm": 1,
    "terraform": 1,
    "systemctl": 1,
}
"""How many words after the program name say what it does; two where it is not listed and they look like words."""
_THING = re.compile(r"[^\W_](?:[\w.@/~-]{0,200}[\w])?")
_SCHEME = re.compile(r"\b[a-z][a-z0-9+]{1,9}://", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[a-z][a-z-]{1,20}")
_CODE = re.compile(r"`([^`\n]{2,400})`")
_EMPTY_THINGS = frozenset(
    [
        "origin",
        "force",
        "true",
        "false",
        "yes",
        "null",
        "none",
        "all",
        "now",
        "http",
        "https",
        "com",
        "org",
        "net",
        "api",
        "v1",
        "v2",
        "v3",
        "the",
        "and",
        "this",
        "that",
        "for",
        "with",
        "from",
        "into",
    ]
)
_WHOLE = 4000


def same_deed(act: Act, denied: Act) -> bool:
    """Whether an act does what a denied one would have done, to the same things, by whatever program or tool.

    Every numbered thing of the denied act must be named again, and at least half of the others.
    """
    if act.idle or not deeds_of(denied) & _all_deeds(act):
        return False
    things = _things(denied)
    if not things:
        return False
    body = _body(act).casefold()
    found = {thing for thing in things if _holds(body, thing)}
    numbered = {thing for thing in things if any(c.isdigit() for c in thing)}
    return bool(found) and numbered <= found and 2 * len(found) >= len(things)


def act_in(question: str, step: Step) -> Act | None:
    """The act whose command line a question shows, None where it shows none that is known."""
    shown = _CODE.search(question)
    line = parse(shown[1] if shown else question[:500].rstrip(" ?？"))
    if not any(part.effect is not None or (shown and part.kind is not Kind.OTHER) for part in line.parts):
        return None
    return Act(call_id="", tool="", step=step, line=line)


def deeds_of(act: Act) -> frozenset[str]:
    """The concepts an act carries out by its effects, or else by its program and subcommand, or its tool's name."""
    if act.line is None:
        return named_by(tokens_of(act.tool)) - _NOT_DEEDS
    found: set[str] = set()
    for part in _acting(act):
        found |= {c.name for c in concepts() if part.effect in c.effects} if part.effect else named_by(_said_by(part))
    return frozenset(found) - _NOT_DEEDS


def _all_deeds(act: Act) -> frozenset[str]:
    return deeds_of(act) | named_by(tokens_of(_body(act)))


def _acting(act: Act) -> list[Part]:
    parts = act.line.parts if act.line else ()
    return [
        p for p in parts if p.kind not in HARMLESS and p.kind not in INERT and not p.draft and not is_dry(_shown(p))
    ]


def _shown(part: Part) -> str:
    return part.text or " ".join(part.words)


def _said_by(part: Part) -> frozenset[str]:
    """The words of a command that say what it does: its program and what follows up to the first thing."""
    words = [w for w in part.words[1:] if not w.startswith("-")]
    leading = words[: _VERBS_OF.get(part.words[0], 2)]
    return tokens_of(" ".join([part.words[0], *(w for w in leading if _PLAIN_WORD.fullmatch(w))]))


def _body(act: Act) -> str:
    """What an act says of what it does: its acting commands with the program text they are fed, or tool and values."""
    if act.line is None:
        return f"{act.tool} {act.arguments}"[:_WHOLE]
    acting = _acting(act)
    fed = act.line.text.partition("<<")[2] if acting else ""
    return " ".join([*map(_shown, acting), fed])[:_WHOLE]


def _things(act: Act) -> frozenset[str]:
    """What a denied act was about: names, numbers and paths among its arguments, without options and verbs."""
    if act.line is None:
        said = [w for w in act.arguments.split() if any(c.isdigit() or c in "-_./@" for c in w)]
    else:
        said = []
        for part in _acting(act):
            words = [w for w in part.words[1:] if not w.startswith("-") or "=" in w]
            verbs = _VERBS_OF.get(part.words[0], 2)
            said += [
                w for n, w in enumerate(words) if n >= verbs or not _PLAIN_WORD.fullmatch(w) or (n and len(words) <= 2)
            ]
    found = _THING.findall(_SCHEME.sub(" ", " ".join(said)))
    return frozenset(
        thing.strip("/.").casefold()
        for thing in found
        if (len(thing) > 1 or thing.isdigit()) and thing.casefold() not in _EMPTY_THINGS
    )


def _holds(body: str, thing: str) -> bool:
    place = body.find(thing)
    while place >= 0:
        before, after = body[place - 1 : place], body[place + len(thing) : place + len(thing) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        place = body.find(thing, place + 1)
    return False
