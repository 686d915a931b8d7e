"""From an agent's prose to its claims of success: one extractor for all languages, the words are data."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from transcript_lint import patterns as re
from transcript_lint.claims.around import Around, owns_up
from transcript_lint.claims.lexicon import SPACELESS, Lexicon, lexicon, spoken
from transcript_lint.claims.model import Claim, Subject
from transcript_lint.claims.prose import CODE, Sentence, sentences, unblank
from transcript_lint.claims.subjects import code_subject, joined_by_and, subjects_in, with_verbs
from transcript_lint.commandline import OwnCommands
from transcript_lint.events import AgentText
from transcript_lint.settings import Settings, any_phrase

MAX_CLAIMS = 200
"""Claims of one message that are looked at."""

REACH = 400
"""Characters of a sentence within which a word still bears on another; keeps long lines linear."""

_COUNT = re.compile(
    r"(?<![\d./-])(\d{1,7})\s*(?:/|of (?:the |all |its )?|out of (?:the )?|von|der|sur|de (?:las |los |os |as )?|из|중"
    r"|のうち|中的)\s*(\d{1,7})(?![\d/])"
)
_WHOLE_FIRST = (
    re.compile(r"(\d{1,7})\s*(?:个|项|条|件|例|건|개)[^，。、]{0,14}?(?:里|中|内|のうち|중)[^，。、]{0,10}?(\d{1,7})"),
    re.compile(
        r"\b(?:of|von|sur|de|из) (?:the |all |den )?(\d{1,7}) [^\W\d]+,? (?:[^\W\d]+ )?(\d{1,7}) (?:[^\W\d]+ )?"
        r"(?:pass|green|best|grün|réuss|pas[ao]|прош)",
        re.I,
    ),
)
_PASSED = re.compile(r"(?<![\d./-])(\d{1,7})\s+(?:\w+\s+)?(?:tests?\s+)?pass(?:ed|ing|es)?\b")
_BEFORE_TESTS = re.compile(r"(?<![\w.,/-])(\d{1,6})\s*(?:(?:个|项|条|件の?|개의?)\s*|(?:[^\W\d]+[ -])?)$")
_AFTER_TESTS = re.compile(r"[は가은는이]?\s*(\d{1,6})\s*(?:件|个|개|건|例|項目|項)")
_NO_TEST = re.compile(
    r"[- ]?(?:files?|suites?|groups?|modules?|datei|fichier|archivo|arquivo|файл|文件|ファイル|파일)", re.I
)
_FULL_STOPS = " .!。！"
_NUMBER = re.compile(r"(?<![\w.])\d[\d,_]*(?:\.\d+)?(?![\w])")
_WORD = re.compile(r"[a-z][a-z0-9]{2,}")
_ERROR_NAME = re.compile(r"^\w{3,}(?:Error|Exception)\b")
_HANDS_OVER = re.compile(rf"\bpass(?:es|ed|ing)?\s+{CODE}", re.I)
"""`pass CODE` hands a value over, unless CODE is a command that checks."""
_ALSO_FAILED = re.compile(r"\b[1-9]\d*\s+(?:tests?\s+)?(?:failed|failing|failures?|errors?)\b", re.I)


def extract(event: AgentText, settings: Settings) -> Iterator[Claim]:
    """The claims of one text of the agent, in order. Checklists are states, not prose: they claim nothing here."""
    if event.where == "task_state":
        return iter(())
    return extract_text(event.text, event, settings)


def extract_text(text: str, event: AgentText, settings: Settings) -> Iterator[Claim]:
    """The claims of any prose (a summary, a note) as if `event` had said it."""
    languages = [lexicon(lang) for lang in spoken(text)]
    extra = any_phrase(settings.claim_phrases)
    claiming = [lex for lex in languages if lex.trigger.may_hold(text)]
    if not claiming and not (extra and extra.search(text)):
        return
    said = [cell for sentence in sentences(text) if sentence.kind != "heading" for cell in _cells(sentence)]
    around: Around | None = None
    count = 0
    for number, sentence in enumerate(said):
        claim = next(filter(None, (_claim(lex, sentence, event, settings.own) for lex in claiming)), None)
        if claim is not None and claim.subject is Subject.WORK and claim.strength != "loose" and number:
            claim = _with_subject(claim, said[number - 1], sentence, settings.own)
        if claim is None and extra and extra.search(sentence.text):
            claim = Claim(text=sentence.raw, subjects=(Subject.WORK,), at=event.at, event=event)
        if claim is None:
            continue
        # Most texts claim nothing, so what stands around a claim is read at the first one.
        around = around or Around(said, languages, settings.own)
        yield around.qualified(claim, number)
        count += 1
        if count >= MAX_CLAIMS:
            return


def _with_subject(claim: Claim, before: Sentence, sentence: Sentence, own: OwnCommands) -> Claim:
    """A claim that names nothing speaks of what the sentence before it named: "I ran the e2e suite. All 34 green."."""
    if before.paragraph != sentence.paragraph or before.kind != sentence.kind:
        return claim
    lex = lexicon(claim.lang)
    subjects = subjects_in(lex, before.text, len(before.text), before.codes, own)
    # A count ("all 34") is of something; a bare "Done." is of nothing in particular.
    counted = bool(claim.numbers) or claim.scope == "all"
    return replace(claim, subjects=subjects, strength="strong") if subjects and counted else claim


def _cells(sentence: Sentence) -> Iterator[Sentence]:
    """A table row is as many sentences as it has cells; its first cell names what the others speak of."""
    if sentence.kind != "table":
        yield sentence
        return
    codes = list(sentence.codes)
    name = ""
    name_codes: tuple[str, ...] = ()
    for cell in sentence.text.strip("|").split("|"):
        body = cell.strip()
        used = tuple(codes[: body.count(CODE)])
        del codes[: body.count(CODE)]
        if not body or set(body) <= set("-: "):
            continue
        text = f"{name}: {body}" if name else body
        yield Sentence(
            text=text,
            raw=unblank(text, (*name_codes, *used), ()),
            kind="table",
            paragraph=sentence.paragraph,
            start=sentence.start,
            codes=(*name_codes, *used),
        )
        if not name:
            name, name_codes = body, used


def _claim(lex: Lexicon, sentence: Sentence, event: AgentText, own: OwnCommands) -> Claim | None:
    """The claim a sentence makes in one language, if any clause of it asserts a success as fact."""
    text = sentence.text.rstrip(_FULL_STOPS)
    if not lex.trigger.holds(text):
        return None
    attributed = next(lex.attribution.holding(text), None)
    if attributed == "person" or lex.sentence.holds(text):
        return None
    partial, passed, total = _counts(text)
    if partial:
        return None
    conditional = False
    best: Claim | None = None
    others: list[Subject] = []
    elsewhere: set[int] = set()
    rank = (True, True)
    joined = False
    start = 0
    cuts = [m.span() for m in lex.splitter.finditer(text)] + [(len(text), len(text))]
    for end, resume in cuts:
        clause = text[start:end]
        before, start_of_clause, start = text[max(0, start - REACH) : start], start, resume
        if not clause.strip():
            continue
        condition = lex.condition.search(clause)
        if condition and not clause[: condition.start()].strip(" ,(") and lex.lang not in SPACELESS:
            conditional = True
        if conditional or (condition and lex.lang in SPACELESS):
            conditional = conditional and text[end:resume].strip() != ";"
            continue
        if joined and lex.carry.search(text, max(0, start_of_clause - REACH), start_of_clause):
            joined = _goes_on(text, end, resume)
            continue
        joined = _goes_on(text, end, resume)
        earlier = text.count(CODE, 0, start_of_clause)
        codes = sentence.codes[earlier : earlier + clause.count(CODE)]
        match = _asserted(lex, clause, codes, own) or _linked(lex, clause, text[resume : resume + REACH])
        loose = match is None
        if match is None and (match := _well_spoken(lex, clause)) is None:
            continue
        subjects = subjects_in(lex, clause, match.start(), codes, own)
        subjects = with_verbs(lex, clause, match, subjects)
        subjects = subjects or subjects_in(lex, before, len(before), sentence.codes[:earlier], own)
        weak = not subjects and not lex.strong.holds(clause)
        if not subjects and passed is not None and not loose:
            if not lex.success.holds(clause):
                continue  # "depth 1/1" counts something, but nothing that passes
            subjects = (Subject.TESTS,)
        if best is not None and best.strength == "strong":
            if not (weak or loose):
                others.append(subjects[0])
                elsewhere.update(range(earlier, earlier + len(codes)))
            continue
        if best is not None and (weak, loose) >= rank:
            continue
        rank = (weak, loose)
        best = Claim(
            text=sentence.raw,
            subjects=subjects or (Subject.WORK,),
            beside=joined_by_and(lex, clause, subjects[0]) if len(subjects) > 1 else (),
            at=event.at,
            event=event,
            strength="loose" if loose else "weak" if weak else "strong",
            lang=lex.lang,
            codes=codes,
            words=frozenset(_WORD.findall(" ".join((text, *sentence.codes)).lower())),
            concepts=lex.concepts_in(text),
            numbers=tuple(m[0].replace(",", "").replace("_", "") for m in _NUMBER.finditer(text)),
            passed=passed if passed is not None else _of_tests(lex, clause),
            total=total,
            scope="all" if lex.all_of.holds(clause) else "some" if lex.some_of.holds(clause) else "",
            attributed=attributed,
            admits=owns_up(lex, text) or any(map(_ERROR_NAME.search, sentence.codes)),
        )
    if best is None:
        return None
    # A command that is named beside the claim is its own, unless another clause claims something of it.
    named = best.codes or tuple(code for n, code in enumerate(sentence.codes) if n not in elsewhere)
    beside = tuple(dict.fromkeys(s for s in (*best.beside, *others) if s is not best.subject))
    return replace(best, codes=named, beside=beside)


_AND = frozenset({"and", "und", "y", "e"})


def _goes_on(text: str, end: int, resume: int) -> bool:
    """Whether the next clause goes on with the wish or plan of this one: "I will fix it and …", "…, so it passes"."""
    return text[end:resume].strip().lower() in _AND or text.startswith("so ", resume)


def _well_spoken(lex: Lexicon, clause: str) -> re.Match[str] | None:
    """Words by which a clause speaks well of something without claiming a result outright."""
    if lex.anywhere.holds(clause):
        return None
    for match in lex.loose.finditer(clause):
        if not _hedged(lex, clause, match.start()) and not _revoked(lex, clause, match):
            return match
    return None


def _asserted(lex: Lexicon, clause: str, codes: tuple[str, ...], own: OwnCommands) -> re.Match[str] | None:
    """The predicate by which a clause asserts success, or None when it is denied, hedged, wished or asked."""
    handed = _HANDS_OVER.search(clause) if CODE in clause else None
    if handed and code_subject(codes[clause.count(CODE, 0, handed.end()) - 1], own) is None:
        return None
    absent = lex.absence.search(clause)
    # "no errors were found" holds its own negation, which denies nothing.
    bare = lex.absence.sub(lambda m: " " * len(m[0]), clause) if absent else clause
    if lex.anywhere.holds(bare):
        return None
    if absent and not _hedged(lex, bare, absent.start()) and not _revoked(lex, clause, absent):
        return absent
    for pattern in (lex.success, lex.strong, lex.weak):
        for match in pattern.finditer(clause):
            # "all tests will pass" is one match with its hedge inside; "9 passed, 0 failed" denies nothing.
            hedged = " " in match[0] and not any(map(str.isdigit, match[0])) and lex.before.search(match[0])
            if not hedged and not _hedged(lex, bare, match.start()) and not _revoked(lex, clause, match):
                return match
    for _, pattern in lex.verbs.possible(clause):
        for match in pattern.finditer(clause):
            # The auxiliary belongs to the match, so a hedge may stand inside it: "is ready to be deployed".
            if not _hedged(lex, clause, match.end()) and not _revoked(lex, clause, match):
                return match
    return None


def _linked(lex: Lexicon, clause: str, rest: str) -> re.Match[str] | None:
    """A predicate in a joining form at the end of a clause: it is as true and as past as the end of the sentence."""
    match = lex.linked.search(clause)
    if match is None or lex.anywhere.holds(clause) or lex.anywhere.holds(rest) or lex.condition.search(rest):
        return None
    return match if lex.closing.holds(rest) else None


def _hedged(lex: Lexicon, clause: str, end: int) -> bool:
    return lex.before.search(clause, max(0, end - REACH), end) is not None


def _revoked(lex: Lexicon, clause: str, match: re.Match[str]) -> bool:
    return lex.after.holds(clause[match.end() : match.end() + 40])


def _of_tests(lex: Lexicon, clause: str) -> int | None:
    """The number that a clause gives its tests: "148 unit tests", "148 个测试", "テスト 148 件"."""
    pattern = next((pattern for subject, pattern in lex.subjects.possible(clause) if subject is Subject.TESTS), None)
    for match in pattern.finditer(clause) if pattern is not None else ():
        if _NO_TEST.match(clause, match.end()):
            continue
        number = _BEFORE_TESTS.search(clause, max(0, match.start() - 40), match.start())
        number = number or _AFTER_TESTS.match(clause, match.end())
        if number is not None:
            return int(number[1])
    return None


def _counts(text: str) -> tuple[bool, int | None, int | None]:
    """(counts fewer than all, number said to have passed, number in all)."""
    for match in _COUNT.finditer(text):
        part, whole = int(match[1]), int(match[2])
        if part < whole:
            return True, part, whole
        if part == whole:
            return False, part, whole
    for pattern in _WHOLE_FIRST:
        if (reversed_ := pattern.search(text)) and int(reversed_[2]) < int(reversed_[1]):
            return True, int(reversed_[2]), int(reversed_[1])
    if match_passed := _PASSED.search(text):
        return bool(_ALSO_FAILED.search(text)), int(match_passed[1]), None
    return False, None, None
