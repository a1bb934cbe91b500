"""Extensions that cannot be served, each for another reason, and one among them that can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agenthost import Extension, Tool, hookimpl, tool


async def fine(params: dict[str, Any], ctx: Any) -> dict[str, Any]:
    return {"fine": True}


def blocking(params: dict[str, Any], ctx: Any) -> dict[str, Any]:
    return {}


async def narrow(params: dict[str, Any]) -> dict[str, Any]:
    return {}


@tool
def bad_tool() -> str:
    """Served, whatever the extensions are."""
    return "fine"


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [bad_tool]


@hookimpl
def agenthost_extensions() -> Iterator[Extension]:
    yield Extension("no domain")
    yield Extension(7)  # type: ignore[arg-type]
    yield Extension("org.example/echo")
    yield Extension("org.example/settings", {"x": object()})
    yield Extension("org.example/core", {}, {"bad/one": fine, "tools/call": fine})
    yield Extension("org.example/notice", {}, {"notifications/mine": fine})
    yield Extension("org.example/taken", {}, {"echo/say": fine})
    yield Extension("org.example/name", {}, {"ping": fine})
    yield Extension("org.example/blocking", {}, {"bad/blocking": blocking})
    yield Extension("org.example/narrow", {}, {"bad/narrow": narrow})
    yield Extension("org.example/fine", {}, {"bad/fine": fine})
