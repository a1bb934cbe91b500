"""A function's signature as a closed JSON Schema, its argument check and its result's schema."""

from __future__ import annotations

import inspect
import itertools
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.fields import FieldInfo

from agenthost.content import Audio, EmbeddedResource, Image, ResourceLink, Result, Text
from agenthost.context import CallContext
from agenthost.inputs import InputRequired
from agenthost.schemas import plain_schema

_REMEMBERED = 1000
"""Signatures that are kept at most."""

_known: dict[tuple[int, ...], tuple[Signature, tuple[Any, ...]]] = {}
"""By the identities of a function's parts; these are kept too, so that no other object gets such an identity."""

_CONTENT_TYPES = (Text, Image, Audio, EmbeddedResource, ResourceLink)


@dataclass(frozen=True)
class Returns:
    """How a function's return value becomes structured content.

    Attributes:
        adapter: checks and dumps the value; None when the result is text or content only.
        content: the annotation promises content blocks.
        optional: the annotation allows None beside content blocks.
        wrapped: the value is no object and is sent as `{"result": value}`.
        nothing: the function is annotated `-> None`.
    """

    adapter: TypeAdapter[Any] | None = None
    wrapped: bool = False
    nothing: bool = False
    content: bool = False
    optional: bool = False
    schema: dict[str, Any] | None = None


@dataclass(frozen=True)
class Signature:
    """What the host needs to advertise and call a typed function.

    Attributes:
        arguments: a pydantic model with one field a parameter, aliased to its wire name.
        parameters: the model's field names -> the function's parameter names.
        schema: the closed input schema, in plain form.
        context: name of the parameter that takes the `CallContext`, or None.
        returns: what the return annotation says.
    """

    arguments: type[BaseModel]
    parameters: dict[str, str]
    schema: dict[str, Any]
    context: str | None
    returns: Returns


def read_signature(function: Callable[..., Any]) -> Signature:
    """Derive everything from the annotations of `function`.

    It is done once for all functions that one `def` makes again and again: a plugin that serves thousands of files
    makes a handler for each.

    Raises:
        TypeError: a parameter has no name of its own, or no annotation, or one that JSON cannot carry;
            two have one wire name, or two ask for the context.
    """
    parts = _parts(function)
    if parts is None:
        return _read(function)
    key = tuple(map(id, parts))
    known = _known.get(key)
    if known is None:
        if len(_known) >= _REMEMBERED:
            _known.clear()
        known = _known[key] = _read(function), parts
    return known[0]


def _parts(function: Callable[..., Any]) -> tuple[Any, ...] | None:
    """All that a plain function's signature is read from; None for other callables, and where there are defaults."""
    if type(function) is not types.FunctionType or function.__dict__:  # a decorator leaves `__wrapped__` there
        return None
    if function.__defaults__ or function.__kwdefaults__:
        return None  # whatever they are, they may have changed inside
    return (function.__code__, function.__globals__, *itertools.chain(*function.__annotations__.items()))


def _read(function: Callable[..., Any]) -> Signature:
    hints = typing.get_type_hints(inspect.unwrap(_plain_function(function)), include_extras=True)
    fields: dict[str, Any] = {}
    parameters: dict[str, str] = {}
    context = None
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = hints.get(name, parameter.annotation)
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"parameter {parameter} cannot be described; give every argument a name of its own")
        if annotation is parameter.empty:
            example = "CallContext" if name in ("ctx", "context") else "str"
            raise TypeError(f"parameter {name} has no annotation; write for example {name}: {example}")
        if _is_context(annotation):
            if context is not None:
                raise TypeError(f"parameters {context} and {name} both ask for the CallContext; keep one")
            context = name
            continue
        # Positions as field names: a parameter may be called `schema`, `_x` or what else a model reserves.
        field = f"p{len(fields)}"
        fields[field] = (_aliased(annotation, name), ... if parameter.default is parameter.empty else parameter.default)
        parameters[field] = name
    try:
        model = create_model("Arguments", __config__=ConfigDict(extra="forbid", allow_inf_nan=False), **fields)
        schema = plain_schema(model.model_json_schema(by_alias=True))
    except Exception as error:
        raise TypeError(f"the parameters cannot be described as a JSON Schema: {first_line(error)}") from error
    if (names := len(schema.get("properties", {}))) < len(fields):
        raise TypeError(f"{len(fields)} parameters have only {names} names on the wire; give each its own alias")
    schema = {"type": "object", "properties": {}, **schema}
    return Signature(model, parameters, schema, context, _read_returns(hints.get("return", inspect.Parameter.empty)))


def _is_context(annotation: Any) -> bool:
    if get_origin(annotation) in (Union, types.UnionType):
        return any(_is_context(branch) for branch in get_args(annotation))
    return (get_origin(annotation) or annotation) is CallContext


def first_line(error: Exception) -> str:
    """What an error says, without the advice that pydantic adds below."""
    return str(error).strip().partition("\n")[0]


def _plain_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """What carries the annotations: behind `functools.partial` and callable objects."""
    while isinstance(function, (types.MethodType,)) or hasattr(function, "func"):
        function = getattr(function, "__func__", None) or function.func
    return function if inspect.isroutine(function) else type(function).__call__


def _aliased(annotation: Any, name: str) -> Any:
    """The annotation with the wire name as alias, unless it has one."""
    marks = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    if any(isinstance(mark, FieldInfo) and mark.alias for mark in marks):
        return annotation
    return Annotated[annotation, Field(alias=name)]


def _read_returns(annotation: Any) -> Returns:
    annotation = _without_asking(annotation)
    if annotation is None or annotation is type(None):
        return Returns(nothing=True)
    if get_origin(annotation) is Result:
        [annotation] = get_args(annotation)
    if annotation in (inspect.Parameter.empty, Any, Result):
        return Returns()
    if _is_content(annotation):
        return Returns(content=True, optional=type(None) in get_args(annotation))
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        schema = plain_schema(adapter.json_schema(by_alias=True, mode="serialization"), keep_null=True)
    except Exception as error:
        raise TypeError(f"the return type cannot be described as a JSON Schema: {first_line(error)}") from error
    if schema.get("type") == "object":
        return Returns(adapter, schema={"properties": {}, **schema})
    wrapped = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    if definitions := schema.pop("$defs", None):
        wrapped["$defs"] = definitions
    return Returns(adapter, wrapped=True, schema=wrapped)


def _without_asking(annotation: Any) -> Any:
    """What is promised besides asking for input first."""
    if annotation is InputRequired:
        return Any
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    branches = [branch for branch in get_args(annotation) if branch is not InputRequired]
    return Union[tuple(branches)]  # noqa: UP007  (made at run time)


def _is_content(annotation: Any) -> bool:
    """Whether a return annotation is text, content blocks, a list or a union of those."""
    if annotation is str or annotation in _CONTENT_TYPES:
        return True
    origin = get_origin(annotation)
    if origin is Annotated:
        return _is_content(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        branches = [branch for branch in get_args(annotation) if (get_origin(branch) or branch) is not Result]
        blocks = [branch for branch in branches if branch is not type(None)]
        if blocks == [str] and blocks != branches:
            return False  # `str | None` is a value that may be missing, and is said as such
        return all(_is_content(branch) for branch in blocks)
    if origin in (list, tuple):
        inner = [argument for argument in get_args(annotation) if argument is not Ellipsis]
        return bool(inner) and all(argument is not str and _is_content(argument) for argument in inner)
    return False
