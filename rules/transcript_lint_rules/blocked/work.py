"""Which words tell of the work that a denied tool was to do."""

from __future__ import annotations

from transcript_lint import patterns as re
from transcript_lint.claims.concepts import meant, named_by, tokens_of
from transcript_lint.claims.proposals import topic
from transcript_lint.claims.prose import sentences
from transcript_lint.events import CommandIssued
from transcript_lint.ledger.acts import act_of
from transcript_lint.settings import Settings

ADMITS = re.compile(
    r"\b(?:denied|not allowed|not permitted|permission|blocked|could ?n['o]t|cannot|can't|unable|refus\w+|reject\w+|"
    r"declin\w+|skipped|instead|verweigert|abgelehnt|konnten?|refusé\w*|impossible|deneg\w+|rechaz\w+|no pude|recus\w+|"
    r"negad\w+|отклон\w+|запрещ\w+|не удалось)\b|não (?:foi|pude|consegui)|拒绝|未能|无法|没有写|拒否|できません|"
    r"されませんでした|거부|못했|없습니다",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|never|no longer|yet|still|nicht|kein\w*|noch|ohne|pas|jamais|sans|encore|no|nunca|sin|aún|não|sem|ainda|"
    r"не|нет|без|ещё|will|would|should|to be|wird|sera|será|будет)\b|n't\b|没|未|不|ない|ません|ませ|않|못|안 ",
    re.I,
)
_DONE = re.compile(
    r"\b(?:\w{3,}ed|sent|written|built|rebuilt|done|made|set|live|cut|paid|sold|taken|given|shut|complete|ready|"
    r"\w*ge\w{3,}(?:t|en)|(?:ver|be|ent|er|zer|über|wieder)\w{3,}(?:t|en)|\w{2,}iert|fertig|erledigt|"
    r"\w{2,}(?:ée?s?|ados?|adas?|idos?|idas?|ó|ou|ei)|mise?s?|faite?s?|\w*écrite?s?|\w*truite?s?|transmise?s?|"
    r"hech[oa]s?|escrit[oa]s?|puest[oa]s?|feit[oa]s?|list[oa]s?|pront[oa]s?|"
    r"\w{3,}(?:[аеё]н[аоы]?|[аяи]л[аи]?|лся|лась|лись|ят[аоы]?)|готов\w*)\b|已|了|完成|完毕|ました|済み|した[。、]?$|"
    r"했|됐|되었|었습|았습|완료|마쳤",
    re.I,
)
_ID = re.compile(r"(?<![\w.])[A-Za-z]*[-#]?\d{2,}(?![\w])")
_WROTE = re.compile(
    r"\b(?:created?|written|wrote|updated?|saved|added|edited|changed|modified|replaced|generated|geschrieben|erstellt|"
    r"aktualisiert|gespeichert|angelegt|créée?|écrite?|enregistrée?|mise? à jour|cread[oa]|escrit[oa]|guardad[oa]|"
    r"actualizad[oa]|criad[oa]|salv[oa]|atualizad[oa]|создан\w*|записан\w*|сохран\w*|обновл\w*)\b|"
    r"写入|已写|创建|保存|更新|生成|作成|書き込|保存|更新|작성|생성|저장|업데이트",
    re.I,
)
_RAN = re.compile(
    r"\b(?:ran|run|executed|deployed|pushed|merged|published|deleted|removed|applied|installed|passed|succeeded)\b|"
    r"ausgeführt|gepusht|exécuté|ejecutad|executad|выполнен|执行|运行|推送|部署|実行|デプロイ|실행|배포",
    re.I,
)
_WRITING_TOOL = re.compile(r"write|edit|patch|replace|create|notebook", re.I)
_SHELL_TOOL = re.compile(r"bash|shell|terminal|exec|command|powershell", re.I)
TARGET = re.compile(r"[\w./\\-]*[\w-]\.[A-Za-z]\w{0,7}\b|\b[\w-]+(?:/[\w.-]+)+")


def words_of(call: CommandIssued) -> str:
    """What a call was to do, in its own words, bounded."""
    return str(call.command or call.argv or call.arguments or "")[:400]


def work_of(tool: str, what: str) -> re.Pattern[str] | None:
    """The words that tell of the work a tool does."""
    if _WRITING_TOOL.search(tool) or what.lower().startswith("run: write"):
        return _WROTE
    return _RAN if _SHELL_TOOL.search(tool) else None


def told_done(claim: str, tool: str, what: str) -> frozenset[str] | None:
    """What a sentence that tells of something done shares with the work of a denied call; None if none does.

    It is joined by rarer words, ids and figures that stand in both, or by what both do (`mail_campaign`, "sent").
    """
    things, ids = topic(what) - topic(tool), frozenset(_ID.findall(what))
    acts = named_by(tokens_of(f"{tool} {what}")) | meant((what,))
    for sentence in sentences(claim):
        if _NOT.search(sentence.text) or not _DONE.search(sentence.text):
            continue
        shared = (things & topic(sentence.raw)) | (ids & frozenset(_ID.findall(sentence.raw)))
        if shared or acts & meant((sentence.raw,)):
            return shared
    return None


def did(done: CommandIssued, shared: frozenset[str], tool: str, settings: Settings) -> bool:
    """Whether a call that ended ok, and did more than look, may be what the sentence speaks of."""
    act = act_of(done, settings)
    if act.idle:
        return False
    words = words_of(done)
    return done.tool == tool if not shared else shared <= topic(words) | frozenset(_ID.findall(words))


def same_work(done: CommandIssued, tool: str, targets: list[str]) -> bool:
    """Whether a call that ended ok did what the denied one was to do."""
    words = words_of(done)
    if targets:
        return any(target.rsplit("/", 1)[-1] in words for target in targets)
    return done.tool == tool or bool(_WRITING_TOOL.search(tool) and _WRITING_TOOL.search(done.tool))
