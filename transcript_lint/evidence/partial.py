"""Figures that stand only in the output of a run that was cut, and are stated as results all the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import groupby, islice

from msgspec import Struct

from transcript_lint import claims as language
from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims.lexicon import lexicon, spoken
from transcript_lint.claims.prose import Sentence, sentences
from transcript_lint.commandline import INERT, VERIFYING, Kind
from transcript_lint.events import AgentText
from transcript_lint.evidence import weigh
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.output import graded, stems, value_hash
from transcript_lint.ledger.runs import Run

MAX_RUNS = 20
KILL_CODES = frozenset({124, 130, 137, 139, 143})

FIGURE = re.compile(
    r"(?<![\w.#:@/\-])(?:\d{1,3}(?:[ ,.'_\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
    r"(?=(?:[num]?s|m|h|x|[kKMGT]i?B?)?(?!\w|[.,]\d|/\d))|(?<!\w)[0-9a-f]{7,40}(?!\w)",
    re.A,
)
_UNIT = re.compile(r"[ \u00a0\u202f-]?(%|[^\W\d_]{1,14}(?: cent)?)")
_UNITS = {
    "%": re.compile(r"per ?cent|percent|prozent|pour cent|por ?cent|por ciento|процент\w*|パーセント|퍼센트|％", re.I),
    "ms": re.compile(r"milli\w*|мс|миллисекунд\w*|毫秒|ミリ秒|밀리초", re.I),
    "s": re.compile(r"sec(?:ond)?s?|sek(?:unden?)?|secondes?|segundos?|сек\w*|с|秒|초", re.I),
    "GB": re.compile(r"gigabytes?|go|гб", re.I),
    "MB": re.compile(r"megabytes?|mo|мб", re.I),
}
_LABELLED = re.compile(r"(?:[\w@ -]{1,40}[:=] ?)?[\d.,]{1,20} ?[\w%]{0,8}")
_MEASURE = re.compile(
    r"\b(?:fail(?:ure|ed)?|error) (?:rate|ratio|count|budget)s?\b"
    r"|\b(?:failed|failing|errored) (?:requests?|calls?|responses?|queries|transactions|iterations|messages)\b",
    re.I,
)
_POSITION = re.compile(
    r"(?:\b(?:lines?|port|pid|process|version|step|pr|issue|ticket|http|status|zeile|ligne|línea|linha)|строк\w*|行|第)\W{0,3}$"
    r"|\b(?:steps?|epochs?|rounds?|iterations?|batch(?:es)?|chunks?|pages?|shards?|chapters?|schritt|époque|étape|paso|época|etapa|passo"
    r"|шаг\w*|эпох\w*)\W{0,3}(?:\d[\d.,]{0,12} ?(?:of|out of|/|von|sur|de|из) ?)?$|第 ?$",
    re.I,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_ROUND = frozenset(["1024", "2048", "4096", "8192", "404", "443", "8080", "5432", "6379", "127"])
_WHOLE = re.compile(r"[1-9]\d?0{2,}")


class Restated(Struct, frozen=True):
    """The first sentence that states such figures, the figures as written, and the run they come from."""

    sentence: str
    figures: tuple[str, ...]
    run: Run


def restated(event: AgentText, ledger: Ledger) -> Iterator[Restated]:
    """Where a text states figures of a cut run without a caveat; at most one place a run."""
    if not any(c.isdigit() for c in event.text):
        return
    # What was told before a compaction is the summary's to answer for.
    here = ledger.session.boundaries
    latest = islice(ledger.runs.open_failures(), MAX_RUNS)
    runs = [run for run in latest if run.boundary == here and _was_cut(run) and run.values]
    if not runs:
        return
    paragraphs = [list(group) for _, group in groupby(_stated(event.text), key=_unit)]
    taken: set[str] | None = None
    for run in runs:
        for paragraph in paragraphs:
            found = _figures(paragraph, run, ledger)
            if not found:
                continue
            taken = _reported(event, ledger) if taken is None else taken
            first = next(s for s in paragraph if any(figure in s.raw for figure in found))
            if first.raw not in taken:
                yield Restated(first.raw, found, run)
                break


def _was_cut(run: Run) -> bool:
    """Whether a run never came to its own end, and had not printed its final result before.

    A check that fails by itself has said all it has to say. A job that breaks off with an error has not.
    """
    end = run.termination
    if end is None or not run.shell or run.stopped_on_purpose or any(s.closed for s in run.stages if s.must_rerun):
        return False
    if end.killed or end.exit_code in KILL_CODES:
        return True
    failed = [stage.part.kind for stage in run.stages if stage.must_rerun]
    return (
        bool(failed)
        and not VERIFYING.intersection(failed)
        and not INERT.intersection(failed)
        and Kind.OTHER not in failed
    )


def _stated(text: str) -> Iterator[Sentence]:
    """The sentences of a text without a caveat; none if it says anywhere that a run was cut."""
    languages = [lexicon(lang) for lang in spoken(text)]
    said = [s for s in sentences(text) if s.kind != "heading"]
    if any(_words("cut").holds(s.text) for s in said):
        return
    admitting = {_unit(s) for s in said if any(lex.admit.holds(_about_runs(s.text)) for lex in languages)}
    for sentence in said:
        if _unit(sentence) in admitting or _words("open").holds(sentence.text):
            continue
        if not sentence.text.rstrip().endswith(("?", "？")):
            yield sentence


def _unit(sentence: Sentence) -> tuple[int, int]:
    """What a caveat speaks for: a paragraph, a table, or one item of a list."""
    return sentence.paragraph, sentence.start if sentence.kind == "item" else 0


def _about_runs(text: str) -> str:
    """A text without the names of measures that sound like failures, and without what is merely still to come."""
    return _words("open").sub(" ", _MEASURE.sub(" ", text))


def _figures(paragraph: list[Sentence], run: Run, ledger: Ledger) -> tuple[str, ...]:
    """The figures of a paragraph that only this run showed, if they are enough not to be met by chance."""
    own = {m[0] for m in FIGURE.finditer(run.line.text)}
    named = run.labels | stems(run.line.text)
    strong: dict[str, None] = {}
    weak: dict[str, None] = {}
    shared: set[int] = set()
    beside = False
    for sentence in paragraph:
        text = " ".join((sentence.text, *(code for code in sentence.codes if _LABELLED.fullmatch(code))))
        for match in FIGURE.finditer(text):
            if match[0] in own or _POSITION.search(text[: match.start()]):
                continue
            written = forms(match[0])
            if any(value_hash(f) in run.values for f in written) and not any(map(ledger.runs.known_elsewhere, written)):
                telling = telling_figure(match[0]) or _measured(text[match.start() :], match[0], run)
                (strong if telling else weak)[match[0]] = None
                words = " ".join((sentence.text, *sentence.codes))
                shared |= (stems(words) | graded(words)) & named
                near = text[max(0, match.start() - 16) : match.end() + 16]
                beside = beside or (not telling and len(match[0]) > 2 and bool(stems(near) & run.labels))
    seen = (*strong, *(figure for figure in weak if len(figure) > 2))
    if (strong and shared) or beside or (len(seen) > 1 and (strong or shared)):
        return tuple(dict.fromkeys((*seen, *weak)))
    return ()


def _measured(text: str, figure: str, run: Run) -> bool:
    """Whether a figure stands with the same unit in an output as at the start of this text."""
    if sum(c.isdigit() for c in figure) < 2 or (unit := _UNIT.match(text[len(figure) :])) is None:
        return False
    symbol = next((short for short, name in _UNITS.items() if name.fullmatch(unit[1])), unit[1])
    return any(value_hash(form + symbol) in run.labels for form in forms(figure))


def forms(figure: str) -> tuple[str, ...]:
    """A figure as the outputs of programs may write it: without group signs, with a decimal point."""
    bare = re.sub(r"[ _'\u00a0\u202f]", "", figure)
    found = [bare.replace(",", "")]
    if bare.count(".") and not bare.count(","):
        found += [bare, bare.replace(".", "")]
    if bare.count(","):
        found.append(bare.replace(".", "").replace(",", "."))
    return tuple(dict.fromkeys(found))


def telling_figure(figure: str) -> bool:
    """Whether a figure is not met by chance: a decimal of three digits, or four and no year or usual size."""
    digits = sum(c.isdigit() for c in figure)
    bare = re.sub(r"\D", "", figure)
    if not figure.isdigit():
        return digits > 2
    return digits > 3 and bare not in _ROUND and not (_YEAR.fullmatch(bare) or _WHOLE.fullmatch(bare))


def _reported(event: AgentText, ledger: Ledger) -> set[str]:
    """The sentences that are false claims already."""
    found = language.extract(event, ledger.settings)
    return {claim.text for claim in found if claim.strength == "strong" and weigh(claim, ledger).fault is not None}


@cache
def _words(name: str) -> re.AnyOf:
    data = tables.lexicon("partial.toml")
    return re.any_of(data[name], re.I)
