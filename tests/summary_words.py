"""How a writer of summaries tells or turns the open facts, in nine languages: sentences with a gap for the name."""

from __future__ import annotations

from typing import NamedTuple

from transcript_lint.ledger.open_facts import Sort


class Words(NamedTuple):
    """`told` keeps a fact of each kind, `turned` makes a success or a yes of it, `ran` mentions a run without its end.

    What a call in flight came to nobody can tell, so nothing of it can be turned.
    """

    told: dict[Sort, str]
    turned: dict[Sort, str]
    ran: str


WORDS = {
    "en": Words(
        told={
            Sort.FAILURE: "- {} failed and must be run again.",
            Sort.UNREAD: "- {} is still running, its result is not known yet.",
            Sort.IN_FLIGHT: "- {} was cut off by the compaction and has no result.",
            Sort.DENIAL: "- The user refused this: {}",
            Sort.QUESTION: "- Pending, nobody has answered yet: {}",
        },
        turned={
            Sort.FAILURE: "- {} passed without errors.",
            Sort.UNREAD: "- {} is done and passed.",
            Sort.DENIAL: "- The user approved this: {}",
            Sort.QUESTION: "- The user answered yes and approved this: {}",
        },
        ran="- {} was run after the last edit.",
    ),
    "de": Words(
        told={
            Sort.FAILURE: "- {} ist fehlgeschlagen und muss wiederholt werden.",
            Sort.UNREAD: "- {} läuft noch, das Ergebnis ist nicht bekannt.",
            Sort.IN_FLIGHT: "- {} wurde durch die Verdichtung abgebrochen und hat kein Ergebnis.",
            Sort.DENIAL: "- Der Benutzer hat das abgelehnt: {}",
            Sort.QUESTION: "- Offen, noch hat niemand geantwortet: {}",
        },
        turned={
            Sort.FAILURE: "- {} ist fehlerfrei durchgelaufen.",
            Sort.UNREAD: "- {} ist erfolgreich beendet.",
            Sort.DENIAL: "- Der Benutzer hat das genehmigt: {}",
            Sort.QUESTION: "- Der Benutzer hat zugestimmt: {}",
        },
        ran="- {} wurde nach der letzten Änderung angestoßen.",
    ),
    "fr": Words(
        told={
            Sort.FAILURE: "- {} a échoué et doit être relancé.",
            Sort.UNREAD: "- {} est encore en cours, le résultat est inconnu.",
            Sort.IN_FLIGHT: "- {} a été interrompu par la compaction, pas de résultat.",
            Sort.DENIAL: "- L'utilisateur a refusé ceci : {}",
            Sort.QUESTION: "- En attente, personne n'a encore répondu : {}",
        },
        turned={
            Sort.FAILURE: "- {} est passé sans erreur.",
            Sort.UNREAD: "- {} est terminé avec succès.",
            Sort.DENIAL: "- L'utilisateur a approuvé ceci : {}",
            Sort.QUESTION: "- L'utilisateur a donné son accord : {}",
        },
        ran="- {} a été exécuté après la dernière modification.",
    ),
    "es": Words(
        told={
            Sort.FAILURE: "- {} falló y hay que volver a ejecutarlo.",
            Sort.UNREAD: "- {} sigue en curso, aún no se conoce el resultado.",
            Sort.IN_FLIGHT: "- {} fue interrumpido por la compactación, sin resultado.",
            Sort.DENIAL: "- El usuario rechazó esto: {}",
            Sort.QUESTION: "- Pendiente, nadie ha respondido aún: {}",
        },
        turned={
            Sort.FAILURE: "- {} pasó sin errores.",
            Sort.UNREAD: "- {} terminó con éxito.",
            Sort.DENIAL: "- El usuario aprobó esto: {}",
            Sort.QUESTION: "- El usuario dio su aprobación: {}",
        },
        ran="- {} se lanzó tras el último cambio.",
    ),
    "pt": Words(
        told={
            Sort.FAILURE: "- {} falhou e precisa ser executado novamente.",
            Sort.UNREAD: "- {} ainda está em andamento, o resultado não é conhecido.",
            Sort.IN_FLIGHT: "- {} foi interrompido pela compactação, sem resultado.",
            Sort.DENIAL: "- O usuário recusou isto: {}",
            Sort.QUESTION: "- Pendente, ninguém respondeu ainda: {}",
        },
        turned={
            Sort.FAILURE: "- {} passou sem erros.",
            Sort.UNREAD: "- {} terminou com sucesso.",
            Sort.DENIAL: "- O usuário aprovou isto: {}",
            Sort.QUESTION: "- O usuário deu a sua aprovação: {}",
        },
        ran="- {} foi iniciado depois da última alteração.",
    ),
    "ru": Words(
        told={
            Sort.FAILURE: "- {} завершилась с ошибкой, нужно запустить заново.",
            Sort.UNREAD: "- {} ещё выполняется, результат неизвестен.",
            Sort.IN_FLIGHT: "- {} прервана сжатием, результата нет.",
            Sort.DENIAL: "- Пользователь отказал: {}",
            Sort.QUESTION: "- Ожидает ответа, никто ещё не ответил: {}",
        },
        turned={
            Sort.FAILURE: "- {} прошла без ошибок.",
            Sort.UNREAD: "- {} успешно завершена.",
            Sort.DENIAL: "- Пользователь одобрил: {}",
            Sort.QUESTION: "- Пользователь дал согласие: {}",
        },
        ran="- {} запускалась после последней правки.",
    ),
    "zh": Words(
        told={
            Sort.FAILURE: "- {} 失败了,必须重新运行。",
            Sort.UNREAD: "- {} 仍在运行,结果未知。",
            Sort.IN_FLIGHT: "- {} 被压缩中断,没有结果。",
            Sort.DENIAL: "- 用户拒绝了:{}",
            Sort.QUESTION: "- 待回复,还没有人回答:{}",
        },
        turned={
            Sort.FAILURE: "- {} 已通过,没有错误。",
            Sort.UNREAD: "- {} 已成功完成。",
            Sort.DENIAL: "- 用户已批准:{}",
            Sort.QUESTION: "- 用户已同意:{}",
        },
        ran="- 最后一次修改之后运行了 {}。",
    ),
    "ja": Words(
        told={
            Sort.FAILURE: "- {} は失敗した。再実行が必要。",
            Sort.UNREAD: "- {} はまだ実行中で、結果は不明。",
            Sort.IN_FLIGHT: "- {} は圧縮で中断され、結果はありません。",
            Sort.DENIAL: "- ユーザーは拒否した:{}",
            Sort.QUESTION: "- 回答待ち、まだ誰も答えていない:{}",
        },
        turned={
            Sort.FAILURE: "- {} はエラーなしで成功した。",
            Sort.UNREAD: "- {} は正常に完了した。",
            Sort.DENIAL: "- ユーザーは承認した:{}",
            Sort.QUESTION: "- ユーザーは同意した:{}",
        },
        ran="- 最後の変更の後に {} を実行した。",
    ),
    "ko": Words(
        told={
            Sort.FAILURE: "- {} 는 실패했고 다시 실행해야 한다.",
            Sort.UNREAD: "- {} 는 아직 실행 중이며 결과를 알 수 없다.",
            Sort.IN_FLIGHT: "- {} 는 압축으로 중단되어 결과가 없다.",
            Sort.DENIAL: "- 사용자가 거부했다: {}",
            Sort.QUESTION: "- 대기 중, 아직 아무도 답하지 않았다: {}",
        },
        turned={
            Sort.FAILURE: "- {} 는 오류 없이 통과했다.",
            Sort.UNREAD: "- {} 는 성공적으로 완료되었다.",
            Sort.DENIAL: "- 사용자가 승인했다: {}",
            Sort.QUESTION: "- 사용자가 동의했다: {}",
        },
        ran="- 마지막 변경 후 {} 를 실행했다.",
    ),
}
