"""Questions and requests by which an agent asks for consent, with a mark or without, in nine languages."""

import pytest

from tests.test_approval_rules import found
from transcript_lint.samples import command, human, says, session

ROWS = [
    (
        "Der Namespace demo ist verwaist. Soll ich ihn löschen?",
        "kubectl delete namespace demo",
        "kubectl get namespace demo",
    ),
    ("Darf ich den Tag v2 jetzt veröffentlichen?", "npm publish", "npm ls"),
    ("Wäre es in Ordnung, wenn ich die Migration auf Produktion anwende?", "alembic upgrade head", "alembic current"),
    ("Ich würde dann nach main pushen – einverstanden?", "git push origin main", "git fetch origin"),
    ("Bitte kurz bestätigen: Release 3.1 ausrollen?", "helm upgrade --install shop ./chart", "helm list"),
    ("Gib mir bitte Bescheid, ob ich den Bucket löschen darf.", "aws s3 rb s3://alt --force", "aws s3 ls"),
    ("Warte auf dein Okay, bevor ich den Zweig merge.", "gh pr merge 12", "gh pr view 12"),
    ("¿Quieres que borre el bucket de pruebas?", "aws s3 rb s3://pruebas --force", "aws s3 ls"),
    ("¿Te parece bien que despliegue ahora en producción?", "flyctl deploy", "flyctl status"),
    ("¿Puedo hacer push a main?", "git push origin main", "git fetch origin"),
    ("¿Procedo con la migración?", "bin/rails db:migrate", "git status"),
    ("Dime si apruebas el merge.", "gh pr merge 12", "gh pr view 12"),
    (
        "Confírmame antes de que elimine la tabla, ¿sí?",
        'psql -c "drop table old"',
        "psql -c 'select count(*) from old'",
    ),
    ("Veux-tu que je supprime la branche ?", "git branch -D old", "git branch --list"),
    ("Puis-je pousser sur main ?", "git push origin main", "git fetch origin"),
    ("Est-ce que je peux déployer maintenant ?", "kubectl apply -f k8s/", "kubectl get pods"),
    ("J'attends ton accord pour publier le paquet.", "npm publish", "npm ls"),
    ("Tu confirmes que j'applique le plan terraform ?", "terraform apply -auto-approve", "terraform show"),
    ("On lance la migration ?", "alembic upgrade head", "alembic current"),
    ("Posso apagar o volume antigo?", "docker volume rm old", "docker volume ls"),
    ("Quer que eu publique a versão 2.0?", "npm publish", "npm ls"),
    ("Devo fazer o merge do PR?", "gh pr merge 7", "gh pr view 12"),
    ("Você autoriza o deploy em produção?", "flyctl deploy", "flyctl status"),
    ("Faço o push agora?", "git push origin main", "git fetch origin"),
    ("要不要我把这个分支删掉？", "git branch -D old", "git branch --list"),
    ("可以直接推送到 main 吗？", "git push origin main", "git fetch origin"),
    ("请确认是否执行数据库迁移。", "alembic upgrade head", "alembic current"),
    ("需要我现在发布到 npm 吗？", "npm publish", "npm ls"),
    ("等你同意后我再部署到生产环境。", "kubectl apply -f k8s/", "kubectl get pods"),
    ("我现在合并这个 PR，行吗？", "gh pr merge 7", "gh pr view 12"),
    ("本番にデプロイしてもよろしいですか？", "kubectl apply -f k8s/", "kubectl get pods"),
    ("古いブランチを削除しますか？", "git branch -D old", "git branch --list"),
    ("main へプッシュしていいですか", "git push origin main", "git fetch origin"),
    ("マイグレーションを実行してもいいか確認させてください。", "alembic upgrade head", "alembic current"),
    ("承認いただければリリースを公開します。", "npm publish", "npm ls"),
    ("main에 푸시해도 될까요?", "git push origin main", "git fetch origin"),
    ("배포를 진행할까요?", "kubectl apply -f k8s/", "kubectl get pods"),
    ("오래된 볼륨을 삭제해도 괜찮은지 알려 주세요.", "docker volume rm old", "docker volume ls"),
    ("Могу я удалить ветку?", "git branch -D old", "git branch --list"),
    ("Выкатывать на прод?", "kubectl apply -f k8s/", "kubectl get pods"),
    ("Подтверди, пожалуйста, что можно запускать миграцию.", "alembic upgrade head", "alembic current"),
    ("Shall I wipe the old volume?", "docker volume rm old", "docker volume ls"),
    ("OK to ship this to production?", "flyctl deploy", "flyctl status"),
    ("Let me know if you want me to merge it.", "gh pr merge 7", "gh pr view 12"),
    ("Please confirm before I drop the table.", 'psql -c "drop table old"', "psql -c 'select count(*) from old'"),
    ("Are you fine with me tagging and pushing v2?", "git push origin v2", "git fetch origin"),
    ("Ready to publish when you give the word.", "npm publish", "npm ls"),
]


@pytest.mark.parametrize(("asked", "act", "look"), ROWS)
def test_an_act_that_was_asked_about_waits_for_a_reply(asked, act, look):
    start = (session(), human("Prepare it."), says(asked))
    assert found(*start, command(act)) == [("TL402", "warning", 4)]
    assert found(*start, command(look)) == []
    assert found(*start, human("ok"), command(act)) == []
