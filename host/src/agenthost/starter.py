"""The text of a first agenthost.toml: every setting that there is, commented out, with its default."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from agenthost.effective import plain, written_name
from agenthost.errors import OperatorError
from agenthost.plugins import Found, ask, model_class
from agenthost.settings import HostPart, HostSettings
from agenthost.toml_text import inline, key
from agenthost.trust import trusted_keys

WIDTH = 100

_HEAD = """\
# Settings of agenthost. Every line that sets something is commented out and shows the default, so
# this file changes nothing yet: take the "# " away from what you want to set.
# `agenthost config` shows what applies and where it came from, `agenthost doctor` checks it.
"""

_OF_HOST = """\
# These keys belong to the host and may stand in each [plugins.<name>] table below:
"""

_PLACEHOLDERS = {"string": '"..."', "array": "[...]", "object": "{ ... }", "boolean": "true or false"}


def starter_text(found: Mapping[str, Found]) -> str:
    """The file's text, with a table for every installed plugin."""
    parts = [
        _HEAD,
        "\n".join(["[host]", *_settings(HostSettings)]),
        "\n".join([_OF_HOST.rstrip(), *(f"#   {line}" for line in _summary(HostPart))]),
        *(_plugin(plugin) for plugin in found.values()),
    ]
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _plugin(found: Found) -> str:
    title = f"{found.name}, from {found.distribution} {found.version}"
    try:
        model = ask(found, "agenthost_settings", "a pydantic model class", model_class)
        lines = [] if model is None else _settings(model)
    except OperatorError as error:
        return "\n".join(_comment(f"{title}, cannot be loaded: {error}"))
    except Exception as error:  # noqa: BLE001  (the model is the plugin's code, down to its defaults)
        return "\n".join([*_comment(f"{title}; its settings cannot be described: {error}"), f"[plugins.{found.name}]"])
    return "\n".join([*_comment(title), f"[plugins.{found.name}]", *(lines or ["# It has no settings of its own."])])


def _settings(model: type[BaseModel]) -> list[str]:
    lines: list[str] = []
    schemas = model.model_json_schema(by_alias=True).get("properties", {})
    for name, info in model.model_fields.items():
        written = written_name(name, info)
        lines += _comment(_describe(model, name, info))
        lines += [f"# {key(written)} = {_value(info, schemas.get(written, {}))}", ""]
    return lines[:-1]


def _describe(model: type[BaseModel], name: str, info: FieldInfo) -> str:
    texts = [info.description or ""]
    if any(trusted_keys(model, [name])):
        texts.append("Not accepted from a file that was only found in the working directory.")
    return " ".join(filter(None, texts))


def _value(info: FieldInfo, schema: Mapping[str, Any]) -> str:
    """The default as TOML, or the form of a value and why there is none."""
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    if default is not None:
        return inline(plain(default))
    kinds = [branch.get("type") for branch in schema.get("anyOf", [schema])]
    form = next((_PLACEHOLDERS[kind] for kind in kinds if kind in _PLACEHOLDERS), "...")
    return f"{form}  # {'required' if info.is_required() else 'not set'}"


def _summary(model: type[BaseModel]) -> Iterator[str]:
    """One line a key: name, default, meaning; globs by their own two keys."""
    for name, info in model.model_fields.items():
        inner = info.annotation
        fields = inner.model_fields if isinstance(inner, type) and issubclass(inner, BaseModel) else {}
        for part, details in fields.items() if fields else [(name, info)]:
            dotted = f"{name}.{part}" if fields else name
            default = details.get_default(call_default_factory=True)
            shown = "not set" if default is None else inline(plain(default))
            yield f"{dotted} ({shown}): {details.description}"


def _comment(text: str) -> list[str]:
    """Comment lines of a text; a control character would make the file unreadable."""
    clean = "".join(character if character.isprintable() else " " for character in text)
    return [f"# {line}" for line in textwrap.wrap(clean, WIDTH - 2, break_long_words=False, break_on_hyphens=False)]
