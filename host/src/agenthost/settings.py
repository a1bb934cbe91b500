"""agenthost.toml, `--set` and the environment, as one validated set of values that know their origin."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from agenthost.errors import ConfigError
from agenthost.trust import Trusted, known_keys, trusted_keys

ModelT = TypeVar("ModelT", bound=BaseModel)

FILE_NAME = "agenthost.toml"


class HostSettings(BaseModel):
    """The `[host]` table."""

    model_config = ConfigDict(extra="forbid")

    plugins: list[str] | None = Field(None, description="Names of the plugins to serve, in order; default: all.")
    state_dir: Annotated[Path | None, Trusted] = Field(None, description="Folder for durable data.")
    strict: bool = Field(False, description="Every failure, rename and quarantine stops the start.")
    time_limit: float = Field(120.0, gt=0, description="Seconds that a tool call may take.")
    start_limit: float = Field(10.0, gt=0, description="Seconds for a plugin to load, and to enter its lifespan.")
    max_wait: float = Field(
        50.0, gt=0, description="Longest wait of a waiting tool, in seconds; clients give up at 60."
    )
    token_file: Annotated[Path | None, Trusted] = Field(None, description="Over HTTP: lines of name:token.")
    allow_hosts: Annotated[list[str], Trusted] = Field([], description="Over HTTP: names of this server.")
    allow_origins: Annotated[list[str], Trusted] = Field([], description="Over HTTP: web pages that may use it.")
    max_line_bytes: int = Field(8 * 1024 * 1024, ge=1024, description="Longest message accepted on stdio, in bytes.")

    @field_validator("state_dir", mode="before")
    @classmethod
    def _is_a_folder(cls, value: Any) -> Any:
        if value == "":  # what an unset variable in a client's entry leaves; the working directory is not meant
            raise ValueError("is empty; give a folder, or leave it out")
        return value


class Globs(BaseModel):
    """Which of a plugin's own names are served; shell patterns, case-sensitive."""

    model_config = ConfigDict(extra="forbid")

    allow: list[str] | None = Field(None, description="Only names that match one of these.")
    deny: list[str] = Field(default=[], description="No name that matches one of these; wins over allow.")


class HostPart(BaseModel):
    """The keys of a `[plugins.<name>]` table that belong to the host, not to the plugin."""

    model_config = ConfigDict(extra="forbid")

    prefix: str = Field("", description="Put before every name of the plugin.")
    tools: Globs = Field(default_factory=lambda: Globs.model_validate({}))
    prompts: Globs = Field(default_factory=lambda: Globs.model_validate({}))
    resources: Globs = Field(default_factory=lambda: Globs.model_validate({}), description="Globs of addresses.")
    time_limit: float | None = Field(None, gt=0, description="Seconds that a call to this plugin may take.")


HOST_KEYS = frozenset(HostPart.model_fields)
"""Field names that a plugin's own settings model may not use."""


@dataclass(frozen=True)
class Config:
    """All configured values and where each came from.

    Attributes:
        path: the config file, or None.
        untrusted: the file's own tables if it was only found in the working directory, by name.
        host: the `[host]` table with everything that wins over it.
        plugins: the `[plugins.<name>]` tables, likewise.
        sources: dotted keys that do not come from the file, for example `void.mutable`, and what
            gave them, for example `--set`.
    """

    path: Path | None
    untrusted: dict[str, Any] | None
    host: dict[str, Any]
    plugins: dict[str, dict[str, Any]]
    sources: dict[str, str] = field(default_factory=dict)

    @property
    def base_dir(self) -> Path:
        """The folder in which relative paths of settings start."""
        return working_directory() if self.path is None else self.path.parent

    def origin(self, table: str, key: str = "") -> str:
        """Where the value of `table.key`, or the whole table, came from, in words."""
        dotted = f"{table}.{key}" if key else table
        given = [text for name, text in self.sources.items() if f"{name}.".startswith(f"{dotted}.")]
        return given[0] if given else str(self.path or "the settings")

    def host_settings(self) -> HostSettings:
        """The validated `[host]` table.

        Raises:
            ConfigError: a value is wrong, or not allowed in a file of the working directory.
        """
        return validate(self, "host", self.host, HostSettings)

    def host_part(self, plugin: str) -> HostPart:
        """The host's keys of a plugin's table.

        Raises:
            ConfigError: a value is wrong.
        """
        table = self.plugins.get(plugin, {})
        return validate(self, plugin, {key: table[key] for key in HostPart.model_fields if key in table}, HostPart)

    def plugin_settings(self, plugin: str, model: type[BaseModel]) -> BaseModel:
        """The plugin's own settings.

        Raises:
            ConfigError: a value is wrong, or not allowed in a file of the working directory.
        """
        table = self.plugins.get(plugin, {})
        own = {key: value for key, value in table.items() if key not in HostPart.model_fields}
        return validate(self, plugin, own, model)

    def with_values(self, plugin: str, values: Mapping[str, Any], source: str) -> Config:
        """A copy in which a plugin's settings are replaced key by key with `values`."""
        table = {**self.plugins.get(plugin, {}), **values}
        sources = {**self.sources, **{f"{plugin}.{key}": source for key in values}}
        return replace(self, plugins={**self.plugins, plugin: table}, sources=sources)


def load_config(
    *,
    file: Path | None,
    environment: Mapping[str, str],
    assignments: Sequence[str] = (),
    state_dir: Path | None = None,
    in_folder: bool = True,
) -> Config:
    """Find and read the configuration.

    The first of these files is used, none is merged: `file` (`--config`), `$AGENTHOST_CONFIG`,
    `./agenthost.toml`, the one in the user's config folder.

    Args:
        file: value of `--config`.
        environment: the process's environment variables.
        assignments: values of `--set`, each `plugin.key=VALUE` or `host.key=VALUE`.
        state_dir: value of `--state-dir`.
        in_folder: whether `./agenthost.toml` is looked for.

    Raises:
        ConfigError: a file cannot be read or is not TOML, or an assignment is malformed.
    """
    path, from_cwd = _find_file(file, environment, in_folder)
    document = _read(path) if path else {}
    untrusted = deepcopy(document) if from_cwd else None
    host = _table(document.pop("host", {}), path, "host")
    tables = _table(document.pop("plugins", {}), path, "plugins")
    plugins = {name: _table(table, path, f"plugins.{name}") for name, table in tables.items()}
    if document:
        unknown = next(iter(document))
        raise ConfigError(
            f"{path}: unknown table or key {unknown!r} at the top"
            f"{did_you_mean(unknown, ['host', 'plugins'])}. Use [host] and [plugins.<name>]."
        )
    sources: dict[str, str] = {}
    if given := environment.get("AGENTHOST_STATE_DIR"):
        host["state_dir"] = str(absolute(given))
        sources["host.state_dir"] = "$AGENTHOST_STATE_DIR"
    for assignment in assignments:
        _assign(assignment, host, plugins, sources)
    if state_dir is not None:
        host["state_dir"] = str(absolute(state_dir))
        sources["host.state_dir"] = "--state-dir"
    return Config(path, untrusted, host, plugins, sources)


def state_root(settings: HostSettings, base_dir: Path) -> Path:
    """The folder under which every plugin has its own; a relative setting starts at `base_dir`.

    Raises:
        ConfigError: its `~user` is nobody's.
    """
    if settings.state_dir is None:
        return platformdirs.user_state_path("agenthost", appauthor=False)
    try:
        return absolute(settings.state_dir, base_dir)
    except ConfigError as error:
        raise ConfigError(f"[host] state_dir: {error}") from error


def working_directory() -> Path:
    """The working directory; the root if it has been removed meanwhile."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def validate(config: Config, table: str, values: dict[str, Any], model: type[ModelT]) -> ModelT:
    """Check `values` of a table against its model.

    Raises:
        ConfigError: names the source, the key, the value and what would be right, one line a fault.
    """
    untrusted = config.untrusted or {}
    own = untrusted.get("host", {}) if table == "host" else untrusted.get("plugins", {}).get(table, {})
    lines = [
        f"{config.path}: {_label(table)} {key} may not be set by a file that was only found in the "
        f"working directory, since it can come with a cloned repository. Give the file with --config or "
        f"$AGENTHOST_CONFIG, or use --set {table}.{key}=..."
        for key in trusted_keys(model, own)
        if f"{table}.{key}" not in config.sources
    ]
    try:
        validated = model.model_validate(values)
    except ValidationError as error:
        lines += [_describe(config, table, model, details) for details in error.errors(include_url=False)]
    if lines:
        raise ConfigError("\n".join(lines))
    return validated


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` for the nearest known word, else an empty string."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _label(table: str) -> str:
    return "[host]" if table == "host" else f"[plugins.{table}]"


def _describe(config: Config, table: str, model: type[BaseModel], details: ErrorDetails) -> str:
    path = [str(part) for part in details["loc"]]
    key = ".".join(path) or "(the whole table)"
    where = f"{config.origin(table, path[0] if path else '')}: {_label(table)} {key}"
    if details["type"] != "extra_forbidden":
        return f"{where} = {details['input']!r}: {details['msg']}."
    known = known_keys(model, path[:-1])
    if table != "host" and len(path) == 1:
        known = sorted({*known, *HostPart.model_fields})
    listing = f" Known: {', '.join(known)}." if known else ""
    return f"{where}: unknown key{did_you_mean(path[-1], known)}.{listing}"


def _find_file(file: Path | None, environment: Mapping[str, str], in_folder: bool) -> tuple[Path | None, bool]:
    if given := file or environment.get("AGENTHOST_CONFIG"):
        return absolute(given), False
    here = working_directory() / FILE_NAME
    if in_folder and here.exists():
        return here, True
    users = user_file()
    return (users, False) if users.exists() else (None, False)


def user_file() -> Path:
    """The config file in the user's own config folder, whether it is there or not."""
    return platformdirs.user_config_path("agenthost", appauthor=False) / FILE_NAME


def absolute(path: str | Path, base: Path | None = None) -> Path:
    """A path that people typed: `~` expanded, relative to `base` or the working directory.

    Raises:
        ConfigError: its `~user` is nobody's.
    """
    try:
        return (base or working_directory()) / Path(path).expanduser()
    except RuntimeError as error:  # `~name` of nobody
        raise ConfigError(f"the path {path} cannot be used: {error} Write it out.") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        _fail(path, f"cannot be read ({error.strerror}). Give an existing file with --config.", error)
    except UnicodeDecodeError as error:
        _fail(path, "is not UTF-8 text. Save it as UTF-8.", error)
    except (ValueError, RecursionError) as error:
        _fail(path, f"is not TOML: {error}.", error)


def _fail(path: Path, text: str, cause: Exception) -> NoReturn:
    raise ConfigError(f"{path} {text}") from cause


def _table(value: Any, path: Path | None, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: {name} has to be a table, [{name}], not {value!r}.")
    return dict(value)


def _assign(assignment: str, host: dict[str, Any], plugins: dict[str, dict[str, Any]], sources: dict[str, str]) -> None:
    dotted, equals, text = assignment.partition("=")
    table, *path = dotted.strip().split(".")
    if not equals or not path or not all([table, *path]):
        raise ConfigError(
            f"--set {assignment}: write plugin.key=VALUE or host.key=VALUE, for example --set void.mutable=true"
        )
    target = host if table == "host" else plugins.setdefault(table, {})
    for part in path[:-1]:
        deeper = target.get(part)
        target[part] = dict(deeper) if isinstance(deeper, dict) else {}
        target = target[part]
    target[path[-1]] = _toml_value(text)
    sources[f"{table}.{'.'.join(path)}"] = "--set"


def _toml_value(text: str) -> Any:
    """A TOML value; what is none is taken as a string, so that a bare word needs no quotes."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return parsed["value"] if len(parsed) == 1 else text
