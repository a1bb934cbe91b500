"""The mark on settings that a config file found in the working directory may not set."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo


class Trusted:
    """Mark a setting that only the operator may give: `debug_log: Annotated[Path | None, Trusted]`.

    A config file in the working directory may have come with a cloned repository. A marked setting
    (a path that is written, a switch that allows writing, a secret) is refused there, and accepted
    from `--config`, `$AGENTHOST_CONFIG`, the user's own file, `--set` and command-line options. A
    mark anywhere inside a setting's type, for example on a field of a nested model, marks it whole.
    """


def trusted_keys(model: type[BaseModel], keys: Iterable[str]) -> Iterator[str]:
    """Those of `keys` that set a marked field of the model, by any of its names."""
    for info, key in _fields(model, keys):
        if _is_marked(info.metadata) or _mentions_mark(info.annotation, set()):
            yield key


def known_keys(model: type[BaseModel], path: Iterable[str]) -> list[str]:
    """The keys that a model has below `path`; empty if no model is there."""
    models = [model]
    for part in path:
        if not part.isdigit():  # a position in a list
            models = [
                found for outer in models for info, _ in _fields(outer, [part]) for found in _models(info.annotation)
            ]
    return sorted({info.alias or name for found in models for name, info in found.model_fields.items()})


def field_names(name: str, info: FieldInfo) -> set[str]:
    """The keys that set a field: its own name and its aliases."""
    return {name, *_alias_names(info.alias), *_alias_names(info.validation_alias)}


def _fields(model: type[BaseModel], keys: Iterable[str]) -> Iterator[tuple[FieldInfo, str]]:
    """The fields that `keys` name, each by its own name or an alias."""
    wanted = list(keys)
    for name, info in model.model_fields.items():
        names = field_names(name, info)
        yield from ((info, key) for key in wanted if key in names)


def _alias_names(alias: Any) -> Iterator[str]:
    """The keys behind pydantic's `AliasChoices` and `AliasPath`."""
    if isinstance(alias, str):
        yield alias
    for choice in getattr(alias, "choices", ()):
        yield from _alias_names(choice)
    yield from (part for part in getattr(alias, "path", ())[:1] if isinstance(part, str))


def _is_marked(marks: Iterable[Any]) -> bool:
    return any(mark is Trusted or isinstance(mark, Trusted) for mark in marks)


def _mentions_mark(annotation: Any, seen: set[Any]) -> bool:
    """Whether a type has the mark on it or anywhere inside: models, dataclasses, TypedDicts, containers."""
    if _is_marked(getattr(annotation, "__metadata__", ())):
        return True
    if isinstance(annotation, type) and annotation not in seen:
        seen.add(annotation)
        if any(_mentions_mark(hint, seen) for hint in _hints(annotation)):
            return True
    return any(_mentions_mark(argument, seen) for argument in get_args(annotation))


def _hints(annotation: type) -> list[Any]:
    try:
        return list(typing.get_type_hints(annotation, include_extras=True).values())
    except (NameError, TypeError):  # names of a function's locals, which only pydantic could resolve
        return [typing.Annotated[Any, Trusted]]


def _models(annotation: Any) -> list[type[BaseModel]]:
    """The models that an annotation allows."""
    if hasattr(annotation, "model_fields"):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models(argument)]
