"""The mark on settings that a config file found in the working directory may not set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo


class Trusted:
    """Mark a setting that only the operator may give: `debug_log: Annotated[Path | None, Trusted]`.

    A config file in the working directory may have come with a cloned repository. A marked setting
    (a path that is written, a switch that allows writing, a secret) is refused there, and accepted
    from `--config`, `$AGENTHOST_CONFIG`, the user's own file, `--set` and command-line options.
    """


def trusted_keys(model: type[BaseModel], values: Mapping[str, Any]) -> Iterator[str]:
    """The dotted keys among `values` that set a marked field, by any of its names and at any depth."""
    for info, key in _fields(model, values):
        if _is_marked(info.metadata) or _mentions_mark(info.annotation):
            yield key
            continue
        nested = _models(info.annotation)
        value = values[key]
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Mapping):
                for inner in nested:
                    yield from (f"{key}.{name}" for name in trusted_keys(inner, part))


def known_keys(model: type[BaseModel], path: Iterable[str]) -> list[str]:
    """The keys that a model has below `path`; empty if no model is there."""
    models = [model]
    for part in path:
        if not part.isdigit():  # a position in a list
            models = [inner for outer in models for info, _ in _fields(outer, [part]) for inner in _models(info.annotation)]
    return sorted({info.alias or name for found in models for name, info in found.model_fields.items()})


def _fields(model: type[BaseModel], keys: Iterable[str]) -> Iterator[tuple[FieldInfo, str]]:
    """The fields that `keys` name, each by its own name or an alias."""
    for name, info in model.model_fields.items():
        names = {name, info.alias, *_alias_names(info.validation_alias)}
        for key in keys:
            if key in names:
                yield info, key


def _alias_names(alias: Any) -> Iterator[str]:
    """The keys behind pydantic's `AliasChoices` and `AliasPath`."""
    if isinstance(alias, str):
        yield alias
    for choice in getattr(alias, "choices", ()):
        yield from _alias_names(choice)
    yield from (part for part in getattr(alias, "path", ())[:1] if isinstance(part, str))


def _is_marked(marks: Iterable[Any]) -> bool:
    return any(mark is Trusted or isinstance(mark, Trusted) for mark in marks)


def _mentions_mark(annotation: Any) -> bool:
    return _is_marked(getattr(annotation, "__metadata__", ())) or any(map(_mentions_mark, get_args(annotation)))


def _models(annotation: Any) -> list[type[BaseModel]]:
    """The models that an annotation allows."""
    if hasattr(annotation, "model_fields"):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models(argument)]
