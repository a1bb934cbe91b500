"""One line as a message and back."""

from __future__ import annotations

import re

from mcp_types import PARSE_ERROR, JSONRPCMessage

from agenthost import messages
from agenthost.messages import Refusal

FORM = "one line of JSON that ends with a line feed"

_CONTENT_LENGTH = re.compile(rb"^\s*content-length\s*:|\}\s*content-length\s*:\s*\d+\s*$", re.IGNORECASE)


def decode(line: bytes) -> JSONRPCMessage | None:
    """Read one line; None for a blank one.

    Raises:
        Refusal: the line is not a JSON-RPC message.
    """
    try:
        return messages.decode(line, FORM)
    except Refusal as refusal:
        if not line.strip():
            return None
        if refusal.error.error.code == PARSE_ERROR and _CONTENT_LENGTH.search(line):
            text = f"this server reads one message a line and no Content-Length headers; send each message as {FORM}"
            raise Refusal(PARSE_ERROR, f"Parse error: {text}") from None
        raise


def encode(message: JSONRPCMessage) -> bytes:
    """Write one line, with its line feed; errors as for `messages.encode`."""
    return messages.encode(message) + b"\n"
