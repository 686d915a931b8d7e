"""Find credentials in text and blank them out: one redactor for every reporter and for the recorder.

The patterns are our own: importing the kept detector library (detect-secrets, 0.2 s) costs more than a whole small
audit. Patterns are never searched for; they are tried at places found by plain byte searches, which are some fifty
times faster: where a long unbroken word begins, and behind a few words such as `password`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from ahocorasick_rs import BytesAhoCorasick
from msgspec import Struct

from transcript_lint import patterns

MASK = "[REDACTED]"
MARGIN = 16_384
"""Characters of context beyond a cut that a text must be searched with, so that no credential is split by the cut:
longer than any credential the patterns accept, a 4096-bit private key included."""


class Secret(Struct, frozen=True):
    """A credential found in a text: its kind and the half-open span of the secret characters alone."""

    kind: str
    start: int
    end: int


_I = re.IGNORECASE

_MASKED = patterns.compile(
    r"[*•…]{2,}|\.{3}|x{4,}|redact|example|placeholder|<[a-z]|\bhidden\b|masked|change[_-]?me|your[_-]|[_-]here\b", _I
)
_SEQUENCE = patterns.compile(r"0123456789|1234567890|12345678|abcdefgh|qwertyui", _I)
_PART = r"(?:[A-Z]?[a-z]{2,24}\d{0,2}|[A-Z]{2,24}\d{0,2}|[a-z]|\d{1,4})"
_PLAIN_WORDS = patterns.compile(_PART + r"(?:[._:/@-]{1,2}" + _PART + r"){0,12}[._:/-]?\Z")
_UUID = patterns.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", _I)
_BASE64_RUN = patterns.compile(r"[A-Za-z0-9+/=]{24}")
_NAMED_SECRET = patterns.compile(r"[\w.-]{0,20}(?:passw|pwd|secret|token)", _I)
_DEFAULT = patterns.compile(
    r"(?:password|passwd|pass|postgres|root|admin|user|guest|secret|test|mysql|rabbitmq|minio)\Z", _I
)


def _random(value: str) -> bool:
    """Whether a value looks generated: long, letters and digits mixed, not made of words."""
    if len(value) < 12 or _SEQUENCE.search(value) or _PLAIN_WORDS.match(value):
        return False
    letters, digits = sum(c.isalpha() for c in value), sum(c.isdigit() for c in value)
    mixed_case = any(c.islower() for c in value) and any(c.isupper() for c in value)
    return bool(letters and (digits or (mixed_case and len(value) >= 20))) and len(set(value)) >= 6


def _chosen(value: str) -> bool:
    """Whether a person can have chosen it as a password: two kinds of characters, and no reference to a name."""
    kinds = any(c.isalpha() for c in value) + any(c.isdigit() for c in value) + any(not c.isalnum() for c in value)
    return kinds >= 2 and not _NAMED_SECRET.match(value) and not all(c.isalpha() or c in "._:/-" for c in value)


def _not_default(value: str) -> bool:
    """Whether it is more than the password of every development database."""
    return not _DEFAULT.match(value)


def _masked(value: str) -> bool:
    """Whether nothing secret stands here: a placeholder, an example key, or already redacted."""
    body = value[4:] if len(value) > 12 else value
    return value[:1] in "<$" or len(set(body)) <= 2 or bool(_MASKED.search(value))


class Detector(Struct, frozen=True, kw_only=True):
    """One kind of credential. The group `secret` of `pattern`, else the whole match, is what is blanked.

    `judge` decides on the value where its shape alone does not tell.
    """

    kind: str
    pattern: re.Pattern[str]
    judge: Callable[[str], bool] | None = None

    def at(self, text: str, place: int) -> Secret | None:
        """The credential of this kind that begins at `place`, if one does."""
        match = self.pattern.match(text, place)
        if match is None:
            return None
        group = "secret" if "secret" in self.pattern.groupindex else 0
        value = match[group]
        if _masked(value) or (self.judge is not None and not self.judge(value)):
            return None
        return Secret(self.kind, *match.span(group))


def _detector(kind: str, pattern: str, judge: Callable[[str], bool] | None = None, flags: int = 0) -> Detector:
    return Detector(kind=kind, pattern=patterns.compile(pattern, flags), judge=judge)


SHAPED: tuple[tuple[str, Detector], ...] = (
    ("AK AS", _detector("aws-access-key", r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])")),
    ("gh", _detector("github-token", r"gh[pousr]_[A-Za-z0-9]{30,255}")),
    ("gi", _detector("github-token", r"github_pat_[A-Za-z0-9_]{22,255}")),
    ("gl", _detector("gitlab-token", r"gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{20,300}")),
    ("xo xa", _detector("slack-token", r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,300}")),
    ("sk", _detector("llm-key", r"sk-(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,300}")),
    ("sk", _detector("llm-key", r"sk-[A-Za-z0-9]{20,200}(?![A-Za-z0-9_-])", _random)),
    ("gs xa pp hf", _detector("llm-key", r"(?:gsk_|xai-|pplx-|hf_)[A-Za-z0-9]{30,200}")),
    ("AI", _detector("google-key", r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),
    ("ya GO", _detector("google-key", r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,400}")),
    ("np", _detector("npm-token", r"npm_[A-Za-z0-9]{30,60}")),
    ("dc", _detector("docker-token", r"dckr_pat_[A-Za-z0-9_-]{20,60}")),
    ("py", _detector("pypi-token", r"pypi-[A-Za-z0-9_-]{16,300}", _random)),
    ("sk rk", _detector("stripe-key", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}")),
    ("wh", _detector("stripe-key", r"whsec_[A-Za-z0-9+/=]{24,250}")),
    ("SG", _detector("sendgrid-key", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}")),
    ("SK", _detector("twilio-key", r"SK[0-9a-f]{32}(?![A-Za-z0-9])")),
    ("ke", _detector("mail-key", r"key-[0-9a-f]{32}(?![A-Za-z0-9])")),
    ("xk", _detector("mail-key", r"xkeysib-[0-9a-f]{64}")),
    ("AA", _detector("telegram-token", r"(?<=\d{8}:)AA[A-Za-z0-9_-]{32,40}")),
    ("do", _detector("cloud-token", r"do[opr]_v1_[0-9a-f]{40,64}")),
    ("sh", _detector("cloud-token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}")),
    ("da", _detector("cloud-token", r"dapi[0-9a-f]{32}")),
    ("hv", _detector("cloud-token", r"hv[sb]\.[A-Za-z0-9_-]{20,300}")),
    ("li nt", _detector("cloud-token", r"(?:lin_api_|ntn_)[A-Za-z0-9]{30,60}")),
    ("dp", _detector("cloud-token", r"dp\.pt\.[A-Za-z0-9]{40,80}")),
    ("AG", _detector("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}")),
    ("ey", _detector("jwt", r"eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{16,6000}\.[A-Za-z0-9_-]{16,1000}")),
)
"""Credentials whose own shape tells, by the first two letters of the unbroken word that they begin."""

PLACED: tuple[tuple[bytes, Detector], ...] = (
    (
        b"://",
        _detector(
            "url-password",
            r"(?<=\w)://[^\s:/?#@'\"<>`]{0,80}:(?P<secret>[^\s/?#@'\"<>`]{3,200})@(?=[\w\[])",
            _not_default,
        ),
    ),
    (
        b"://",
        _detector(
            "webhook",
            r"://hooks\.slack\.com/(?P<secret>(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200})",
        ),
    ),
    (
        b"://",
        _detector(
            "webhook",
            r"://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/(?P<secret>\d{5,25}/[A-Za-z0-9_-]{30,120})",
        ),
    ),
    (
        b"authorization",
        _detector(
            "authorization",
            r"authorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?:(?:bearer|basic|token|digest|apikey|key)\s{1,3})?"
            r"(?P<secret>[A-Za-z0-9._~+/=-]{8,2000})",
            _random,
            _I,
        ),
    ),
    (b"bearer ", _detector("authorization", r"bearer (?P<secret>[A-Za-z0-9._~+/=-]{16,2000})", _random, _I)),
    (
        b"curl ",
        _detector(
            "basic-auth",
            r"curl\s[^\n|;&]{0,300}?(?:-u|--user)[ =]\\?[\"']?[^\s:'\"$<]{1,60}:(?P<secret>[^\s'\"\\]{4,100})",
            _chosen,
        ),
    ),
    (
        b"mysql",
        _detector(
            "password",
            r"mysql\w{0,8}\s[^\n|;&]{0,200}?(?<=\s)-p\\?[\"']?(?P<secret>[^\s'\"\\]{4,100})",
            _chosen,
        ),
    ),
    (
        b"sshpass",
        _detector("password", r"sshpass\s{1,3}-p\s{0,3}\\?[\"']?(?P<secret>[^\s'\"\\]{4,100})", _chosen),
    ),
)
"""Credentials told by the words before them (lower-cased)."""

_BY_PREFIX: dict[str, list[Detector]] = {}
for _prefixes, _one in SHAPED:
    for _prefix in _prefixes.split():
        _BY_PREFIX.setdefault(_prefix, []).append(_one)

_UNBROKEN = bytes(0x61 if (chr(byte).isalnum() and byte < 128) or chr(byte) in "_-." else 0x20 for byte in range(256))
_RUN = b"a" * 20
"""The shortest unbroken word that any of SHAPED needs."""

_KEY_BEGIN = patterns.compile(
    r"-----BEGIN[A-Z0-9 ]{0,40} PRIVATE KEY(?: BLOCK)?-----"
    r"(?P<secret>(?:[A-Za-z0-9+/=:,.\s]|\\[nr]|-(?!----)){0,16000}+)"
)
_KEY_END = patterns.compile(r"-----END[A-Z0-9 ]{0,40} PRIVATE KEY")
_BASE64_LINE = patterns.compile(r"[A-Za-z0-9+/=]{1,80}\r?\n\Z")

_WORDS = (b"passw", b"passphrase", b"pwd", b"key", b"secret", b"token")
_LITERALS = tuple(dict.fromkeys((*(literal for literal, _ in PLACED), *_WORDS)))
_FINDER = BytesAhoCorasick(_LITERALS)
_ASSIGNMENT = patterns.compile(
    r"(?P<word>passw(?:or)?d|passphrase|pwd|key|secret(?:[_-]?(?:access[_-]?)?key)?|token)"
    r"(?:[_-]?(?:base|value|prod|live|test|dev|staging|\d{1,2}))?"
    r"(?:(?P<sep>\\?[\"']?\s{0,3}(?::=|=>|[:=])\s{0,3})|\s{1,3})"
    r"(?P<open>\\?[\"'`])?(?P<secret>[^\s\"'`,;\\|&<>()\[\]{}$]{6,256})(?P<after>[(\[{$]?)",
    _I,
)
_SECRET_BEFORE_KEY = patterns.compile(
    r"(?:api|access|auth|account|private|signing|encryption|master|service|storage)[_-]?\Z", _I
)
_NO_SECRET_BEFORE = patterns.compile(
    r"(?:next|page|cursor|contin\w{0,8}|sync|idempot\w{0,8}|cancel\w{0,8}|[be]os|pad|mask|unk|cls|sep|stop|max|min|"
    r"num|per|total|public|sort|cache|primary|foreign|partition|first|last|prev\w{0,5}|current|design|special|start|"
    r"end|old)[_-]?\Z",
    _I,
)
_FLAG_BEFORE = patterns.compile(r"(?:^|[\s\"'])--?[\w-]{0,30}\Z")


class Redactor:
    """Replaces credentials in text by `[REDACTED]` and counts them by kind in `counts`.

    `extra_patterns` are regular expressions of the user's; a group named `secret`, else the whole match, is blanked.
    Raises `re.error` when one of them is no regular expression.
    """

    def __init__(self, extra_patterns: Iterable[str] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self._extra = tuple(re.compile(pattern) for pattern in extra_patterns)

    def find(self, text: str) -> list[Secret]:
        """The credentials of a text in order, overlaps merged; never their characters."""
        if len(text) < 8:
            return []
        # One byte a character, so that places in the bytes are places in the text.
        data = text.encode("latin-1", "replace")
        found = [*_shaped(text, data), *_placed(text, data.lower())]
        if b"-----" in data:
            found += _private_keys(text, data)
        for pattern in self._extra:
            group = "secret" if "secret" in pattern.groupindex else 0
            found += (Secret("custom", *match.span(group)) for match in pattern.finditer(text) if match[group])
        return _merged(found) if found else found

    def text(self, text: str, start: int = 0, end: int | None = None) -> str:
        """The part of a text from `start` to `end` without its credentials; what was taken is added to `counts`.

        The rest of the text is looked at too, so a credential that a cut would split is taken whole.
        """
        end = len(text) if end is None else end
        parts: list[str] = []
        position = start
        for secret in self.find(text):
            if secret.end > start and secret.start < end:
                self.counts[secret.kind] += 1
                parts += (text[position : max(position, secret.start)], MASK)
                position = secret.end
        return "".join((*parts, text[position : max(position, end)]))


def _shaped(text: str, data: bytes) -> Iterator[Secret]:
    """Credentials that begin a long unbroken word."""
    words = data.translate(_UNBROKEN)
    place = words.find(_RUN)
    while place >= 0:
        end = words.find(b" ", place)
        # In text that is itself escaped, the letter of `\n` is no part of the word.
        start = place + 1 if place and data[place - 1] == 0x5C else place
        for detector in _BY_PREFIX.get(text[start : start + 2], ()):
            secret = detector.at(text, start)
            if secret is not None:
                yield secret
        place = words.find(_RUN, end) if end >= 0 else -1


def _placed(text: str, lowered: bytes) -> Iterator[Secret]:
    """Credentials behind a word that announces them."""
    places: dict[bytes, list[int]] = {}
    for number, place, _ in _FINDER.find_matches_as_indexes(lowered, overlapping=True):
        places.setdefault(_LITERALS[number], []).append(place)
    if not places:
        return
    for literal, detector in PLACED:
        for place in places.get(literal, ()):
            secret = detector.at(text, place)
            if secret is not None:
                yield secret
    for literal in _WORDS:
        searched_to = 0
        for place in places.get(literal, ()):
            match = _ASSIGNMENT.match(text, place) if place >= searched_to else None
            if match is not None:
                searched_to = match.end()
                secret = _assigned(text, match)
                if secret is not None:
                    yield secret


def _places(data: bytes, literal: bytes) -> Iterator[int]:
    place = data.find(literal)
    while place >= 0:
        yield place
        place = data.find(literal, place + 1)


def _assigned(text: str, match: re.Match[str]) -> Secret | None:
    """The value given to a name, or to a command's option, that says password, secret, key or token."""
    before = text[max(0, match.start() - 32) : match.start()]
    quoted = match["open"] is not None
    value = match["secret"].rstrip(".:")
    word = match["word"].lower().replace("_", "-")
    if (
        (match["sep"] is None and not _FLAG_BEFORE.search(before))
        or (match["after"] and (not quoted or match["after"] == "$"))
        or (word == "key" and not _SECRET_BEFORE_KEY.search(before))
        or _NO_SECRET_BEFORE.search(before)
        or not value
        or value[0] in "/~.%#@*-"
        or _masked(match["secret"])
        or (not quoted and _is_reference(value, match["sep"] or ""))
    ):
        return None
    if word.startswith(("passw", "passphrase", "pwd")):
        word, likely = "password", _chosen(value)
    else:
        likely = _random(value) and not (word == "token" and _UUID.match(value))
    start = match.start("secret")
    return Secret(word, start, start + len(value)) if likely else None


def _is_reference(value: str, separator: str) -> bool:
    """Whether an unquoted value reads as code: `config.token1`, or a bare name after ` = `."""
    spaced = "=" in separator and separator != separator.strip(" ")
    return bool(_PLAIN_WORDS.match(value)) and (spaced or "." in value or "/" in value)


def _private_keys(text: str, data: bytes) -> Iterator[Secret]:
    """The bodies of private keys, those included whose beginning or end was cut off."""
    for place in _places(data, b"-----BEGIN"):
        match = _KEY_BEGIN.match(text, place)
        if match is not None and _BASE64_RUN.search(match["secret"]):
            yield Secret("private-key", *match.span("secret"))
    for end in _places(data, b"-----END"):
        if not _KEY_END.match(text, end):
            continue
        start, least = end, 1
        while start > 0 and end - start < MARGIN:
            line_start = text.rfind("\n", 0, start - 1) + 1
            if start - line_start <= least or not _BASE64_LINE.match(text, line_start, start):
                break
            start, least = line_start, 40
        if _BASE64_RUN.search(text, start, end):
            yield Secret("private-key", start, end)


def _merged(secrets: list[Secret]) -> list[Secret]:
    """In order of place; of those that overlap the first kind stands for the whole span."""
    merged: list[Secret] = []
    for secret in sorted(secrets, key=lambda s: s.start):
        last = merged[-1] if merged else None
        if last is not None and secret.start < last.end:
            merged[-1] = Secret(last.kind, last.start, max(last.end, secret.end))
        else:
            merged.append(secret)
    return merged
