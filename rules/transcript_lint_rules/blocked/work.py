"""Which words tell of the work that a denied tool was to do."""

from __future__ import annotations

from transcript_lint import patterns as re
from transcript_lint.events import CommandIssued

ADMITS = re.compile(
    r"\b(?:denied|not allowed|not permitted|permission|blocked|could ?n['o]t|cannot|can't|unable|refus\w+|reject\w+|"
    r"declin\w+|skipped|instead|verweigert|abgelehnt|nicht|refusé\w*|impossible|deneg\w+|rechaz\w+|no pude|recus\w+|"
    r"negad\w+|não|отклон\w+|запрещ\w+|не удалось)\b|拒绝|未能|无法|没有写|拒否|できません|されませんでした|거부|"
    r"못했|없습니다",
    re.I,
)
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
TARGET = re.compile(r"[\w./\\-]*[\w-]+\.[A-Za-z]\w{0,7}\b|\b[\w-]+(?:/[\w.-]+)+")


def words_of(call: CommandIssued) -> str:
    """What a call was to do, in its own words, bounded."""
    return str(call.command or call.argv or call.arguments or "")[:400]


def work_of(tool: str, what: str) -> re.Pattern[str] | None:
    """The words that tell of the work a tool does."""
    if _WRITING_TOOL.search(tool) or what.lower().startswith("run: write"):
        return _WROTE
    return _RAN if _SHELL_TOOL.search(tool) else None


def same_work(done: CommandIssued, tool: str, targets: list[str]) -> bool:
    """Whether a call that ended ok did what the denied one was to do."""
    words = words_of(done)
    if targets:
        return any(target.rsplit("/", 1)[-1] in words for target in targets)
    return done.tool == tool or bool(_WRITING_TOOL.search(tool) and _WRITING_TOOL.search(done.tool))
