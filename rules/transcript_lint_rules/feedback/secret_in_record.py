"""TL504: a credential stands in the record."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.events import CommandEnded, CommandIssued, Location
from transcript_lint.finding import Confidence, Finding, Level
from transcript_lint.ledger import Ledger
from transcript_lint.redact import Redactor
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, session

MOST_REMEMBERED = 4_096
_TELLING = frozenset(("password", "token", "secret", "api-key", "key", "secret-key", "basic-auth", "url-password"))


class SecretInRecord(Rule):
    """A credential stands in the command line or the output of a record.

    What it does
    ------------
    Looks for credentials by their shape (cloud and provider keys, tokens, private keys, JSON Web Tokens, passwords in
    URLs) and behind words that announce them (`Authorization: Bearer`, `password=`, `--token`). Each credential is
    reported once, where it first stands; the report never shows it. Placeholders, example keys, masked values,
    hashes, UUIDs and values read at run time (`$(cat key)`) are none.

    Why it matters
    --------------
    Records are kept, shared and fed to models. A key in one is a key given away.

    What clears it
    --------------
    Revoke the key and redact the record. `transcript-lint run` redacts before it writes.

    References
    ----------
    CWE-532, insertion of sensitive information into a log file.
    """

    id = "TL504"
    name = "secret-in-record"
    family = "feedback"
    level = Level.ERROR
    needs = ()
    examples = (
        Example(
            "a key in a header of the command",
            (session(), command("curl -H 'Authorization: Bearer ghp_R2d7Kq0vLx5Tn8Zc3Bm6Yw1Hs4Jf9Ga7Pe2U' x.test")),
            reports=(2,),
        ),
        Example(
            "a key in the output",
            (session(), command("cat .env", "REGION=eu\nDB_URL=postgres://app:vK83hsQm2x@db.test/app")),
            reports=(2,),
        ),
        Example(
            "read at run time, masked, and an example key",
            (
                session(),
                command('curl -H "Authorization: Bearer $(cat key)" x.test', "AKIAIOSFODNN7EXAMPLE\nTOKEN=****"),
            ),
        ),
        Example(
            "hashes and ids",
            (session(), command("git log -1", "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\ntoken: 5 of 10")),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._redactor = Redactor()
        self._seen: set[int] = set()

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Iterator[Finding]:
        line = event.command if event.command is not None else shlex.join(event.argv or ())
        yield from self._look(line, event.at, "the command line", line)

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Iterator[Finding]:
        run = ledger.runs.get(event.call_id)
        name = run.line.text if run is not None else ""
        for text in (event.stdout, event.stderr):
            yield from self._look(text, event.at, "the output", name)

    def _look(self, text: str, at: Location, where: str, name: str) -> Iterator[Finding]:
        for secret in self._redactor.find(text):
            mark = hash(text[secret.start : secret.end])
            if mark in self._seen:
                continue
            if len(self._seen) < MOST_REMEMBERED:
                self._seen.add(mark)
            kind = secret.kind.replace("-", " ")
            yield self.finding(
                f"A credential ({kind}) stands in {where} of the record; it should be revoked and redacted.",
                at=at,
                about=f"{secret.kind} in {where} of {self._redactor.text(name)[:120]}",
                confidence=Confidence.MEDIUM if secret.kind in _TELLING else Confidence.HIGH,
            )
