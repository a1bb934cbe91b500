"""JSON without keys that are there twice, with errors that know their line, and with the bounds of YAML."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from agenthost_skillcentral.formats import yaml_text
from agenthost_skillcentral.formats.problems import FormatError, shown


def parse(text: str) -> Any:
    """What a JSON document says.

    Raises:
        FormatError: it is no JSON; with the line, where there is one.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise FormatError(f"is not JSON: {error.msg}", error.lineno, error.colno) from None
    except RecursionError:
        raise FormatError(f"is nested more than {yaml_text.MAX_DEPTH} levels deep") from None
    except FormatError:
        raise
    except ValueError:  # Python reads at most 4,300 digits
        raise FormatError("holds a number that is too long") from None
    _check(value, 0)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise FormatError(f"the member {shown(twice)} is there twice")
    return members


def _no_constant(name: str) -> Any:
    raise FormatError(f"{name} is not a number that JSON has")


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise FormatError("holds a number that is too large")
    return number


def _check(value: Any, depth: int) -> None:
    """Refuse what is nested too deeply, and texts that cannot be written in UTF-8 again."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise FormatError("holds half of a surrogate pair")
    elif isinstance(value, dict | list):
        if depth >= yaml_text.MAX_DEPTH:
            raise FormatError(f"is nested more than {yaml_text.MAX_DEPTH} levels deep")
        for item in value.values() if isinstance(value, dict) else value:
            _check(item, depth + 1)
        if isinstance(value, dict):
            for name in value:
                _check(name, depth + 1)
