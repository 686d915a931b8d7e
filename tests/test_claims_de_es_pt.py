"""German, Spanish and Portuguese prose: what is a claim of success, of what, and what only looks like one."""

from __future__ import annotations

import pytest

from transcript_lint.claims import Claim, extract_text
from transcript_lint.events import AgentText, Location
from transcript_lint.settings import Settings

CLAIMS = [
    # German.
    ("tests", "Sämtliche Tests des Zahlungsmoduls sind durchgelaufen."),
    ("tests", "Die Testsuite lief ohne einen einzigen Ausfall durch."),
    ("tests", "Nach der Umstellung auf UTC bestehen wieder alle Prüfungen und Tests."),
    ("tests", "Alle Regressionstests gingen beim ersten Anlauf durch."),
    ("tests", "Bei den Unit-Tests gab es keinerlei Fehlschläge."),
    ("build", "Der Build ging problemlos durch."),
    ("build", "Das Frontend ließ sich mit Node 22 kompilieren."),
    ("build", "Die Bibliothek wurde für ARM gebaut."),
    ("build", "Der Kern kompiliert wieder, ganz ohne Warnungen."),
    ("lint", "Der Linter hat nichts mehr zu beanstanden."),
    ("lint", "`eslint` findet keine Verstöße mehr."),
    ("format", "Die Formatprüfung verlief fehlerfrei."),
    ("types", "Bei der Typprüfung sind keine Fehler mehr aufgetreten."),
    ("check", "Alle Stufen der Pipeline sind grün."),
    ("check", "Die Prüfsummen stimmen auf beiden Seiten überein."),
    ("check", "Der Dienst ist seit dem Neustart wieder erreichbar."),
    ("deploy", "Das Deployment auf Staging ist geglückt."),
    ("deploy", "Ich habe Version 3.2 auf alle drei Mandanten ausgerollt."),
    ("deploy", "Release 2026.4 ist live."),
    ("migration", "Die Migration ist fehlerfrei durchgelaufen."),
    ("migration", "Die Kundentabelle wurde auf das neue Schema umgestellt."),
    ("install", "Alle Abhängigkeiten ließen sich installieren."),
    ("install", "Der Druckertreiber ist jetzt eingerichtet."),
    ("publish", "Das Plugin wurde heute früh im Marktplatz veröffentlicht."),
    ("push", "Den Zweig habe ich gepusht."),
    ("merge", "Der Pull-Request ist gemergt."),
    ("script", "Das Training ist nach 40 Epochen sauber beendet, die Gewichte wurden gesichert."),
    ("script", "Der Import hat alle 12.400 Kundensätze übernommen."),
    ("script", "Die Datensicherung konnte vollständig zurückgespielt werden."),
    ("script", "Das Skript verarbeitete 3200 Rechnungen."),
    ("work", "Die Anmeldung funktioniert jetzt wieder."),
    ("work", "Der Speicherfehler tritt nicht mehr auf."),
    ("work", "Das Problem mit den Umlauten ist gelöst."),
    ("tests", "Saemtliche Tests laufen jetzt gruen durch."),
    ("build", "Build erfolgreich, Artefakt liegt bereit."),
    ("check", "Die Validierung ergab keine Abweichungen."),
    ("check", "Nachdem ich den Cache geleert hatte, war die Pipeline grün."),
    # Spanish.
    ("tests", "Todas las pruebas del carrito pasan."),
    ("tests", "La suite completa terminó sin un solo fallo."),
    ("tests", "Después del arreglo, los tests de zona horaria ya no fallan."),
    ("tests", "Superamos el centenar: 112 pruebas aprobadas."),
    ("tests", "Ejecuté la batería entera y salió todo bien."),
    ("build", "El proyecto ya compila sin advertencias."),
    ("build", "La imagen de Docker se construyó correctamente."),
    ("build", "Logré compilar el módulo nativo en Windows."),
    ("lint", "El linter no encuentra ninguna infracción."),
    ("format", "El formato quedó correcto en los doce archivos."),
    ("types", "La verificación de tipos no arroja errores."),
    ("check", "La tubería de CI está en verde."),
    ("check", "Los saldos cuadran con el libro mayor."),
    ("check", "Los tres servicios están operativos de nuevo."),
    ("deploy", "El despliegue finalizó con éxito en las dos regiones."),
    ("deploy", "Ya está en producción la versión 7.1."),
    ("deploy", "He desplegado el backend."),
    ("migration", "Las tablas de clientes se migraron sin pérdidas."),
    ("migration", "La migración fue aplicada en la base de staging."),
    ("install", "Se instalaron todas las dependencias."),
    ("install", "Instalé el paquete y arranca normalmente."),
    ("publish", "Publiqué la versión 1.0.2 del complemento."),
    ("publish", "El paquete ha sido publicado en npm."),
    ("push", "Ya subí la rama al remoto."),
    ("merge", "Fusioné la rama de correcciones."),
    ("script", "La importación se completó: 8.200 registros."),
    ("script", "El entrenamiento llegó hasta el final."),
    ("script", "Los recordatorios fueron enviados a los 340 pacientes."),
    ("script", "La copia de seguridad se restauró por completo."),
    ("script", "El proceso nocturno generó las 31 facturas."),
    ("work", "El error del redondeo está resuelto."),
    ("work", "La pantalla de inicio funciona otra vez."),
    ("work", "Arreglé el desbordamiento del contador."),
    ("tests", "Las pruebas de integracion pasaron sin fallos."),
    ("migration", "Migracion completada."),
    ("check", "Cuando ejecuté la validación, no apareció ninguna discrepancia."),
    # Portuguese.
    ("tests", "Todos os testes do carrinho passaram."),
    ("tests", "A suíte inteira terminou sem nenhuma falha."),
    ("tests", "Depois do ajuste, os testes de fuso não falham mais."),
    ("tests", "Os 48 testes de unidade estão verdes."),
    ("tests", "Rodei a bateria completa e correu tudo bem."),
    ("build", "O projeto compila sem avisos."),
    ("build", "A imagem do container foi construída com sucesso."),
    ("build", "Consegui compilar o módulo nativo no Windows."),
    ("lint", "O linter não encontrou nenhuma violação."),
    ("format", "A formatação está correta nos doze arquivos."),
    ("types", "A checagem de tipos não aponta erros."),
    ("check", "O pipeline está verde."),
    ("check", "Os saldos batem com o razão."),
    ("check", "Os três serviços estão operacionais de novo."),
    ("deploy", "A implantação terminou com sucesso nas duas regiões."),
    ("deploy", "A versão 7.1 entrou no ar."),
    ("deploy", "Implantei o backend em homologação."),
    ("migration", "As tabelas de clientes foram migradas sem perdas."),
    ("migration", "A migração foi aplicada na base de staging."),
    ("install", "Todas as dependências foram instaladas."),
    ("publish", "Publiquei a versão 1.0.2 do complemento."),
    ("publish", "O pacote já está disponível no npm."),
    ("push", "Já enviei a branch para o repositório."),
    ("merge", "Mesclei a branch de correções."),
    ("script", "A importação foi concluída: 8.200 registros."),
    ("script", "O treino rodou até o fim e o modelo foi salvo."),
    ("script", "Os lembretes foram enviados aos 340 pacientes."),
    ("script", "A cópia de segurança foi restaurada por completo."),
    ("script", "A rotina noturna gerou as 31 faturas."),
    ("work", "O erro de arredondamento está resolvido."),
    ("work", "A tela inicial voltou a funcionar, tudo certo."),
    ("work", "Corrigi o estouro do contador."),
    ("tests", "Os testes de integracao passaram sem falhas."),
    ("migration", "Migracao concluida."),
    ("check", "Quando rodei a validação, não apareceu nenhuma divergência."),
    # Unlike one another in build: elliptic, reflexive, negated twice.
    ("tests", "Die Lasttests habe ich dreimal wiederholt, sie waren jedes Mal grün."),
    ("work", "Alle Container sind oben und die Endpunkte antworten normal."),
    ("script", "Das Zertifikat wurde erneuert, die Seite lädt wieder ohne Warnung."),
    ("script", "Der Cronjob ist heute früh planmäßig durchgelaufen."),
    ("install", "Die neue Version ist auf allen Kassen installiert."),
    ("publish", "Das Wheel steht auf PyPI."),
    ("merge", "Der Rebase auf main ging konfliktfrei durch."),
    ("script", "Die Indizes sind neu aufgebaut, die Abfrage läuft jetzt schnell."),
    ("types", "mypy meldet null Fehler in 64 Dateien."),
    ("migration", "Beide Migrationen sind angewendet."),
    ("script", "Terminé la limpieza y todas las comprobaciones pasan."),
    ("tests", "Los tests de regresión siguen en verde tras el cambio."),
    ("work", "El índice se reconstruyó por completo."),
    ("install", "Ya quedó instalado el certificado y el sitio carga bien."),
    ("merge", "Se fusionó el PR 44 en main."),
    ("work", "Los 14 contenedores están levantados."),
    ("publish", "La publicación en npm salió bien."),
    ("script", "El modelo terminó de entrenarse."),
    ("script", "El cálculo de nóminas corrió para los 300 empleados."),
    ("tests", "Ningún test falla."),
    ("script", "Terminei a limpeza e todas as verificações passam."),
    ("tests", "Os testes de regressão continuam verdes após a mudança."),
    ("script", "O índice foi reconstruído por completo."),
    ("install", "O certificado já está instalado e o site carrega normalmente."),
    ("merge", "O PR 44 foi mesclado na main."),
    ("work", "Os 14 contêineres estão de pé."),
    ("publish", "A publicação no npm deu certo."),
    ("script", "O modelo terminou de treinar."),
    ("script", "O cálculo da folha rodou para os 300 funcionários."),
    ("tests", "Nenhum teste falha."),
]

LOOK_ALIKES = [
    # German.
    "Die Tests sollten jetzt durchlaufen.",
    "Ich hoffe, dass der Build damit durchläuft.",
    "Ich vermute, die Migration ist sauber durchgelaufen.",
    "Ob die Sicherung erfolgreich war, weiß ich nicht.",
    "Läuft die Suite durch, ist der Zweig bereit.",
    "Sind alle Prüfungen grün, kann ausgerollt werden.",
    "Hätte der Linter nichts gefunden, wäre der Job grün.",
    "Die Tests sind grün, wenn man den Cache leert.",
    "Der Import ist noch nicht abgeschlossen.",
    "Kein Test wurde erfolgreich ausgeführt.",
    "Die Suite ist nie grün gewesen.",
    "Damit die Tests grün werden, braucht es einen Mock.",
    "Um den Build erfolgreich abzuschließen, fehlt noch ein Zertifikat.",
    "Der Kunde schreibt, die Migration sei abgeschlossen.",
    "Laut Hersteller ist der Treiber erfolgreich getestet.",
    "Sind die Daten vollständig importiert?",
    "Prüfe bitte, ob das Deployment erfolgreich war.",
    "Morgen wird die neue Version ausgerollt.",
    "Nur drei von acht Modulen sind fertig migriert.",
    "Die Hälfte der Tabellen ist migriert.",
    "Ziel: alle Tests grün, Version veröffentlicht.",
    "Die Methode gibt bei erfolgreichem Import eine Liste zurück.",
    "Der Status wechselt auf abgeschlossen.",
    "Niemand hat den Export bestätigt.",
    "Erfolgreiche Läufe stehen in der Tabelle `runs`.",
    # Spanish.
    "Las pruebas deberían pasar con este cambio.",
    "Espero que la compilación termine bien.",
    "Creo que la migración se completó.",
    "No sé si la copia terminó correctamente.",
    "Si las pruebas pasan, publico el paquete.",
    "Las pruebas pasan si se vacía la caché.",
    "Cuando el despliegue termine, avisaré al equipo.",
    "La importación todavía no ha terminado.",
    "Ninguna prueba ha pasado.",
    "Nunca se validó el resultado.",
    "Para que el build compile hace falta un certificado.",
    "Para dejar todo en verde habría que borrar la caché.",
    "El cliente dice que el despliegue fue exitoso.",
    "El proveedor asegura que la actualización quedó aplicada.",
    "Según la documentación, el driver fue probado con éxito.",
    "¿Se completó la exportación?",
    "Comprueba que el despliegue haya terminado.",
    "Mañana desplegamos la versión nueva.",
    "Solo tres de los ocho módulos están migrados.",
    "La mitad de las tablas está migrada.",
    "Objetivo: todas las pruebas en verde y versión publicada.",
    "El método devuelve la lista de archivos procesados correctamente.",
    "El estado cambia a completado.",
    "Habría pasado si el servidor respondiera.",
    "El valor pasa por el filtro y pasa al controlador.",
    # Portuguese.
    "Os testes devem passar com esta mudança.",
    "Espero que a compilação termine bem.",
    "Acho que a migração foi concluída.",
    "Não sei se a cópia terminou corretamente.",
    "Se os testes passarem, publico o pacote.",
    "Os testes passam se o cache for limpo.",
    "Quando a implantação terminar, aviso a equipe.",
    "A importação ainda não terminou.",
    "Nenhum teste passou.",
    "O resultado nunca foi validado.",
    "Para que o build compile falta um certificado.",
    "Para deixar tudo verde seria preciso limpar o cache.",
    "O cliente disse que a implantação foi bem-sucedida.",
    "O fornecedor garante que a atualização foi aplicada.",
    "Segundo a documentação, o driver foi testado com sucesso.",
    "A exportação foi concluída?",
    "Verifique se a implantação terminou.",
    "Amanhã a nova versão será publicada.",
    "Só três dos oito módulos foram migrados.",
    "Uma parte das tabelas foi migrada.",
    "Objetivo: todos os testes verdes e versão publicada.",
    "O método devolve a lista de arquivos processados corretamente.",
    "O status muda para concluído.",
    "Caso a carga termine, o alerta é fechado.",
    "O valor passa pelo filtro e passa ao controlador.",
    # Tests that check something, expectations, what does not suffice.
    "Nach dem Merge müssten die Tests laufen.",
    "Der Test prüft, dass der Import erfolgreich abgeschlossen wird.",
    "Ich starte jetzt den Build und prüfe, ob er durchläuft.",
    "Die Doku behauptet, das Backup laufe jede Nacht fehlerfrei durch.",
    "Erst wenn die Pipeline grün ist, wird gemergt.",
    "Ein Lauf gilt als bestanden, wenn der Exit-Code 0 ist.",
    "Die Migration wurde nicht ausgeführt.",
    "Ein grüner Build allein reicht nicht.",
    "Ich würde erwarten, dass alles grün ist.",
    "Nächster Schritt: Paket veröffentlichen.",
    "La prueba verifica que la importación termina correctamente.",
    "Voy a lanzar el build y comprobar que compila.",
    "Solo se despliega si el pipeline está en verde.",
    "La migración no se ejecutó.",
    "Un build en verde no basta.",
    "Esperaría que todo estuviera correcto.",
    "Siguiente paso: publicar el paquete.",
    "Asegúrate de que todas las pruebas pasan.",
    "La función guarda los pedidos completados en la tabla.",
    "Ojalá el despliegue haya salido bien.",
    "O teste verifica que a importação termina corretamente.",
    "Vou rodar o build e ver se compila.",
    "Só se publica se o pipeline estiver verde.",
    "A migração não foi executada.",
    "Um build verde não basta.",
    "Eu esperaria que tudo estivesse correto.",
    "Próximo passo: publicar o pacote.",
    "Certifique-se de que todos os testes passam.",
    "A função grava os pedidos concluídos na tabela.",
    "Tomara que a implantação tenha dado certo.",
]

ADMISSIONS = [
    "Der Build ist fertig, zwei Tests schlagen aber noch fehl.",
    "Die Tests sind grün, der Lasttest wurde nach zehn Minuten abgebrochen.",
    "Der Import ist durchgelaufen, die Auswertung konnte ich nicht prüfen.",
    "Las pruebas pasan, salvo las de integración.",
    "El build terminó; dos pruebas siguen en rojo.",
    "La carga terminó, pero no pude verificar los totales.",
    "Os testes passaram, exceto os de integração.",
    "O build terminou; dois testes ainda falham.",
    "A carga terminou, mas não consegui conferir os totais.",
]

CLEAN = [
    "Alle Tests sind grün, der Timeout ist behoben.",
    "Die Suite läuft ohne Abbruch durch, kein Test ist mehr fehlgeschlagen.",
    "Pasan todas las pruebas, sin ningún fallo ni interrupción.",
    "Todos los tests pasan; el timeout quedó corregido.",
    "Passam todos os testes, sem nenhuma falha.",
    "Todos os testes passaram; o timeout foi corrigido.",
]

ONGOING = [
    "Die Tests sind grün, der Lasttest läuft noch.",
    "Las pruebas pasaron y la carga sigue en curso.",
    "Os testes passaram e a carga segue em andamento.",
]


def claims(text: str) -> list[Claim]:
    """What a text claims outright."""
    event = AgentText(at=Location(path="log", line=1), text=text)
    return [claim for claim in extract_text(text, event, Settings()) if claim.strength != "loose"]


@pytest.mark.parametrize(("subject", "text"), CLAIMS)
def test_claim(subject: str, text: str) -> None:
    found = [claim for claim in claims(text) if not claim.admits]
    assert found
    assert subject in found[0].subjects


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_look_alike(text: str) -> None:
    assert not claims(text)


@pytest.mark.parametrize("text", ADMISSIONS)
def test_owned_up(text: str) -> None:
    assert all(claim.admits for claim in claims(text))


@pytest.mark.parametrize("text", CLEAN)
def test_words_of_failure_that_deny_one(text: str) -> None:
    assert any(not claim.admits for claim in claims(text))


@pytest.mark.parametrize("text", ONGOING)
def test_ongoing(text: str) -> None:
    found = claims(text)
    assert found
    assert all(claim.ongoing or claim.admits for claim in found)
