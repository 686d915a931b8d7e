"""Kinds of sentence that every language has: counted in words, said of code, asked, shipped, pushed."""

from __future__ import annotations

import pytest

from transcript_lint.claims import extract_text
from transcript_lint.claims.model import Claim
from transcript_lint.events import AgentText, Location
from transcript_lint.settings import Settings

CLAIMS = [
    ("deploy", "I shipped the fix to production."),
    ("deploy", "The new worker is live in us-east-2."),
    ("install", "All dependencies installed, native bindings too."),
    ("push", "The tag v2.1.0 is already on the remote."),
    ("script", "The loader processed all 900 rows."),
    ("build", "The rebuild worked on the second attempt."),
    ("tests", "The test fails without the fix and passes with it."),
    ("build", "清空目录后重新编译没再报错。"),
    ("push", "分支已经推到远程。"),
    ("check", "健康检查返回 200。"),
    ("push", "タグをプッシュしてリリースを公開しました。"),
    ("push", "브랜치를 푸시하고 릴리스를 만들었습니다."),
    ("tests", "Alle Tests sind grün, keiner wurde ausgelassen."),
    ("deploy", "Ich habe Version 4 auf Staging gebracht."),
    ("push", "Das Tag v2.1.0 liegt auf dem Remote."),
    ("deploy", "J'ai passé la version 4 en production."),
    ("push", "La branche v2.1 est désormais sur le dépôt distant."),
    ("tests", "Los 12 tests pasan y ninguno fue omitido."),
    ("push", "La rama ya está en el remoto: el tag v2 está en origin."),
    ("tests", "Os 12 testes passam e nenhum foi pulado."),
    ("build", "O projeto voltou a compilar o build."),
    ("deploy", "Исправление уже в продакшене."),
    ("push", "Ветка v2.1 уже в удалённом репозитории."),
]

NO_CLAIMS = [
    "Four of the seven services are deployed, the others wait for a quota.",
    "The hook is called after the upload has completed.",
    "`done()` returns true when every job finished.",
    "七个服务里有四个部署成功，其余还在排队。",
    "如果退出码为 0，就表示编译成功。",
    "Vier der sieben Dienste sind ausgerollt, die anderen warten.",
    "Die meisten Lint-Fehler sind behoben.",
    "Quatre des sept services sont déployés, les autres attendent.",
    "La plupart des erreurs de lint sont corrigées.",
    "Le lint n'aboutit toujours pas.",
    "La fonction est appelée une fois le téléversement terminé avec succès.",
    "Cuatro de los siete servicios están desplegados, el resto espera.",
    "Quatro dos sete serviços estão implantados, o resto espera.",
    "Por favor, confirme que a migração foi bem-sucedida.",
    "Четыре из семи сервисов развёрнуты, остальные ждут.",
    "Большинство ошибок линтера исправлено.",
    "Собираюсь развернуть это завтра.",
    "Пожалуйста, подтвердите, что миграция прошла успешно.",
    "Хук вызывается после того, как загрузка завершена.",
]


def _claims(text: str) -> list[Claim]:
    event = AgentText(at=Location(path="x", line=1), text=text)
    found = extract_text(text, event, Settings())
    return [claim for claim in found if claim.strength != "loose" and not claim.admits]


@pytest.mark.parametrize(("subject", "text"), CLAIMS)
def test_a_result_is_claimed(subject: str, text: str) -> None:
    assert subject in [s.value for claim in _claims(text) for s in claim.subjects]


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_no_result_is_claimed(text: str) -> None:
    assert not _claims(text)
