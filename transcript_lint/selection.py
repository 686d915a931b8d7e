"""Which rules run: by id, name, family or prefix of an id; former ids lead to the rule that has taken their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from transcript_lint.rule import Rule


class UnknownSelectorError(Exception):
    """A selector that means no rule; says what may have been meant."""


class Selection(Struct, kw_only=True):
    """The rules that run, sorted by id, and notices about selectors that have another name now."""

    rules: list[type[Rule]]
    notices: list[str] = field(default_factory=list)


def select(
    rules: Sequence[type[Rule]],
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    extend: Sequence[str] = (),
    preview: bool = False,
) -> Selection:
    """All rules, or those that `select` means, and those of `extend`, without those of `ignore`.

    A rule in preview runs only with `preview`, or when it is selected by its own id or name.
    Raises UnknownSelectorError.
    """
    notices: list[str] = []
    chosen = set(meant(rules, select, notices)) if select else set(rules)
    chosen |= set(meant(rules, extend, notices))
    by_name = {s.lower() for s in (*select, *extend)}
    if not preview:
        chosen -= {r for r in chosen if r.preview and not by_name & {r.id.lower(), r.name.lower()}}
    chosen -= set(meant(rules, ignore, notices))
    return Selection(rules=[r for r in rules if r in chosen], notices=notices)


def meant(rules: Sequence[type[Rule]], selectors: Iterable[str], notices: list[str]) -> list[type[Rule]]:
    """Every rule that one of the selectors means; renamed ones are told in `notices`. Raises UnknownSelectorError."""
    found: list[type[Rule]] = []
    for selector in selectors:
        word = selector.strip().lower()
        hits = [r for r in rules if word in ("all", r.name.lower(), r.family.lower()) or _prefix(word, r.id)]
        if not hits and (hits := [r for r in rules if word in map(str.lower, r.former)]):
            notices.append(f"{selector} is now {hits[0].id} ({hits[0].name})")
        if not hits:
            raise UnknownSelectorError(f"no rule is meant by {selector!r}{suggestion(selector, _words(rules))}")
        found += hits
    return found


def one(rules: Sequence[type[Rule]], selector: str) -> type[Rule]:
    """The one rule with this id, name or former id. Raises UnknownSelectorError."""
    word = selector.strip().lower()
    for rule in rules:
        if word in (rule.id.lower(), rule.name.lower(), *map(str.lower, rule.former)):
            return rule
    raise UnknownSelectorError(f"there is no rule {selector!r}{suggestion(selector, _words(rules))}")


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?` when a known word is close, else nothing."""
    import difflib  # late: most audits need none of it

    folded = {k.lower(): k for k in known}
    close = difflib.get_close_matches(word.lower(), folded, n=1)
    return f"; did you mean {folded[close[0]]!r}?" if close else ""


def _prefix(word: str, id: str) -> bool:
    return len(word) > 1 and id.lower().startswith(word)


def _words(rules: Sequence[type[Rule]]) -> set[str]:
    return {w for r in rules for w in (r.id, r.name, r.family)}
