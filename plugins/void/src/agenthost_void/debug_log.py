"""The debug log: JSON lines that tell what happened, and nothing of what was said.

It holds names and schemas of tools, the keys of a call's arguments and the length of its result, in
characters. Argument values and result texts never reach it. Every event opens the file, appends one
line with one write and closes it: nothing to close at the end, nothing lost in a call that outlives it,
and several servers may share one file.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from agenthost import PluginContext, Tool

from agenthost_void.definitions import Definition
from agenthost_void.settings import Settings
from agenthost_void.sources import resolve


class DebugLog:
    """Appends events of one plugin to the file of its setting `debug_log`; does nothing without one."""

    def __init__(self, plugin: PluginContext[Settings]) -> None:
        self._plugin = plugin
        setting = plugin.settings.debug_log
        self.path = resolve(setting, plugin.base_dir) if setting is not None else None

    def fault(self) -> str | None:
        """Why the file can certainly not be written, without touching it; None if it may well be."""
        if self.path is None:
            return None
        if not self.path.parent.is_dir():
            return f"debug_log {self.path}: there is no folder {self.path.parent}; create it first"
        if self.path.exists() and not self.path.is_file():
            return f"debug_log {self.path}: is not a regular file; name a file that exists or is to be created"
        return None

    def start(self, tools: Iterable[Tool]) -> None:
        """Serving begins with these tools.

        Raises:
            OSError: the file cannot be written.
        """
        custom = [_describe(tool.name, tool.input_schema) for tool in tools if tool.input_schema is not None]
        self._append("start", mutable=self._plugin.settings.mutable, tools=custom)

    def create(self, definition: Definition) -> None:
        """A tool was created live."""
        described = _describe(definition.name, definition.input_schema)
        self._note("create", **described, resultLength=len(definition.result))

    def remove(self, name: str) -> None:
        """A tool was removed live."""
        self._note("remove", tool=name)

    def call(self, definition: Definition, arguments: Mapping[str, Any]) -> None:
        """A custom tool was called."""
        self._note("call", tool=definition.name, argumentKeys=list(arguments), resultLength=len(definition.result))

    def _note(self, event: str, **members: Any) -> None:
        """Append an event; one that cannot be written is reported and does not spoil the call."""
        try:
            self._append(event, **members)
        except OSError as error:
            self._plugin.log.warning("debug_log %s: an event is lost: %s", self.path, error.strerror)

    def _append(self, event: str, **members: Any) -> None:
        if self.path is None:
            return
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": time, "process": os.getpid(), "event": event, **members}).encode() + b"\n"
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.write(file, line) < len(line):
                raise OSError(errno.ENOSPC, "only a part of the line could be written")
        finally:
            os.close(file)


def _describe(name: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"tool": name, "inputSchema": schema}
