"""The rules of a definition: what a custom tool is made of, and what is wrong with one that is not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from agenthost_void.schemas import schema_faults
from agenthost_void.strict_json import Fault, Place, check, decode, type_name

CREATE, REMOVE = "void_create_tool", "void_remove_tool"
RESERVED = frozenset({CREATE, REMOVE})
"""Names of the management tools; no definition may have them, whether or not they are served."""

NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
REQUIRED = ("name", "inputSchema", "result")
KEYS = ("name", "description", "inputSchema", "result")


@dataclass(frozen=True, slots=True)
class Definition:
    """A custom tool.

    Attributes:
        name: what clients call; case-sensitive.
        input_schema: advertised unchanged and never enforced.
        result: the text of every call's answer; may be empty.
        description: advertised as it is; None leaves it out.
    """

    name: str
    input_schema: dict[str, Any]
    result: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One item of an array of definitions, right or wrong.

    Attributes:
        name: its name, if it has a valid one.
        definition: what it defines; None if it has a fault.
        faults: what is wrong with it.
    """

    name: str | None
    definition: Definition | None
    faults: tuple[Fault, ...]


def read_array(text: str, *, check_schemas: bool = True) -> tuple[list[Item], list[Fault]]:
    """The items of a JSON array of definitions, and the faults of the document as a whole.

    Args:
        text: any text.
        check_schemas: False trusts each `inputSchema`; for texts that are known to be right.
    """
    document, faults = decode(text)
    if not faults and not isinstance(document, list):
        faults = [Fault((), f"must be an array of definitions, not {type_name(document)}")]
    if faults:
        return [], faults
    return [read_item(value, (index,), check_schema=check_schemas) for index, value in enumerate(document)], []


def read_item(value: Any, place: Place = (), *, check_schema: bool = True) -> Item:
    """Judge one decoded definition; faults are given below `place`.

    Args:
        value: decoded JSON, as `decode` gives it or in plain dicts and lists.
        place: where it stands in its document.
        check_schema: False trusts its `inputSchema`.
    """
    value, faults = check(value, place)
    if not isinstance(value, dict):
        wanted = "an object with name, inputSchema and result"
        return Item(None, None, (*faults, Fault(place, f"must be {wanted}, not {type_name(value)}")))
    faults += [Fault((*place, key), _unknown(key)) for key in value if key not in KEYS]
    faults += [Fault((*place, key), "is missing") for key in REQUIRED if key not in value]
    name_faults = _name_faults(value["name"], (*place, "name")) if "name" in value else []
    faults += name_faults
    if not isinstance(value.get("description", ""), str):
        faults.append(Fault((*place, "description"), "must be a text; to have none, leave the key out"))
    if "inputSchema" in value and check_schema:
        faults += schema_faults(value["inputSchema"], (*place, "inputSchema"))
    if not isinstance(value.get("result", ""), str):
        faults.append(Fault((*place, "result"), f"must be a text, maybe empty, not {type_name(value['result'])}"))
    name = None if name_faults else value.get("name")
    if faults:
        return Item(name, None, tuple(faults))
    return Item(name, Definition(value["name"], value["inputSchema"], value["result"], value.get("description")), ())


def _name_faults(name: Any, place: Place) -> list[Fault]:
    if not isinstance(name, str):
        return [Fault(place, f"must be a text, not {type_name(name)}")]
    if not NAME.fullmatch(name):
        return [Fault(place, "must be 1 to 128 characters of A-Z a-z 0-9 _ - .")]
    if name in RESERVED:
        return [Fault(place, f"{name} is reserved for void itself; choose another name")]
    return []


def _unknown(key: str) -> str:
    import difflib  # needed only for this text

    near = difflib.get_close_matches(key.replace("_", ""), KEYS, n=1)
    hint = f", did you mean {near[0]}?" if near else "."
    return f"unknown key{hint} A definition has {', '.join(KEYS)}"
