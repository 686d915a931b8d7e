"""Which calls need which tool of the agent."""

from __future__ import annotations

from transcript_lint import patterns as re
from transcript_lint.events import CommandIssued

NAMES = {
    "shell": "the shell",
    "network": "the network",
    "files": "the files",
    "model": "the model",
    "access": "that service",
}
"""What a kind of claim calls unavailable, in words."""

_NETWORK = re.compile(
    r"\b(?:curl|wget|ping|ssh|scp|rsync|nc|dig|nslookup|httpie|https?://|apt|apt-get|apk|dnf|yum|brew|helm|gh|glab|aws|"
    r"gcloud|az|kubectl|docker (?:pull|push|login|build)|terraform (?:init|plan|apply)|"
    r"pip3? (?:install|download)|uv (?:sync|add|pip|lock)|poetry (?:install|add)|"
    r"(?:npm|pnpm|yarn|bun) (?:i|ci|install|add|publish)|"
    r"cargo (?:fetch|install|update|add|publish)|go (?:get|mod download)|gem install|bundle install|mvn|gradle|"
    r"git (?:clone|fetch|pull|push|ls-remote|submodule))(?![\w-])"
)
_WEB_TOOL = re.compile(r"web|http|fetch|browser|url", re.I)
_AT_HOME = re.compile(
    r"read|write|edit|view|open|glob|grep|^ls$|list|replace|patch|file|note|todo|plan|think|ask|question|agent|task|"
    r"search_(?:files|code)|memory",
    re.I,
)
_FILE_TOOL = re.compile(r"read|write|edit|view|cat|open|glob|grep|ls|list|replace|patch|file", re.I)


def uses(kind: str, call: CommandIssued) -> bool:
    """Whether a call needs the shell, the network or the files."""
    line = call.command or (" ".join(call.argv) if call.argv else "")
    if kind == "shell":
        return bool(line)
    if kind == "network":
        return bool(_NETWORK.search(line)) if line else bool(_WEB_TOOL.search(call.tool))
    if kind == "access":
        # Any tool that is not known to stay on this machine may have been the attempt.
        return bool(_NETWORK.search(line)) if line else not _AT_HOME.search(call.tool)
    if kind == "files":
        return bool(line) or bool(_FILE_TOOL.search(call.tool))
    return False
