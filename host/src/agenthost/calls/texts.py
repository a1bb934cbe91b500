"""Arguments that are texts on the wire: those of prompts, and the variables of templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from agenthost.catalog import Route
from agenthost.errors import InvalidParams
from agenthost.settings import did_you_mean

MAX_COMPLETIONS = 100
"""Values that the protocol allows in one answer."""


def check_prompt_arguments(route: Route[Any], given: Mapping[str, str]) -> None:
    """Check the arguments of a raw prompt: the required ones are there, and no unknown ones.

    Raises:
        InvalidParams: names what is missing or unknown.
    """
    declared = route.item.arguments
    missing = [argument.name for argument in declared if argument.required and argument.name not in given]
    unknown = [] if route.item.open else [name for name in given if name not in argument_names(route)]
    if missing or unknown:
        raise InvalidParams(_refusal(route, missing, unknown))


def read_prompt_arguments(route: Route[Any], given: Mapping[str, str]) -> dict[str, Any]:
    """The keyword arguments for a typed prompt's function; numbers and choices are read from the texts.

    Raises:
        InvalidParams: names what is missing, unknown or cannot be read.
    """
    signature = route.vetted.signature
    assert signature is not None
    try:
        checked = signature.arguments.model_validate(given)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        missing = [str(fault["loc"][0]) for fault in faults if fault["type"] == "missing"]
        unknown = [str(fault["loc"][0]) for fault in faults if fault["type"] == "extra_forbidden"]
        wrong = [
            f"{fault['loc'][0]}: {fault['msg']}"
            for fault in faults
            if fault["type"] not in ("missing", "extra_forbidden")
        ]
        raise InvalidParams(_refusal(route, missing, unknown, wrong)) from None
    return {parameter: getattr(checked, name) for name, parameter in signature.parameters.items()}


def read_variables(route: Route[Any], variables: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments for a resource's function.

    Raises:
        InvalidParams: a variable cannot be read as what the function wants.
    """
    signature = route.vetted.signature
    assert signature is not None
    try:
        checked = signature.arguments.model_validate(variables)
    except ValidationError as error:
        faults = [f"{fault['loc'][0]}: {fault['msg']}" for fault in error.errors(include_url=False)]
        raise InvalidParams(
            f"Unknown resource: {route.exposed} does not take this address ({'; '.join(faults)})"
        ) from None
    return {parameter: getattr(checked, name) for name, parameter in signature.parameters.items()}


def argument_names(route: Route[Any]) -> list[str]:
    """The arguments of a prompt, or the variables of a template."""
    if route.vetted.signature is not None:
        return list(route.vetted.signature.schema["properties"])
    return [argument.name for argument in route.item.arguments]


def choices(route: Route[Any], name: str) -> list[str]:
    """What an argument with a closed set of values can be; empty for any other."""
    signature = route.vetted.signature
    if signature is None:
        return []
    schema = signature.schema["properties"].get(name, {})
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    return [value if isinstance(value, str) else str(value) for value in values]


def texts(found: Iterable[Any]) -> list[str]:
    """What a completion function gave, as a list of texts.

    Raises:
        TypeError: it gave something else.
    """
    if isinstance(found, (str, bytes)):
        raise TypeError("a completion function has to give a list of texts")
    values = list(found)
    if not all(isinstance(value, str) for value in values):
        raise TypeError("a completion function has to give texts")
    return values


def _refusal(route: Route[Any], missing: Iterable[str], unknown: Iterable[str], wrong: Iterable[str] = ()) -> str:
    known = argument_names(route)
    faults = [
        *(f"the required argument {name!r} is missing" for name in missing),
        *(f"there is no argument {name!r}{did_you_mean(name, known)}" for name in unknown),
        *wrong,
    ]
    return f"Prompt {route.exposed}: {'; '.join(faults)}. Arguments: {', '.join(known) or 'none'}."
