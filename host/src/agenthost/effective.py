"""The settings that apply, one by one, and where each came from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from agenthost.assembly import Assembly, Options
from agenthost.plugins import Plugin
from agenthost.settings import Config, Globs, HostPart, HostSettings, state_root
from agenthost.trust import field_names

DEFAULT = "default"
"""The origin of a setting that nobody has given."""

FILE = "file"
"""The origin of a setting that is in the config file."""

MASK = "********"
"""What is shown instead of a secret."""

_SECRET = re.compile(
    r"(^|_)(tokens?|secrets?|password|passphrase|passwd|credentials?|(api|private|secret|access)_?key)$"
)


@dataclass(frozen=True)
class Setting:
    """One setting with its value.

    Attributes:
        table: `host`, or the plugin's name.
        key: its key in that table, with a dot where it is in a table of its own.
        value: what applies, as TOML knows it; None if nothing is set.
        origin: `DEFAULT`, `FILE`, or what gave it, for example `--set`.
        secret: whether the value is one that nobody is to read over a shoulder.
    """

    table: str
    key: str
    value: Any
    origin: str
    secret: bool = False


def host_settings(assembly: Assembly, options: Options) -> list[Setting]:
    """The settings of `[host]`."""
    config, settings = assembly.config, assembly.settings
    given = {"plugins": "--plugins"} if options.plugins is not None else {}
    given |= {"strict": "--strict"} if options.strict else {}
    values = {
        **{name: getattr(settings, name) for name in HostSettings.model_fields},
        "state_dir": state_root(settings, config.base_dir),
    }
    if options.plugins is not None:
        values["plugins"] = list(assembly.selection.names)
    return [
        Setting("host", name, plain(value), given.get(name) or _origin(config, "host", config.host, [name], name))
        for name, value in values.items()
    ]


def plugin_settings(config: Config, plugin: Plugin) -> list[Setting]:
    """The settings of a plugin, its own first; those that are written down, if it could not be loaded."""
    table = config.plugins.get(plugin.name, {})
    if plugin.context is None:
        return [_setting(config, plugin.name, table, [name], name, value) for name, value in table.items()]
    settings = plugin.context.settings
    return [*_own(config, plugin.name, table, settings), *_of_host(config, plugin.name, table, plugin.part)]


def plain(value: Any, name: str = "") -> Any:
    """A setting's value as TOML knows it, without null members, and with secrets masked."""
    if isinstance(value, (SecretStr, SecretBytes)) or (isinstance(value, str) and is_secret(name)):
        return MASK
    if isinstance(value, BaseModel):
        value = {written_name(key, info): getattr(value, key) for key, info in type(value).model_fields.items()}
    if isinstance(value, Mapping):
        return {str(key): plain(item, str(key)) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, name) for item in value if item is not None]
    jsonable = to_jsonable_python(value, fallback=str)
    return plain(jsonable, name) if isinstance(jsonable, (dict, list)) else jsonable


def written_name(name: str, info: FieldInfo) -> str:
    """The key by which a field is written in a file."""
    aliases = sorted(field_names(name, info) - {name})
    return info.alias or (aliases[0] if aliases else name)


def is_secret(name: str) -> bool:
    """Whether a key's name says that its value is a secret: `token`, `apiKey`, `db_password`."""
    return _SECRET.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()) is not None


def _own(config: Config, plugin: str, table: Mapping[str, Any], settings: BaseModel) -> Iterator[Setting]:
    for name, info in type(settings).model_fields.items():
        names = field_names(name, info)
        yield _setting(config, plugin, table, names, written_name(name, info), getattr(settings, name))


def _of_host(config: Config, plugin: str, table: Mapping[str, Any], part: HostPart) -> Iterator[Setting]:
    for name in HostPart.model_fields:
        value = getattr(part, name)
        if isinstance(value, Globs):
            inner = table.get(name, {})
            for key in Globs.model_fields:
                dotted = f"{name}.{key}"
                yield Setting(plugin, dotted, plain(getattr(value, key)), _origin(config, plugin, inner, [key], dotted))
        else:
            yield _setting(config, plugin, table, [name], name, value)


def _setting(
    config: Config, plugin: str, table: Mapping[str, Any], names: Collection[str], key: str, value: Any
) -> Setting:
    shown = plain(value, key)
    return Setting(plugin, key, shown, _origin(config, plugin, table, names, key), _holds_mask(shown))


def _origin(config: Config, table: str, values: Mapping[str, Any], names: Collection[str], dotted: str) -> str:
    given = next((name for name in names if name in values), None)
    if given is None:
        return DEFAULT
    place = config.origin(table, dotted if "." in dotted else given)
    return FILE if config.path is not None and place == str(config.path) else place


def _holds_mask(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_mask, value.values()))
    if isinstance(value, list):
        return any(map(_holds_mask, value))
    return isinstance(value, str) and value == MASK
