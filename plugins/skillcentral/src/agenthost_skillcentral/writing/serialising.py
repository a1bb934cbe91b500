"""From the members of a skill or rule to the text of its file, which says the same when it is read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from agenthost_skillcentral.formats import yaml_text
from agenthost_skillcentral.formats.problems import FormatError


class _Dumper(yaml.SafeDumper):
    """Writes texts as blocks where they have several lines, and in quotes where YAML 1.2 would read something else."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists are indented, as people write them."""
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None if _reads_plain(text) else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _reads_plain(text: str) -> bool:
    try:
        return bool(yaml_text.parse(text) == text)
    except FormatError:
        return False


_Dumper.add_representer(str, _text)


def to_yaml(members: Mapping[str, Any]) -> bytes:
    """A YAML file; its values as JSON where YAML's own forms cannot say them.

    Raises:
        FormatError: it is not JSON data that a file can hold.
    """
    try:
        text: str = yaml.dump(dict(members), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000)
        if yaml_text.parse(text) == members:
            return text.encode()
    except (FormatError, yaml.YAMLError, UnicodeEncodeError, RecursionError):
        pass
    return to_json(members)


def to_json(members: Mapping[str, Any]) -> bytes:
    """A JSON file.

    Raises:
        FormatError: as above.
    """
    try:
        return f"{json.dumps(members, ensure_ascii=False, indent=2)}\n".encode()
    except UnicodeEncodeError:
        raise FormatError("holds half of a surrogate pair") from None
    except RecursionError:
        raise FormatError("is nested too deeply") from None
