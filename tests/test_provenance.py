"""SARIF says which commit of which repository the logs lie in, and tells nobody a password."""

from __future__ import annotations

import json
import subprocess
from importlib import metadata

import pytest

from tests import toy
from transcript_lint import git, samples


def run(folder, *arguments):
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    run(tmp_path, "init", "-q", "-b", "trunk")
    run(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    return tmp_path


def provenance(lint, *paths):
    result = lint("check", *paths, "--format", "sarif")
    return json.loads(result.stdout)["runs"][0].get("versionControlProvenance")


def test_a_log_in_a_repository_names_its_commit(lint, repository):
    run(repository, "remote", "add", "origin", "https://bot:s3cret@git.example.org/team/träge logs.git")
    toy.log(repository, "a.jsonl", samples.says("FAULT"))
    (found,) = provenance(lint, "a.jsonl")
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=repository, text=True).strip()
    assert found == {
        "repositoryUri": "https://git.example.org/team/tr%C3%A4ge%20logs.git",
        "revisionId": commit,
        "branch": "trunk",
        "mappedTo": {"uriBaseId": "%SRCROOT%"},
    }
    run(repository, "checkout", "-q", "--detach")
    assert "branch" not in provenance(lint, "a.jsonl")[0]


def test_other_logs_and_other_folders_name_none(lint, repository, tmp_path_factory):
    toy.log(repository, "a.jsonl", samples.says("FAULT"))
    assert provenance(lint, "a.jsonl") is None  # no origin: nothing that others could reach
    run(repository, "remote", "add", "origin", "https://git.example.org/team/logs")
    elsewhere = toy.log(tmp_path_factory.mktemp("elsewhere"), "b.jsonl", samples.says("FAULT"))
    assert provenance(lint, str(elsewhere)) is None


@pytest.mark.parametrize(
    ("origin", "uri"),
    [
        ("git@git.example.org:team/logs.git", "ssh://git.example.org/team/logs.git"),
        ("ssh://git@git.example.org:2222/team/logs", "ssh://git.example.org:2222/team/logs"),
        ("/srv/git/logs.git", None),
        ("file:///srv/git/logs.git", None),
        ("C:\\logs", None),
        ("https://[broken", None),
    ],
)
def test_origins_as_uris(repository, origin, uri):
    run(repository, "remote", "add", "origin", origin)
    found = git.revision(repository)
    assert (found.uri if found else None) == uri


def test_no_repository_no_revision(tmp_path, monkeypatch):
    assert git.revision(tmp_path) is None
    monkeypatch.setenv("PATH", "")
    assert git.revision(tmp_path) is None


def test_the_tool_names_its_page_if_the_package_has_one(lint, tmp_path, monkeypatch):
    def driver():
        return json.loads(lint("check", "a.jsonl", "--format", "sarif").stdout)["runs"][0]["tool"]["driver"]

    toy.log(tmp_path, "a.jsonl")
    package = metadata.metadata("transcript-lint")
    package["Project-URL"] = "Homepage, https://example.org/transcript-lint"  # type: ignore[index]
    monkeypatch.setattr(metadata, "metadata", lambda name: package)
    assert driver()["informationUri"] == "https://example.org/transcript-lint"
