"""Block claims in prose: what is one, in nine languages, and what only looks like one."""

from __future__ import annotations

import pytest

from transcript_lint.claims.blocked import claims_of, from_text
from transcript_lint.events import AgentText, Blocked, Location, SessionEnded

AT = Location(path="log.jsonl", line=1)


def kinds(text: str, *phrases: str) -> list[str]:
    return [claim.kind for claim in from_text(AgentText(at=AT, text=text), phrases)]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("context", "The context window is full, so I have to stop here."),
        ("context", "I've reached the maximum context length for this conversation."),
        ("context", "本次会话的上下文用完了，得停下。"),
        ("context", "この会話のコンテキストを使い切りました。"),
        ("context", "컨텍스트 창이 꽉 찼습니다. 여기서 멈춥니다."),
        ("context", "Der Kontext ist aufgebraucht, ich muss hier aufhören."),
        ("context", "Le contexte est saturé, je dois m'arrêter."),
        ("context", "El contexto está agotado, tengo que parar aquí."),
        ("context", "O contexto acabou, preciso parar aqui."),
        ("context", "Контекст исчерпан, вынужден остановиться."),
        ("quota", "Your account has hit its weekly limit; nothing more can be done today."),
        ("quota", "Your plan has no usage left."),
        ("quota", "已达到套餐用量上限，工作被阻塞。"),
        ("quota", "プランの利用枠を使い切ったため停止します。"),
        ("quota", "계정 사용량 한도를 모두 소진했습니다."),
        ("quota", "Das Limit Ihres Plans wurde überschritten."),
        ("quota", "Nous avons épuisé le quota du modèle."),
        ("quota", "Hemos agotado la cuota del modelo."),
        ("quota", "O limite de uso do seu plano foi atingido, paro por aqui."),
        ("quota", "Лимит вашего тарифа исчерпан, останавливаюсь."),
        ("denied", "You declined the push, so I leave it."),
        ("denied", "您拒绝了这条命令。"),
        ("denied", "ユーザーがこの操作を拒否しました。"),
        ("denied", "사용자가 명령을 거부했습니다."),
        ("denied", "Sie haben die Ausführung verweigert."),
        ("denied", "Vous avez rejeté la commande."),
        ("denied", "El usuario denegó el comando."),
        ("denied", "O comando foi recusado por você."),
        ("denied", "Вы отклонили эту команду."),
        ("shell", "Bash is not available in this session."),
        ("shell", "当前环境无法执行任何命令。"),
        ("network", "There is no network access in this environment."),
        ("network", "In dieser Umgebung gibt es keinen Netzwerkzugriff."),
        ("network", "В этой среде нет доступа к сети."),
        ("model", "Blocked: the hosted model is unreachable."),
        ("overload", "Die API ist überlastet, ich versuche es noch einmal."),
    ],
)
def test_a_claim_is_heard(kind, text):
    assert kind in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "The context menu is full of stale entries.",
        "We still have plenty of context left.",
        "When the context window is full we compact the history.",
        "The context window is almost full, so I stop soon.",
        "The usage limit is not reached yet.",
        "If the quota of the model is exhausted, the client retries.",
        "Is the usage limit of your plan reached?",
        "GitHub's API quota is used up, so I wait.",
        "The issue tracker's rate limit was hit; the model is fine.",
        "Das Ratenlimit der GitHub-API ist erreicht.",
        "GitHub API の利用上限に達しました。",
        "The worker had hit a provider quota and stopped.",
        "The previous session ran out of context, so I read the notes.",
        "The rate limit was hit, so I wait a bit.",
        "Le contexte n'est pas plein.",
        "コンテキストはまだ上限に達していません。",
        "```\nThe usage limit of your plan is reached.\n```",
        "The log says `usage limit of your plan reached`.",
        "PR 57 is BLOCKED: it needs one more review.",
        "The server denied the request.",
        "The shell script has no network timeout.",
        "No more duplicate bash execution",
    ],
)
def test_a_look_alike_is_not(text):
    assert kinds(text) == []


def test_own_phrases_name_their_kind():
    assert kinds("Tagesbudget weg, Feierabend.", r"budget=Tagesbudget weg") == ["budget"]
    assert kinds("Nothing left in the pot.", r"nothing left in the pot") == ["quota"]


def test_a_block_record_of_the_agent_may_speak_of_another_service():
    def of(layer: str, reason: str) -> list[str]:
        return [c.kind for c in claims_of(Blocked(at=AT, kind="rate", layer=layer, reason=reason))]

    assert of("agent", "the issue tracker API answered 429") == []
    assert of("agent", "model usage limit reached") == ["rate"]
    assert of("harness", "429") == ["rate"]


def test_a_closing_status_names_its_limit():
    def of(status: str, reason: str) -> list[str]:
        return [c.kind for c in claims_of(SessionEnded(at=AT, status=status, reason=reason))]

    assert of("failure", "exit_context") == ["context"]
    assert of("failure", "exit_cost") == ["budget"]
    assert of("failure", "ApiUsageLimitError") == ["quota"]
    assert of("success", "exit_cost") == []
    assert of("failure", "crashed") == []
