"""One hook of one plugin: call it, and check that it gave what it has to give."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import pluggy
from pydantic import BaseModel

from agenthost.contributions import Prompt, Resource, ResourceTemplate, Tool
from agenthost.errors import OperatorError
from agenthost.plugins.containment import bounded, explain_failure, stdout_to_stderr
from agenthost.plugins.found import Found

R = TypeVar("R")

ASK_LIMIT = 10.0
"""Seconds for importing a plugin that is asked something outside of serving."""


def ask(found: Found, hook: str, wanted: str, check: Callable[[Any], R]) -> R | None:
    """Import one plugin, wanted or not, and call one hook that takes no arguments; see `call_hook`.

    Raises:
        OperatorError: names the plugin and why it could not answer.
    """
    if found.problem:
        raise OperatorError(f"{found.name}: {found.problem}")
    stage = f"importing {found.entry_point.value}"
    try:
        with stdout_to_stderr():
            hooks = bounded(found.load_hooks, ASK_LIMIT)
            stage = hook
            return bounded(lambda: call_hook(hooks, hook, wanted, check), ASK_LIMIT)  # type: ignore[no-any-return]
    except Exception as error:
        raise OperatorError(f"{found.name}: {explain_failure(stage, error)}") from error


def call_hook(
    hooks: pluggy.PluginManager, hook: str, wanted: str, check: Callable[[Any], Any], **arguments: Any
) -> Any:
    """Call one hook of one plugin; None if it is not implemented or gives nothing.

    Args:
        hooks: the plugin's manager.
        hook: the hook's name.
        wanted: what it has to return, in words.
        check: returns the value to use, or raises `WrongKind`; see `expect`.
        arguments: the hook's arguments.

    Raises:
        OperatorError: it returned something else.
        Exception: whatever it raised.
    """
    results = getattr(hooks.hook, hook)(**arguments)
    if not results:
        return None
    [value] = results
    if inspect.iscoroutine(value):
        value.close()
        raise OperatorError(f"{hook} has to be a plain function (def), not async def")
    try:
        return check(value)
    except WrongKind:
        raise OperatorError(f"{hook} has to return {wanted}, not {shorten(value)}") from None


class WrongKind(Exception):
    """A hook returned something of another kind."""


def expect(kind: type[R]) -> Callable[[Any], R]:
    """A check for `call_hook`: the value is an instance of `kind`."""

    def check(value: Any) -> R:
        if not isinstance(value, kind):
            raise WrongKind
        return value

    return check


def iterated(value: Any) -> list[Any]:
    """A check for `call_hook`: the value can be iterated over, and is no text and no mapping; gives its items."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise WrongKind
    return list(value)


def model_class(value: Any) -> type[BaseModel]:
    """A check for `call_hook`: the value is a pydantic model class."""
    if not (inspect.isclass(value) and issubclass(value, BaseModel)):
        raise WrongKind
    return value


def shorten(value: Any) -> str:
    """A value of a plugin as it fits into one line for the operator, the same in every run."""
    if isinstance(value, (Tool, Prompt, Resource, ResourceTemplate)):
        text = f"the {type(value).__name__} {value.key!r}"
    elif inspect.isfunction(value):
        text = f"the function {value.__name__}"
    else:
        text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
