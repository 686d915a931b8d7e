"""Find regular expressions of ours that long texts can bring to a halt: `python -m tests.traps [CHARACTERS] [SECONDS]`.

Every pattern that is compiled while the package is imported and while it reads logs in nine languages is searched in
texts made from itself: for each repeat in it, what leads to it and then the repeated part over and over. Patterns that
need more than so many seconds are printed, one a line. Exit status 1 if there are any.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import regex

from transcript_lint import patterns

GENERIC = ("a", "0", " ", "a ", "-", ".", "/", '"', "(", "=", "A1", "\n", "_a", "测")
SPEECH = (
    "All tests pass now. The build succeeded and you approved the deploy. I could not go on: rate limit reached.",
    "所有测试都通过了。您已批准部署。无法继续：达到速率限制。",
    "すべてのテストが成功しました。ユーザーが承認しました。レート制限のため続行できません。",
    "모든 테스트가 통과했습니다. 사용자가 승인했습니다. 속도 제한 때문에 계속할 수 없습니다.",
    "Все тесты прошли. Пользователь одобрил. Не могу продолжить: превышен лимит.",
    "Alle Tests laufen durch. Sie haben zugestimmt. Ich kann nicht weitermachen, das Limit ist erreicht.",
    "Tous les tests passent. Vous avez approuvé. Impossible de continuer, la limite est atteinte.",
    "Todas las pruebas pasan. Usted aprobó. No puedo continuar, se alcanzó el límite.",
    "Todos os testes passaram. Você aprovou. Não posso continuar, o limite foi atingido.",
)
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
CATEGORIES = {op.CATEGORY_DIGIT: "0", op.CATEGORY_SPACE: " ", op.CATEGORY_NOT_WORD: " "}

Source = tuple[Any, str, int]
found: dict[Source, str] = {}


class TooSlowError(Exception):
    """The time is up."""


def record() -> None:
    """From here on, note every pattern that our code compiles."""
    for module in (re, regex, patterns):
        _watch(module)


def _watch(module: Any) -> None:
    real = module.compile
    engine = regex if module is regex else re

    def compile(pattern: Any, flags: Any = 0, *rest: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        file = frame.f_code.co_filename
        if isinstance(pattern, str) and "transcript_lint" in file and not file.endswith("patterns.py"):
            found.setdefault((engine, pattern, int(flags)), f"{file.rpartition('transcript_lint')[2]}:{frame.f_lineno}")
        return real(pattern, flags, *rest, **named)

    module.compile = compile


def load() -> None:
    """Import every module and hear every language, so that what is compiled late is compiled too."""
    import transcript_lint
    import transcript_lint_rules

    for package in (transcript_lint, transcript_lint_rules):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    import io

    from transcript_lint import registry, samples, sources
    from transcript_lint.engine import Engine
    from transcript_lint.readers.native import NativeReader

    records = [
        samples.session(),
        samples.command("pytest -q", "1 failed", exit=1),
        samples.asks("s", question="Deploy?"),
    ]
    for text in SPEECH:
        records += [samples.says(text), samples.human(text), samples.compaction(text)]
    engine = Engine(registry.rules())
    engine.feed(NativeReader("a").events(sources.records(io.BytesIO(samples.write(records)))))
    engine.finish()


def texts(pattern: str, flags: int) -> set[tuple[str, str]]:
    """What may trap it: (a beginning, what is repeated behind it)."""
    traps = {("", pump) for pump in GENERIC}
    try:
        tree = parser.parse(pattern, flags & re.IGNORECASE)
    except (re.error, ValueError):
        return traps
    for before, pump in _pumps(tree, ""):
        traps |= {(before, pump), ("", pump), ("", before + pump)}
    whole = _sample(tree)
    return traps | {("", whole[:60]), ("", whole[:-1])}


def _pumps(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    for kind, value in tree:
        if kind in REPEATS:
            yield before, _sample(value[2])
            yield from _pumps(value[2], before)
        elif kind is op.SUBPATTERN:
            yield from _pumps(value[3], before)
        elif kind is op.ATOMIC_GROUP:
            yield from _pumps(value, before)
        elif kind is op.BRANCH:
            for branch in value[1]:
                yield from _pumps(branch, before)
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            yield from _pumps(value[1], before)
        before += _sample([(kind, value)])


def _sample(tree: Any) -> str:
    """A short text that the tree matches, near enough."""
    out = ""
    for kind, value in tree:
        if kind is op.LITERAL:
            out += chr(value)
        elif kind in (op.NOT_LITERAL, op.ANY):
            out += "a"
        elif kind is op.IN:
            out += _member(value)
        elif kind is op.BRANCH:
            out += min((_sample(branch) for branch in value[1]), key=lambda s: (not s, len(s)))
        elif kind is op.SUBPATTERN:
            out += _sample(value[3])
        elif kind is op.ATOMIC_GROUP:
            out += _sample(value)
        elif kind in REPEATS and value[0]:
            out += _sample(value[2]) * min(value[0], 40)
    return out


def _member(items: Any) -> str:
    named = set()
    for kind, value in items:
        if kind is op.LITERAL:
            named.add(chr(value))
        elif kind is op.RANGE:
            named.add(chr(value[0]))
        elif kind is op.CATEGORY:
            named.add(CATEGORIES.get(value, "a"))
    if items and items[0][0] is op.NEGATE:
        return next(c for c in 'a 0-.\n"x/q' if c not in named)
    return min(named, key=lambda c: (c != "a", c != " ", c), default="a")


def slow(size: int, limit: float) -> Iterator[str]:
    """Each pattern that takes longer than `limit` seconds on a text of `size` characters, with the text's making."""

    def alarm(*_: Any) -> None:
        raise TooSlowError

    signal.signal(signal.SIGALRM, alarm)
    for (engine, source, flags), place in list(found.items()):
        pattern = engine.compile(source, flags)
        for before, pump in texts(source, flags):
            if not pump:
                continue
            text = before + pump * (size // len(pump) + 1) + "\0"
            began = time.process_time()
            signal.setitimer(signal.ITIMER_REAL, limit * 8)
            try:
                for number, _ in enumerate(pattern.finditer(text)):
                    if number > 50:
                        break
            except TooSlowError:
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            if time.process_time() - began > limit:
                yield f"{place} {before[:40]!r} {pump[:40]!r}: {source[:160]!r}"
                break


def main() -> int:
    """The command line."""
    warnings.simplefilter("ignore", FutureWarning)
    record()
    load()
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 0.3
    lines = list(slow(size, limit))
    for line in lines:
        print(line)
    print(f"{len(found)} patterns, {len(lines)} slow on {size} characters", file=sys.stderr)
    return 1 if lines or len(found) < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
