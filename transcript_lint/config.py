"""The configuration: `[tool.transcript-lint]` in pyproject.toml or transcript-lint.toml, the nearest one wins."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from transcript_lint import selection
from transcript_lint.claims.blocked import KINDS, own_phrase
from transcript_lint.commandline import EFFECTS, Kind, own_commands
from transcript_lint.finding import Level
from transcript_lint.rule import Rule
from transcript_lint.selection import suggestion
from transcript_lint.settings import Settings

FILES = ("transcript-lint.toml", "pyproject.toml")
LEVELS = ("error", "warning", "note", "off")
_BLOCKS = f"Kinds: {', '.join(sorted(KINDS))}."
_KINDS = f"Kinds: {', '.join(sorted(Kind))}."
_EFFECTS = f"Effects: {', '.join(sorted(EFFECTS))}, and those that `guards` names."


class ConfigError(Exception):
    """The configuration cannot be used; says in which file, where, and what to do."""


class Phrases(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Regular expressions that are read beside the built-in lexicons."""

    success: Annotated[
        tuple[str, ...], Meta(description="What your tools print when all went well; read in a command's output.")
    ] = ()
    claim: Annotated[tuple[str, ...], Meta(description="Words by which the agent claims success.")] = ()
    blocked: Annotated[
        tuple[str, ...],
        Meta(description=f"Words by which the agent says it is blocked, as `kind=pattern`. {_BLOCKS}"),
    ] = ()


class Config(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Everything a configuration file may say. Paths in it are relative to the file's folder."""

    select: Annotated[tuple[str, ...], Meta(description="Rules to run: ids, names, families, prefixes.")] = ()
    extend_select: Annotated[tuple[str, ...], Meta(description="Rules to run besides.")] = ()
    ignore: Annotated[tuple[str, ...], Meta(description="Rules not to run.")] = ()
    preview: Annotated[bool, Meta(description="Run rules in preview too.")] = False
    min_confidence: Annotated[Literal["high", "medium", "low"], Meta(description="Least confidence shown.")] = "medium"
    fail_on: Annotated[Literal["error", "warning", "note"], Meta(description="Least level that fails.")] = "warning"
    exclude: Annotated[tuple[str, ...], Meta(description="Globs of inputs to leave out.")] = ()
    baseline: Annotated[str | None, Meta(description="The baseline file.")] = None
    suppressions: Annotated[str | None, Meta(description="The suppressions file.")] = None
    rules: Annotated[
        dict[str, dict[str, Any]],
        Meta(description="By rule id or name: `level` (error, warning, note, off) and the rule's own options."),
    ] = field(default_factory=dict)
    per_path_ignores: Annotated[
        dict[str, tuple[str, ...]],
        Meta(description="By glob of the path as it is given, found or seen from here: rules that say nothing there."),
    ] = field(default_factory=dict)
    phrases: Annotated[Phrases, Meta(description="Words of your tools and agents: regular expressions.")] = Phrases()
    verifiers: Annotated[
        dict[str, str], Meta(description=f'First words of a command to its kind: "just verify" = "test". {_KINDS}')
    ] = field(default_factory=dict)
    effects: Annotated[
        dict[str, str],
        Meta(description=f'First words of a command to its effect: "make golive" = "deploy". {_EFFECTS}'),
    ] = field(default_factory=dict)
    guards: Annotated[
        dict[str, tuple[str, ...]],
        Meta(description='By effect, also one of your own: kinds that must be ok before: deploy = ["test"].'),
    ] = field(default_factory=dict)
    model_windows: Annotated[dict[str, int], Meta(description="By model: context window in tokens.")] = field(
        default_factory=dict
    )
    redact: Annotated[tuple[str, ...], Meta(description="Further regular expressions of what to redact.")] = ()


class Loaded(Struct, frozen=True, kw_only=True):
    """A configuration and the file it comes from, None when no file says anything."""

    config: Config
    file: Path | None = None

    def path(self, name: str | None) -> Path | None:
        """A path written in the file."""
        return None if name is None or self.file is None else self.file.parent / name


def load(start: Path | None = None) -> Loaded:
    """The nearest configuration from `start` (the working folder) upwards. Raises ConfigError."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        for name in FILES:
            file = folder / name
            if file.is_file() and (table := read(file)) is not None:
                return Loaded(config=parse(table, str(file)), file=file)
    return Loaded(config=Config())


def load_file(file: Path) -> Loaded:
    """The configuration of a file named by the user. Raises ConfigError, also when it holds none."""
    table = read(file)
    if table is None:
        raise ConfigError(f"{file}: there is no [tool.transcript-lint] table in it")
    return Loaded(config=parse(table, str(file)), file=file)


def read(file: Path) -> dict[str, Any] | None:
    """The table of a configuration file; None for a pyproject.toml without one. Raises ConfigError."""
    import tomllib  # late: most audits need none of it

    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    if file.name != "pyproject.toml":
        return data
    table: dict[str, Any] | None = data.get("tool", {}).get("transcript-lint")
    return table


def parse(table: Mapping[str, Any], where: str) -> Config:
    """The configuration that a TOML table says. Raises ConfigError for unknown keys, wrong types, bad patterns."""
    _known(table, Config, where, "")
    if isinstance(phrases := table.get("phrases"), dict):
        _known(phrases, Phrases, where, "phrases.")
    try:
        config = msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        message, _, at = str(error).partition(" - at ")
        raise ConfigError(f"{where}: {at.strip('`$.') or 'the table'}: {message[0].lower()}{message[1:]}") from error
    blocked = [own_phrase(phrase) for phrase in config.phrases.blocked]
    patterns = (*config.phrases.success, *config.phrases.claim, *(p for _, p in blocked), *config.redact)
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(f"{where}: {pattern!r} is no regular expression: {error}") from error
    kinds = [kind.value for kind in Kind]
    _named(config.verifiers.values(), kinds, f"{where}: verifiers: there is no kind")
    _named(itertools.chain(*config.guards.values()), kinds, f"{where}: guards: there is no kind")
    _named((kind for kind, _ in blocked), KINDS, f"{where}: phrases.blocked: there is no kind")
    effects = {*EFFECTS, *config.guards}
    _named(config.effects.values(), effects, f"{where}: effects: neither known nor named in [guards] is")
    return config


def _named(words: Iterable[str], known: Iterable[str], problem: str) -> None:
    for word in words:
        if word not in (names := sorted(known)):
            hint = suggestion(word, names) or f"; there are {', '.join(names)}"
            raise ConfigError(f"{problem} {word!r}{hint}")


def _known(table: Mapping[str, Any], shape: type[Struct], where: str, prefix: str) -> None:
    known = shape.__struct_encode_fields__
    for key in table:
        if key not in known:
            raise ConfigError(f"{where}: unknown key {prefix + key!r}{suggestion(key, known)}")


def settings(config: Config, rules: Sequence[type[Rule]], where: str) -> Settings:
    """What the ledger, the claims and the rules are told. Raises ConfigError for options that a rule does not have."""
    options: dict[str, Mapping[str, Any]] = {}
    for rule, table in _rule_tables(config, rules, where):
        own = {key: value for key, value in table.items() if key != "level"}
        known = {name.replace("_", "-"): name for name in rule.options}
        for key, value in own.items():
            if key not in known:
                hint = suggestion(key, (*known, "level")) or f"; it has {', '.join(known) or 'no options'}"
                raise ConfigError(f"{where}: rule {rule.id} has no option {key!r}{hint}")
            expected = rule.options[known[key]]
            if expected is not None and not isinstance(value, _like(expected)):
                kind = type(expected).__name__
                raise ConfigError(f"{where}: option {key!r} of {rule.id} must be of type {kind}, not {value!r}")
        options[rule.id] = {known[key]: value for key, value in own.items()}
    return Settings(
        success_phrases=config.phrases.success,
        claim_phrases=config.phrases.claim,
        blocked_phrases=config.phrases.blocked,
        own=own_commands(config.verifiers, config.effects),
        guards=config.guards,
        model_windows=config.model_windows,
        rule_options=options,
    )


def levels(config: Config, rules: Sequence[type[Rule]], where: str) -> tuple[dict[str, Level], set[str]]:
    """Levels by rule id, and the ids of rules that are off. Raises ConfigError."""
    found: dict[str, Level] = {}
    off: set[str] = set()
    for rule, table in _rule_tables(config, rules, where):
        level = table.get("level")
        if level is None:
            continue
        if level not in LEVELS:
            raise ConfigError(f"{where}: level of {rule.id} must be one of {', '.join(LEVELS)}, not {level!r}")
        if level == "off":
            off.add(rule.id)
        else:
            found[rule.id] = Level(level)
    return found, off


def path_ignores(
    config: Config, rules: Sequence[type[Rule]], where: str, notices: list[str]
) -> dict[str, frozenset[str]]:
    """Rule ids that say nothing, by path glob. Raises ConfigError."""
    try:
        return {
            glob: frozenset(r.id for r in selection.meant(rules, selectors, notices))
            for glob, selectors in config.per_path_ignores.items()
        }
    except selection.UnknownSelectorError as error:
        raise ConfigError(f"{where}: per-path-ignores: {error}") from error


def _rule_tables(
    config: Config, rules: Sequence[type[Rule]], where: str
) -> Iterable[tuple[type[Rule], Mapping[str, Any]]]:
    for selector, table in config.rules.items():
        try:
            yield selection.one(rules, selector), table
        except selection.UnknownSelectorError as error:
            raise ConfigError(f"{where}: rules: {error}") from error


def _like(default: Any) -> type | tuple[type, ...]:
    match default:
        case bool():
            return bool
        case int() | float():
            return (int, float)
        case tuple() | list():
            return (list, tuple)
        case _:
            return type(default)


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the table."""
    made = msgspec.json.schema(Config)
    for shape in made["$defs"].values():
        shape["additionalProperties"] = False
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "transcript-lint configuration", **made}
