"""Every error the host knows, in one small tree; each class says who reads its text.

- the operator reads it on stderr (`OperatorError`),
- the model reads it as a tool result with `isError` (`ToolError`),
- the client program reads it as a JSON-RPC error (`ProtocolError`).

Plugins raise the last two kinds. Anything else that leaves plugin code is a crash: the model gets a
short reference, the operator gets the details on stderr.
"""

from __future__ import annotations

from typing import Any

INVALID_PARAMS = -32602
"""JSON-RPC code for an unknown tool, prompt or resource and for parameters of the wrong shape."""

MISSING_CAPABILITY = -32021
"""JSON-RPC code for a request that needs what its client has not declared (2026-07-28)."""

METHOD_NOT_FOUND = -32601
"""JSON-RPC code for a method that nobody answers."""

INTERNAL_ERROR = -32603
"""JSON-RPC code for a fault of the server or of a plugin."""


class AgenthostError(Exception):
    """Base of all errors of this package. `str(error)` is the text its reader sees."""


class OperatorError(AgenthostError):
    """The operator reads it on stderr; the command ends with `exit_code`."""

    exit_code = 2


class ConfigError(OperatorError):
    """A configuration file, `--set` or environment value is wrong; names file, key and value."""


class StorageError(AgenthostError):
    """A plugin's database cannot be used; says what happened to the data and what to do.

    At start the operator reads it, and the plugin is not served; in a call it is the call's failure.
    """


class ToolError(AgenthostError):
    """The model reads it: a tool result with `isError`. The text says what to do next.

    `structured` is sent as `structuredContent` beside the text; some clients drop it on errors, so
    the text has to tell everything.
    """

    structured: dict[str, Any] | None = None

    def __init__(self, text: str, structured: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.structured = structured


class ContributionRefused(ToolError):
    """A tool that a plugin adds at run time is not accepted; nothing has changed.

    It is a `ToolError` because the usual cause is a model's own request (`void_create_tool`).
    """


class CallFailed(ToolError):
    """The plugin's code crashed, took too long or could not start. In prompts and resources: JSON-RPC -32603."""


class ProtocolError(AgenthostError):
    """The client program reads it: a JSON-RPC error with `code`, text and optional `data`."""

    code: int = INTERNAL_ERROR
    data: Any = None

    def __init__(self, code: int, text: str, data: Any = None) -> None:
        super().__init__(text)
        self.code = code
        self.data = data


class InvalidParams(ProtocolError):
    """The request names its parameters wrongly: JSON-RPC -32602."""

    code = INVALID_PARAMS

    def __init__(self, text: str, data: Any = None) -> None:
        super().__init__(INVALID_PARAMS, text, data)


class NotFound(InvalidParams):
    """What the request names does not exist here: JSON-RPC -32602, as the specification asks."""
