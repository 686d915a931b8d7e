"""Block claims: who says that the work cannot go on, and for what reason.

A claim comes from a field (a Blocked event, the closing status of the session) or, at lower confidence, from a
sentence of the agent in one of nine languages. The service named in the sentence decides whether it is the model's
provider at all: another web service, a bot, a merge state or a program under test gives no claim.

Language lives in `lexicons/blocked/<language>.toml`; a language is compiled when one of its literals occurs.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import cache, lru_cache
from typing import Any

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims.prose import Sentence, sentences
from transcript_lint.events import AgentText, Blocked, Event, Location, ProviderResponded, SessionEnded

LANGUAGES = ("en", "zh", "ja", "ko", "de", "fr", "es", "pt", "ru")
TOOLS = frozenset({"shell", "network", "files"})
"""Kinds of a prose claim that call a tool of the agent unavailable."""

_KINDS = (
    "access auth budget content context denied model other output_cap overload permission quota rate time tool turns"
)
KINDS = TOOLS | frozenset(_KINDS.split())
"""Every kind of block that can be claimed."""

_OWN_PHRASE = re.compile(r"(?P<kind>[a-z_]+)=(?P<pattern>.+)", re.S)

_WHOLE_SENTENCE = frozenset({"zh", "ja", "ko"})
_OTHER_LETTERS = _WHOLE_SENTENCE | {"ru"}
_STATES_AN_ABSENCE = TOOLS | {"model", "auth", "tool", "access"}
_CLAUSE_END = re.compile(r"[,;:—–()，；：、。]|\s-\s")
_CONDITION_AFTER = re.compile(r"^[^,.;:]{0,16}\b(?:if|when|whenever|once|unless)\b", re.I)
_QUESTION = re.compile(r"[?？]\s*$")
_BETWEEN = r"[^.!?;。！？；\n]{0,%d}?"
_SHORT_GAP = {"zh": 10, "ja": 16, "ko": 20}
_TOOL_WORD = r"(?:tools?|connector|werkzeug|outil|connecteur|herramienta|conector|ferramenta|инструмент\w*)"
_TOOL_NAMED = re.compile(rf"\w_\w|[a-z][A-Z]|`|\b{_TOOL_WORD}\b|工具|ツール|도구")
_PASSING = re.compile(
    r"tempor|moment|briefly|right now|for now|vorübergehend|derzeit|zeitweilig|passag|времен|сейчас|暂时|目前|一时|"
    r"一時|現在|일시|지금|잠시",
    re.I,
)
_PROVIDERS = re.compile(
    r"\b(?:anthropic|claude|openai|gpt|chatgpt|codex|gemini|vertex|bedrock|azure openai|mistral|deepseek|qwen|copilot|"
    r"openrouter|groq|grok|xai|moonshot|kimi|zhipu|ollama|llama|cohere|together|fireworks|minimax|perplexity|cerebras)\b",
    re.I,
)
_SERVICES = re.compile(
    r"\b(?:github|gitlab|gitea|bitbucket|npm|pnpm|yarn|pypi|crates\.io|maven|docker ?hub|dockerhub|ghcr|quay|homebrew|"
    r"slack|discord|telegram|jira|linear|confluence|notion|asana|trello|stripe|paypal|twilio|sendgrid|mailgun|aws|s3|"
    r"ec2|lambda|dynamodb|gcs|bigquery|cloudflare|vercel|netlify|heroku|supabase|firebase|algolia|elasticsearch|redis|"
    r"postgres\w*|mysql|kafka|coderabbit|sonarcloud|snyk|codecov|shopify|salesforce|hubspot|twitter|reddit|youtube|"
    r"let's encrypt|letsencrypt|acme|nominatim|mapbox|wikipedia|arxiv|semantic scholar|hugging ?face|kaggle)\b|"
    r"\bCI\b|\bhttps?://",
    re.I,
)
_OTHER_AGENTS = re.compile(
    r"\b(?:pane|worker|sub-?agents?|sibling|teammate|peer|reviewer|child (?:agent|session|process)|"
    r"(?:another|other|second|background) (?:agent|session|instance|model)s?)\b",
    re.I,
)
_NAMED_API = re.compile(r"\b([A-Z][\w.+-]{2,30})(?:'s)?[ -](?:API|REST|GraphQL)\b")
_NO_NAME = frozenset(
    ("The", "This", "That", "Our", "Your", "Its", "Die", "Der", "Das", "Eine", "Notre", "Cette", "Une", "Esta", "Una")
)
_END_WORDS = (
    ("context", ("context", "prompt is too long", "prompt_too_long")),
    ("budget", ("cost", "budget", "limitsexceeded", "spend")),
    ("quota", ("usagelimit", "usage_limit", "usage limit", "quota")),
    ("rate", ("ratelimit", "rate_limit", "rate limit")),
    ("content", ("refusal", "content_filter", "safety")),
)


class BlockClaim(Struct, frozen=True, kw_only=True):
    """Someone says the work is blocked.

    `kind` is one of Blocked.kind or, for prose, also overload, denied (a person said no), shell, network, files,
    access (a service lets the agent not in).
    `who` is provider, harness or agent; `prose` when it was read from a sentence. `plan`: it speaks of a plan's or
    an account's usage; `ours`: of the agent's own going on. `text` is the sentence or the reason as written, `event`
    the record it stands in.
    """

    kind: str
    who: str
    text: str
    at: Location
    event: Event
    lang: str = ""
    prose: bool = False
    plan: bool = False
    ours: bool = True
    refers_to: str | None = None
    match: str = ""


def from_block(event: Blocked) -> BlockClaim:
    """What a Blocked event says."""
    reason = event.reason or ""
    return BlockClaim(
        kind=event.kind,
        who=event.layer,
        text=reason,
        at=event.at,
        event=event,
        plan=_speaks_of_plan(reason),
        refers_to=event.refers_to,
    )


def from_error(event: ProviderResponded) -> BlockClaim | None:
    """A provider's refusal that says a limit of the plan, or the context, is full; None for any other error."""
    error = event.error
    if error is None:
        return None
    text = error.message or error.code or error.type or ""
    plan = error.kind == "quota" or _speaks_of_plan(text)
    if error.kind not in ("quota", "context") and not (error.kind == "rate" and plan):
        return None
    return BlockClaim(
        kind=error.kind, who="provider", text=text, at=event.at, event=event, plan=plan, refers_to=event.request_id
    )


def from_end(event: SessionEnded) -> BlockClaim | None:
    """The limit that a closing status names as the reason of the end, if it names one."""
    if event.status == "success" or not event.reason:
        return None
    words = event.reason.lower()
    kind = next((kind for kind, hints in _END_WORDS if any(hint in words for hint in hints)), None)
    if kind is None:
        return None
    return BlockClaim(
        kind=kind, who="harness", text=event.reason, at=event.at, event=event, plan=_speaks_of_plan(words)
    )


@lru_cache(maxsize=4)
def from_text(event: AgentText, phrases: tuple[str, ...] = ()) -> tuple[BlockClaim, ...]:
    """The block claims of a text of the agent, at most one a sentence.

    `phrases` are users' own regular expressions, see `own_phrase`.
    """
    lexicons = _spoken(event.text)
    if not lexicons and not phrases:
        return ()
    found: list[BlockClaim] = []
    said = sentences(event.text)
    whole = "\n".join(sentence.text for sentence in said)
    lexicons = [lexicon for lexicon in lexicons if patterns_of(lexicon["lang"]).may_claim(whole)]
    if not lexicons and not phrases:
        return ()
    for sentence in said:
        if sentence.kind in ("heading", "table"):
            continue
        claim = next((c for lexicon in lexicons if (c := _claim(sentence, said, event, lexicon["lang"]))), None)
        if claim is None and phrases:
            claim = _own_phrase(sentence, event, phrases)
        if claim is not None:
            found.append(claim)
    return tuple(found)


def claims_of(event: Event, phrases: tuple[str, ...] = ()) -> Iterator[BlockClaim]:
    """The block claims of any event."""
    if isinstance(event, Blocked):
        reason = event.reason or ""
        if event.layer != "agent" or not (names_other_service(reason) or patterns_of("en").other.search(reason)):
            yield from_block(event)
    elif isinstance(event, AgentText):
        yield from from_text(event, phrases)
    elif isinstance(event, ProviderResponded | SessionEnded):
        claim = from_error(event) if isinstance(event, ProviderResponded) else from_end(event)
        if claim is not None:
            yield claim


def mentioned(text: str, kinds: Iterable[str]) -> set[str]:
    """Those of `kinds` (tools, the model) that a text of anyone, in any language, says cannot be used."""
    wanted = frozenset(kinds)
    spoken = (patterns_of(lexicon["lang"]) for lexicon in _spoken(text)) if wanted else ()
    return {kind for language in spoken for kind, _ in language.claims(text, wanted)}


def names_other_service(text: str) -> bool:
    """Whether a text names a web service, and none of the model providers."""
    if _PROVIDERS.search(text):
        return False
    return bool(_SERVICES.search(text)) or any(m[1] not in _NO_NAME for m in _NAMED_API.finditer(text))


def names_provider(text: str) -> bool:
    """Whether a text names a provider of models."""
    return bool(_PROVIDERS.search(text))


def names_tool(text: str, tool: str) -> bool:
    """Whether a text names a tool: a name that is no common word, else one in quotes or beside the word for tool."""
    if len(tool) < 3 or tool.lower() not in text.lower():
        return False
    name = re.escape(tool)
    if re.search(r"[a-z][A-Z]|[_\d-]", tool):
        return bool(re.search(rf"(?<![\w-]){name}(?![\w-])", text, re.I))
    return bool(
        re.search(
            rf"[`\"'“„«]{name}[`\"'”“»]|\b{name}[- ]{_TOOL_WORD}\b|\b{_TOOL_WORD} {name}\b|"
            rf"{name}\s?(?:工具|ツール|도구)|(?:工具|ツール|도구)\s?{name}",
            text,
            re.I,
        )
    )


class _Language:
    """The compiled patterns of one language.

    A claim is found by a whole pattern or by a pair, what it speaks of and the state that this is said to be in, in
    either order within one sentence. The state may hold a negation of its own.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.lang: str = data["lang"]
        self.negation, self.hedge, self.other, self.self_, self.explicit, self.unable = (
            re.compile(data[name], re.I) for name in ("negation", "hedge", "other", "self", "explicit", "unable")
        )
        sources: dict[str, list[str]] = {kind: list(patterns) for kind, patterns in data["claims"].items()}
        between = _BETWEEN % _SHORT_GAP.get(self.lang, 44)
        for kind, pairs in data["pairs"].items():
            for thing, state in pairs:
                named = f"(?P<state>{state})"
                sources.setdefault(kind, []).append(f"(?:{thing}){between}{named}")
                if self.lang not in _WHOLE_SENTENCE:
                    sources[kind].append(f"{named}{between}(?:{thing})")
        rows = [(kind, source) for kind, patterns in sources.items() for source in patterns]
        self._claims = [(kind, re.compile(source, re.I)) for kind, source in rows]
        self._gate = re.Gate([source for _, source in rows])

    def may_claim(self, text: str) -> bool:
        """Whether any claim is possible in a text."""
        return bool(self._gate.open(text))

    def claims(self, text: str, kinds: Container[str] | None = None) -> Iterator[tuple[str, re.Match[str]]]:
        """What each pattern, of some kinds or of all, finds first in a text, kind by kind."""
        for number in self._gate.open(text):
            kind, pattern = self._claims[number]
            if (kinds is None or kind in kinds) and (match := pattern.search(text)) is not None:
                yield kind, match


@cache
def _lexicons() -> tuple[dict[str, Any], ...]:
    return tuple({**tables.lexicon(f"blocked/{lang}.toml"), "lang": lang} for lang in LANGUAGES)


@cache
def _literals() -> re.Words[str]:
    return re.Words({lexicon["lang"]: lexicon["literals"] for lexicon in _lexicons()})


@cache
def patterns_of(lang: str) -> _Language:
    """The patterns of one language, compiled once."""
    return _Language(next(lexicon for lexicon in _lexicons() if lexicon["lang"] == lang))


def _spoken(text: str) -> list[dict[str, Any]]:
    """The lexicons of which a literal occurs; languages of other letters are not looked for in plain ASCII."""
    if not (spoken := _literals().groups_in(text.lower())):
        return []
    if text.isascii():
        spoken -= _OTHER_LETTERS
    return [lexicon for lexicon in _lexicons() if lexicon["lang"] in spoken]


def _claim(sentence: Sentence, said: list[Sentence], event: AgentText, lang: str) -> BlockClaim | None:
    language, text = patterns_of(lang), sentence.text
    for kind, match in language.claims(text):
        if _asserted(kind, text, match, language) and _about_us(kind, sentence, said, match, language):
            return BlockClaim(
                kind=kind,
                who="agent",
                text=sentence.raw,
                at=event.at,
                event=event,
                lang=lang,
                prose=True,
                plan=bool(language.explicit.search(text)),
                ours=bool(language.self_.search(text)),
                match=match[0],
            )
    return None


def own_phrase(phrase: str) -> tuple[str, str]:
    """The kind and the regular expression of a user's `kind=pattern`; without a kind it is a quota claim."""
    match = _OWN_PHRASE.fullmatch(phrase)
    return (match["kind"], match["pattern"]) if match else ("quota", phrase)


def _own_phrase(sentence: Sentence, event: AgentText, phrases: tuple[str, ...]) -> BlockClaim | None:
    for kind, pattern in map(own_phrase, phrases):
        if match := re.search(pattern, sentence.text, re.I):
            return BlockClaim(
                kind=kind, who="agent", text=sentence.raw, at=event.at, event=event, prose=True, match=match[0]
            )
    return None


def _asserted(kind: str, text: str, match: re.Match[str], language: _Language) -> bool:
    """Whether the sentence says so as a fact: no question, condition, guess, plan or negation."""
    whole = language.lang in _WHOLE_SENTENCE
    before = text if whole else text[: match.end()]
    if kind == "access":
        before = language.unable.sub(" ", before)  # "could not" is no guess
    if _QUESTION.search(text) or language.hedge.search(before):
        return False
    if not whole and _CONDITION_AFTER.search(text[match.end() :]):
        return False
    if kind in _STATES_AN_ABSENCE:
        return True
    start = max((m.end() for m in _CLAUSE_END.finditer(text, 0, match.start())), default=0)
    start, end = max(start, match.start() - 24), match.end() + (8 if whole else 0)
    if "state" in match.re.groupindex:
        return not language.negation.search(text[start : match.start("state")] + text[match.end("state") : end])
    return not language.negation.search(text[start:end])


def _about_us(kind: str, sentence: Sentence, said: list[Sentence], match: re.Match[str], language: _Language) -> bool:
    """Whether it speaks of this agent's own provider or tools, and not of another service or a program."""
    text = sentence.text
    if kind == "denied":
        return True
    if kind == "tool":
        return bool(_TOOL_NAMED.search(sentence.raw)) and not _PASSING.search(text)
    if kind == "access":
        return bool(language.unable.search(text))
    # Where what modifies a noun stands before it, the words after the claim speak of something else.
    clause = text[: match.end()] if language.lang in ("ja", "ko") else _clause(text, match)
    if kind in TOOLS:
        return not language.other.search(clause)
    if _OTHER_AGENTS.search(text):
        return False
    elsewhere = language.other.search(clause)
    if names_other_service(text) or (elsewhere and not _PROVIDERS.search(text)):
        return False
    paragraph = " ".join(s.text for s in said if s.paragraph == sentence.paragraph)
    if kind == "context":
        return bool(language.self_.search(paragraph))
    if kind == "quota":
        if language.explicit.search(text) or _PROVIDERS.search(text):
            return True
        return (
            bool(language.self_.search(text)) and "rate" not in match[0].lower() and "throttl" not in match[0].lower()
        )
    return True


def _clause(text: str, match: re.Match[str]) -> str:
    start = max((m.end() for m in _CLAUSE_END.finditer(text, 0, match.start())), default=0)
    end = _CLAUSE_END.search(text, match.end())
    return text[start : end.start() if end else len(text)]


def _speaks_of_plan(text: str) -> bool:
    words = text.lower()
    return any(word in words for word in ("plan", "usage", "account", "subscription", "premium", "weekly", "monthly"))
