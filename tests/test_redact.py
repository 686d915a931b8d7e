"""Credentials of every kind are taken out, their look-alikes stay. All values are invented."""

import random
import re
import string
import time

import pytest

from transcript_lint.redact import MASK, Redactor

_RANDOM = random.Random(11)
_ALNUM = string.ascii_letters + string.digits


def _word(size: int, alphabet: str = _ALNUM) -> str:
    return "".join(_RANDOM.choice(alphabet) for _ in range(size))


def _hex(size: int) -> str:
    return _word(size, "0123456789abcdef")


_KEY = "\n".join(_word(64) for _ in range(6)) + "\n" + _word(22)

SECRETS = {
    "aws id": ("export AWS_ACCESS_KEY_ID={}", "AKIA" + _word(16, string.ascii_uppercase + string.digits)),
    "aws session id": ("{}", "ASIA" + _word(16, string.ascii_uppercase)),
    "aws secret": ("aws_secret_access_key = {}", _word(20) + "/" + _word(19)),
    "bearer": ("curl -H 'Authorization: Bearer {}' https://x.test", _word(40)),
    "basic": ('"authorization": "Basic {}"', _word(24)),
    "password assignment": ("password={}", "hunter2!x"),
    "password in json": ('{{"user": "a", "password": "{}"}}', "corr3ct-horse"),
    "password in escaped json": ('{{\\"password\\": \\"{}\\"}}', "corr3ct-horse"),
    "password option": ("login --user a --password {} --yes", "Winter2026!"),
    "mysql": ("mysql -u root -p{} app", "S3cr3t!x"),
    "curl user": ("curl -u admin:{} https://x.test", "S3cretPass1"),
    "environment": ("PGPASSWORD={} psql", "Tr0ub4dor3"),
    "api key": ("api_key: {}", _hex(32)),
    "api key header": ("x-api-key: {}", _word(32)),
    "client secret": ("client_secret={}", _word(32)),
    "secret base": ("SECRET_KEY_BASE={}", _hex(64)),
    "token": ("GITHUB_TOKEN={}", _word(40)),
    "github": ("{}", "ghp_" + _word(36)),
    "github fine": ("{}", "github_pat_" + _word(60)),
    "gitlab": ("{}", "glpat-" + _word(20)),
    "slack": ("{}", "xoxb-123456789012-" + _word(24)),
    "slack webhook": ("https://hooks.slack.com/{}", f"services/T0{_word(8)}/B0{_word(8)}/{_word(24)}"),
    "discord webhook": ("https://discord.com/api/webhooks/{}", "112233445566778899/" + _word(68)),
    "openai": ("{}", "sk-" + _word(48)),
    "openai project": ("{}", "sk-proj-" + _word(40)),
    "anthropic": ("K={};", "sk-ant-api03-" + _word(48)),
    "google": ("key={}&x=1", "AIza" + _word(35)),
    "npm": ("//registry.test/:_authToken={}", "npm_" + _word(36)),
    "pypi": ("{}", "pypi-AgEIcHlwaS5vcmc" + _word(60)),
    "stripe": ("{}", "sk_live_" + _word(24)),
    "sendgrid": ("{}", f"SG.{_word(22)}.{_word(43)}"),
    "twilio": ("{}", "SK" + _hex(32)),
    "telegram": ("{}", "8200000001:AA" + _word(33)),
    "hugging face": ("{}", "hf_" + _word(34)),
    "jwt": ("cookie: s={}", f"eyJ{_word(20)}.{_word(40)}.{_word(43)}"),
    "database url": ("postgres://app:{}@db.test/app", _word(14)),
    "web url": ("https://user:{}@host.test/x", "p4ss"),
    "azure": ("AccountName=a;AccountKey={};", _word(86) + "=="),
    "private key": ("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", _KEY),
    "private key, end cut": ("-----BEGIN OPENSSH PRIVATE KEY-----\n{}", _KEY),
    "private key, beginning cut": ("{}\n-----END PRIVATE KEY-----", _KEY),
}

LOOK_ALIKES = [
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:" + _hex(64),
    f"integrity sha512-{_word(86)}==",
    "token: 123e4567-e89b-12d3-a456-426614174000",
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "Authorization: Bearer $(cat ~/.token)",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer [redacted]",
    "AKIA****************",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "password=***",
    f"password={MASK}",
    "password=$PASSWORD",
    "password: string",
    'initial_password = "pbkdf2_sha256$..."',
    "password = get_password()",
    "password=self.password",
    "api_key=os.environ['API_KEY']",
    "api_key = config.api_key2",
    "export API_KEY=your_api_key_here",
    "const token = process.env.TOKEN1;",
    "secret = secrets.token_hex(16)",
    "max_tokens: 4096",
    "next_token=AbCdEf123456789012",
    "tokens used: 41200, then nothing",
    "PWD=/work/app/a1",
    "test_password_reset_token_12 PASSED",
    "the token expired 2026-01-01T00:00:00Z",
    "postgres://postgres:postgres@localhost/app",
    "http://localhost:3000/user@x",
    "git@github.com:owner/name.git",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "if '-----BEGIN RSA PRIVATE KEY-----' in text: raise ValueError",
    "sk-learn-pipeline-with-a-long-name",
    "task-1234567890abcdefghijkl",
]


@pytest.mark.parametrize(("frame", "secret"), SECRETS.values(), ids=SECRETS)
def test_credential_is_taken_out(frame, secret):
    text = "before\n" + frame.format(secret) + "\nafter"
    redactor = Redactor()
    clean = redactor.text(text)
    assert secret not in clean
    assert secret[len(secret) // 2 :] not in clean
    assert MASK in clean
    assert clean.startswith("before")
    assert sum(redactor.counts.values()) == 1


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_look_alike_stays(text):
    assert Redactor().text(text) == text


def test_redaction_is_stable():
    text = "\n".join(frame.format(secret) for frame, secret in SECRETS.values())
    once = Redactor().text(text)
    assert Redactor().text(once) == once


def test_own_patterns_are_added():
    redactor = Redactor([r"badge (?P<secret>\d{6})"])
    assert redactor.text("badge 123456 in") == f"badge {MASK} in"
    assert redactor.counts == {"custom": 1}
    with pytest.raises(re.error):
        Redactor(["("])


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece", ["a", "password", "token=", "-----BEGIN RSA PRIVATE KEY-----", "curl -u ", "A" * 64 + "\n"]
)
def test_hostile_text_takes_linear_time(piece):
    text = piece * (400_000 // len(piece)) + "-----END RSA PRIVATE KEY"
    started = time.perf_counter()
    Redactor().find(text)
    assert time.perf_counter() - started < 4
