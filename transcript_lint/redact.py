"""Find credentials in text and blank them out: one redactor for every reporter and for the recorder.

The patterns are our own: importing the kept detector library (detect-secrets, 0.2 s) costs more than a whole small
audit. Each detector names literals that must occur before its pattern is tried, so a text without secrets costs a few
searches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

MASK = "[REDACTED]"
MARGIN = 16_384
"""Characters of context beyond a cut that a text must be searched with, so that no credential is split by the cut:
longer than any credential the patterns accept, a 4096-bit private key included."""


class Secret(Struct, frozen=True):
    """A credential found in a text: its kind and the half-open span of the secret characters alone."""

    kind: str
    start: int
    end: int


class Detector(Struct, frozen=True, kw_only=True):
    """One kind of credential. The group `secret` of `pattern`, else the whole match, is what is blanked.

    One of `literals` (lower-cased) must occur. `judge` decides on the value where its shape alone does not tell.
    """

    kind: str
    pattern: re.Pattern[str]
    literals: tuple[str, ...] = ()
    judge: Callable[[str], bool] | None = None


_I = re.IGNORECASE
_BARE = r"(?<![A-Za-z0-9_])"

_MASKED = re.compile(
    r"[*•…]{2,}|\.{3}|x{4,}|redact|example|placeholder|<[a-z]|\bhidden\b|masked|change[_-]?me|your[_-]|[_-]here\b", _I
)
_SEQUENCE = re.compile(r"0123456789|1234567890|12345678|abcdefgh|qwertyui", _I)
_PART = r"(?:[A-Z]?[a-z]{2,24}\d{0,2}|[A-Z]{2,24}\d{0,2}|[a-z]|\d{1,4})"
_PLAIN_WORDS = re.compile(_PART + r"(?:[._:/@-]{1,2}" + _PART + r"){0,12}[._:/-]?\Z")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", _I)
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/=]{24}")
_NAMED_SECRET = re.compile(r"[\w.-]{0,20}(?:passw|pwd|secret|token)", _I)
_DEFAULT = re.compile(r"(?:password|passwd|pass|postgres|root|admin|user|guest|secret|test|mysql|rabbitmq|minio)\Z", _I)


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


def _key_body(value: str) -> bool:
    """Whether the body of a key block is there, not its frame alone."""
    return bool(_BASE64_RUN.search(value))


def _detector(
    kind: str, literals: str, pattern: str, judge: Callable[[str], bool] | None = None, flags: int = 0
) -> Detector:
    return Detector(kind=kind, literals=tuple(literals.split()), pattern=re.compile(pattern, flags), judge=judge)


DETECTORS: tuple[Detector, ...] = (
    _detector(
        "private-key",
        "-----begin",
        r"-----BEGIN[A-Z0-9 ]{0,40} PRIVATE KEY(?: BLOCK)?-----"
        r"(?P<secret>(?:[A-Za-z0-9+/=:,.\s]|\\[nr]|-(?!----)){0,16000}+)",
        _key_body,
    ),
    # The end of a key whose beginning was cut off.
    _detector(
        "private-key",
        "-----end",
        r"^(?P<secret>(?:[A-Za-z0-9+/=]{16,80}\r?\n){1,120}+(?:[A-Za-z0-9+/=]{1,80}\r?\n)?)"
        r"-----END[A-Z0-9 ]{0,40} PRIVATE KEY",
        _key_body,
        re.MULTILINE,
    ),
    _detector("aws-access-key", "akia asia abia acca", _BARE + r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _detector("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _BARE + r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _detector("github-token", "github_pat_", _BARE + r"github_pat_[A-Za-z0-9_]{22,255}"),
    _detector(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- gloas-",
        _BARE + r"gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{20,300}",
    ),
    _detector("slack-token", "xox xapp-", _BARE + r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,300}"),
    _detector(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?P<secret>(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200})",
    ),
    _detector(
        "discord-webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{5,25}/[A-Za-z0-9_-]{30,120})",
    ),
    _detector(
        "llm-key",
        "sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-",
        _BARE + r"(?<!-)sk-(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,300}",
    ),
    _detector("llm-key", "sk-", _BARE + r"(?<!-)sk-[A-Za-z0-9]{20,200}(?![A-Za-z0-9_-])", _random),
    _detector("llm-key", "gsk_ xai- pplx- r8_ hf_", _BARE + r"(?:gsk_|xai-|pplx-|r8_|hf_)[A-Za-z0-9]{30,200}"),
    _detector("google-key", "aiza", _BARE + r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    _detector("google-key", "ya29. gocspx-", _BARE + r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,400}"),
    _detector("npm-token", "npm_ dckr_pat_", _BARE + r"(?:npm_[A-Za-z0-9]{30,60}|dckr_pat_[A-Za-z0-9_-]{20,60})"),
    _detector("pypi-token", "pypi-", _BARE + r"pypi-[A-Za-z0-9_-]{16,300}", _random),
    _detector(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        _BARE + r"(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/=]{24,250})",
    ),
    _detector("sendgrid-key", "sg.", _BARE + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _detector("twilio-key", "sk", _BARE + r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _detector("mail-key", "key- xkeysib-", _BARE + r"(?:key-[0-9a-f]{32}(?![A-Za-z0-9])|xkeysib-[0-9a-f]{64})"),
    _detector("telegram-token", ":aa", _BARE + r"\d{8,10}:AA[A-Za-z0-9_-]{32,40}"),
    _detector("cloud-token", "_v1_", _BARE + r"do[opr]?_v1_[0-9a-f]{40,64}"),
    _detector("cloud-token", "shpat_ shpca_ shppa_ shpss_", _BARE + r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _detector("cloud-token", "dapi", _BARE + r"dapi[0-9a-f]{32}"),
    _detector("cloud-token", "hvs. hvb.", _BARE + r"hv[sb]\.[A-Za-z0-9_-]{20,300}"),
    _detector("cloud-token", "lin_api_ ntn_", _BARE + r"(?:lin_api_|ntn_)[A-Za-z0-9]{30,60}"),
    _detector("cloud-token", "dp.pt. .atlasv1.", r"(?:dp\.pt|\.atlasv1)\.[A-Za-z0-9_-]{40,80}"),
    _detector("age-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}"),
    _detector(
        "azure-key",
        "accountkey= sharedaccesskey=",
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,100}={0,2})",
    ),
    _detector("jwt", "eyj", _BARE + r"eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{16,6000}\.[A-Za-z0-9_-]{16,1000}"),
    _detector(
        "url-password",
        "://",
        r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/?#@'\"<>`]{0,80}:(?P<secret>[^\s/?#@'\"<>`]{3,200})@(?=[\w\[])",
        _not_default,
    ),
    _detector(
        "authorization",
        "authorization",
        r"authorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?:(?:bearer|basic|token|digest|apikey|key)\s{1,3})?"
        r"(?P<secret>[A-Za-z0-9._~+/=-]{8,2000})",
        _random,
        _I,
    ),
    _detector(
        "authorization", "bearer", r"(?<![a-z0-9])bearer\s{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{16,2000})", _random, _I
    ),
    _detector(
        "basic-auth",
        "curl wget http",
        r"\b(?:curl|wget|https?)\b[^\n|;&]{0,300}?\s(?:-u|--user|-a|--auth)[ =]\\?[\"']?[^\s:'\"$<]{1,60}:"
        r"(?P<secret>[^\s'\"\\]{4,100})",
        _chosen,
    ),
    _detector(
        "password",
        "mysql mariadb sshpass",
        r"\b(?:(?:mysql\w{0,8}|mariadb)\b[^\n|;&]{0,200}?\s-p|sshpass\s{1,3}-p\s{0,3})\\?[\"']?"
        r"(?P<secret>[^\s'\"\\]{4,100})",
        _chosen,
    ),
)

_ASSIGNMENT = re.compile(
    r"(?P<word>passw(?:or)?d|passphrase|pwd|api[_-]?key|secret(?:[_-]?access)?[_-]?key|client[_-]?secret|secret|"
    r"(?:access|auth|account|private|signing|encryption|master|service|storage)[_-]?key|token)"
    r"(?:[_-]?(?:base|value|prod|live|test|dev|staging|\d{1,2}))?"
    r"(?:(?P<sep>\\?[\"']?\s{0,3}(?::=|=>|[:=])\s{0,3})|\s{1,3})"
    r"(?P<open>\\?[\"'`])?(?P<secret>[^\s\"'`,;\\|&<>()\[\]{}$]{6,256})(?P<after>[(\[{$]?)",
    _I,
)
_ASSIGNED_LITERALS = ("passw", "passphrase", "pwd", "key", "secret", "token")
_NO_SECRET_BEFORE = re.compile(
    r"(?:next|page|cursor|contin\w{0,8}|sync|idempot\w{0,8}|cancel\w{0,8}|[be]os|pad|mask|unk|cls|sep|stop|max|min|"
    r"num|per|total|public|sort|cache|primary|foreign|partition|first|last|prev\w{0,5}|current|design|special|start|"
    r"end|old)[_-]?\Z",
    _I,
)
_FLAG_BEFORE = re.compile(r"(?:^|[\s\"'])--?[\w-]{0,30}\Z")


class Redactor:
    """Replaces credentials in text by `[REDACTED]` and counts them by kind in `counts`.

    `extra_patterns` are regular expressions of the user's; a group named `secret`, else the whole match, is blanked.
    Raises `re.error` when one of them is no regular expression.
    """

    def __init__(self, extra_patterns: Iterable[str] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self._detectors = (*DETECTORS, *(Detector(kind="custom", pattern=re.compile(p)) for p in extra_patterns))

    def find(self, text: str) -> list[Secret]:
        """The credentials of a text in order, overlaps merged; never their characters."""
        if len(text) < 8:
            return []
        lowered = text.lower()
        found = [
            secret
            for detector in self._detectors
            if not detector.literals or any(literal in lowered for literal in detector.literals)
            for secret in _shaped(detector, text)
        ]
        if any(literal in lowered for literal in _ASSIGNED_LITERALS):
            found += _assigned(text)
        return _merged(found)

    def text(self, text: str) -> str:
        """The text without its credentials; what was taken is added to `counts`."""
        parts: list[str] = []
        position = 0
        for secret in self.find(text):
            self.counts[secret.kind] += 1
            parts += (text[position : secret.start], MASK)
            position = secret.end
        return "".join((*parts, text[position:]))


def _shaped(detector: Detector, text: str) -> Iterator[Secret]:
    group = "secret" if "secret" in detector.pattern.groupindex else 0
    for match in detector.pattern.finditer(text):
        value = match[group]
        if not value:
            continue
        if detector.kind != "custom" and _masked(value) and detector.judge is not _key_body:
            continue
        if detector.judge is None or detector.judge(value):
            yield Secret(detector.kind, *match.span(group))


def _assigned(text: str) -> Iterator[Secret]:
    """Values given to a name, or to a command's option, that says password, secret, key or token."""
    for match in _ASSIGNMENT.finditer(text):
        before = text[max(0, match.start() - 32) : match.start()]
        quoted = match["open"] is not None
        value = match["secret"].rstrip(".:")
        if (
            (match["sep"] is None and not _FLAG_BEFORE.search(before))
            or (match["after"] and not quoted)
            or _NO_SECRET_BEFORE.search(before)
            or not value
            or value[0] in "/~.%#@*-"
            or _masked(value)
            or (not quoted and _is_reference(value, match["sep"] or ""))
        ):
            continue
        word = match["word"].lower().replace("_", "-")
        if word.startswith(("passw", "passphrase", "pwd")):
            word, likely = "password", _chosen(value)
        else:
            likely = _random(value) and not (word == "token" and _UUID.match(value))
        if likely:
            start = match.start("secret")
            yield Secret(word, start, start + len(value))


def _is_reference(value: str, separator: str) -> bool:
    """Whether an unquoted value reads as code: `config.token1`, or a bare name after ` = `."""
    spaced = "=" in separator and separator != separator.strip(" ")
    return bool(_PLAIN_WORDS.match(value)) and (spaced or "." in value or "/" in value)


def _masked(value: str) -> bool:
    """Whether nothing secret stands here: a placeholder, an example key, or already redacted."""
    body = value[4:] if len(value) > 12 else value
    return value[:1] in "<$" or len(set(body)) <= 2 or bool(_MASKED.search(value))


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
