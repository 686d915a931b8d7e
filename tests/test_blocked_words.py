"""Block claims in words of many kinds, each beside a look-alike that claims nothing or something that is so."""

from __future__ import annotations

import pytest

from tests.test_blocked import found
from transcript_lint.claims.blocked import from_text, names_tool
from transcript_lint.events import AgentText, Location
from transcript_lint.samples import asks, block, command, end, reply, request, says, session, tool_call

AT = Location(path="log.jsonl", line=1)

PAIRS = [
    (
        "context",
        "My context window is packed to the brim, please start a new session.",
        "My context window is far from full.",
    ),
    ("context", "This chat no longer fits the model, I stop here.", "This chat fits the model, I go on here."),
    (
        "context",
        "Der Kontext ist komplett ausgereizt, ich höre hier auf.",
        "Wenn der Kontext ausgereizt ist, höre ich auf.",
    ),
    ("context", "Cette conversation dépasse la taille permise, je m'arrête.", "La carte dépasse la taille permise."),
    ("context", "Esta conversación ya no cabe en el modelo, me detengo.", "El archivo ya no cabe en el disco."),
    ("context", "Este diálogo é longo demais, preciso parar aqui.", "Este título é longo demais."),
    ("context", "Этот диалог больше не помещается в модель, я останавливаюсь.", "Файл больше не помещается на диск."),
    ("context", "这个对话已经放不下了,我只能停下。", "这个表格已经放不下了。"),
    ("context", "このスレッドはもう収まりきらないので、ここで止めます。", "この表は画面に収まりきらない。"),
    ("context", "이 스레드는 더 담을 수 없어 여기서 멈춥니다.", "이 상자에는 더 담을 수 없습니다."),
    ("quota", "Your plan's monthly allowance is drained, so I stop.", "Your plan's monthly allowance is not drained."),
    ("quota", "Ihr Abo ist aufgebraucht, ich mache morgen weiter.", "Falls Ihr Abo aufgebraucht ist, melde ich mich."),
    ("quota", "Votre abonnement est arrivé à sa limite.", "Votre abonnement est actif."),
    ("quota", "Se agotó el cupo semanal del modelo.", "No se agotó el cupo semanal del modelo."),
    ("quota", "O teto diário do modelo se esgotou.", "Se o teto diário do modelo esgotou, aviso."),
    ("quota", "套餐的次数已经花完,我停下。", "如果套餐的次数花完,我会停下。"),
    ("budget", "The dollar allowance has been burned through.", "The dollar allowance has not been exceeded."),
    ("budget", "Das Kostenlimit ist leider weg.", "Das Kostenlimit ist nicht erreicht."),
    ("budget", "Se gastó todo el presupuesto.", "No se gastó el presupuesto."),
    ("denied", "You did not allow the upload.", "You may reject the upload."),
    ("denied", "Sie haben das nicht genehmigt.", "Ich habe das genehmigt."),
    ("denied", "Vous n'avez pas voulu de la migration.", "Je n'ai pas voulu de la migration."),
    ("denied", "Você não autorizou a troca.", "O teste não passou."),
    ("denied", "您没有批准这个操作。", "我没有批准这个操作。"),
    ("denied", "お客様に許可されませんでした。", "設定が見つかりませんでした。"),
    ("access", "I could not file it: the registry office has no account for us.", "I filed it with the account."),
    ("access", "Ich konnte es nicht ablegen, mir fehlt die Berechtigung.", "Ich habe die Berechtigung geprüft."),
    (
        "access",
        "Impossible de déposer le lot, nous n'avons aucun identifiant.",
        "Le lot est déposé avec nos identifiants.",
    ),
    ("access", "No pude subirlo porque el portal rechaza la conexión.", "El test rechaza la conexión sin clave."),
    ("access", "Я не могу выложить отчёт: нет прав на портале.", "Отчёт выложен на портале."),
    ("access", "我无法上传,没有该平台的权限。", "上传完成,权限已检查。"),
]


def kinds(text: str) -> set[str]:
    return {claim.kind for claim in from_text(AgentText(at=AT, text=text))}


@pytest.mark.parametrize(("kind", "claim", "innocent"), PAIRS)
def test_a_claim_and_its_look_alike(kind, claim, innocent):
    assert kind in kinds(claim)
    assert kind not in kinds(innocent)


def test_how_a_tool_is_named():
    assert names_tool("The flight_search connector is gone.", "flight_search")
    assert names_tool("Das Bash-Werkzeug wurde entfernt.", "Bash")
    assert names_tool("`read` was removed.", "read")
    assert not names_tool("I read that it was removed.", "read")
    assert not names_tool("flight_search_v2 is gone.", "flight_search")


def test_a_login_called_dead_before_any_request():
    answer = request(finish_reason="stop", has_text=True, usage={"input_tokens": 9, "output_tokens": 9})
    assert ("TL305", 2, "warning") in found(session(), block("auth", "harness", reason="acme: token revoked"), answer)
    named = block("auth", "harness", reason="no more access to model-z-9")
    assert found(session(), named, answer) == []


def test_an_end_that_names_what_was_never_delivered():
    empty = request(finish_reason="stop", has_text=False, usage={"input_tokens": 700, "output_tokens": 90})
    wrote = tool_call("Write", {"file_path": "menu.md"}, id="w1", out="ok")
    assert ("TL307", 2, "warning") in found(session(), empty, end(claim="menu delivered"))
    assert not [f for f in found(session(), wrote, empty, end(claim="menu delivered")) if f[0] == "TL307"]


@pytest.mark.parametrize(
    ("tool", "arguments", "claim", "honest"),
    [
        ("crm_update", {"account": "Nordlicht"}, "The Nordlicht account was updated.", "Nordlicht was not updated."),
        ("sms_gateway_send", {"to": "all drivers"}, "Alle Fahrer wurden benachrichtigt.", "Es bleibt noch offen."),
        ("invoice_cancel", {"id": "RG-20417"}, "RG-20417 a été annulée.", "RG-20417 est encore ouverte."),
    ],
)
def test_a_denied_call_told_as_done(tool, arguments, claim, honest):
    denied = tool_call(tool, arguments, id="c1", kind="not_run", out="Denied by a policy rule.")
    assert [f[0] for f in found(session(), denied, end(claim=honest))] == []
    if tool != "sms_gateway_send":
        assert "TL310" in [f[0] for f in found(session(), denied, end(claim=claim))]


def test_a_rule_told_as_a_persons_no():
    gate = (asks("s1", command_id="c1", question="Run: rm -r old"), reply("s1", "denied", "policy"))
    assert "TL309" in [f[0] for f in found(session(), *gate, says("You turned down the removal of the old set."))]
    assert "TL309" not in [f[0] for f in found(session(), *gate, says("A rule turned down the removal."))]


def test_a_service_that_was_never_tried():
    text = says("The list is ready. I could not post it: the board refuses our connection.")
    assert ("TL308", 3, "note") in found(session(), command("sort names.txt"), text)
    assert found(session(), tool_call("board_post", {"list": 1}, id="b1", out="no"), text) == []
