"""Seals the state of calls that wait for input, under a key that all servers on one state folder share."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import stat
from pathlib import Path
from typing import Any

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.request_state import (
    AESGCMRequestStateCodec,
    InvalidRequestState,
    RequestStateBoundary,
    RequestStateSecurity,
)
from mcp_types.methods import INPUT_REQUIRED_METHODS

from agenthost.errors import INVALID_PARAMS

log = logging.getLogger("agenthost")

KEY_BYTES = 32

HOLDS = 600.0
"""Seconds that a sealed state is good for; a person has that long to answer."""


class Sealing:
    """Server middleware: what leaves as `requestState` is sealed, and what comes back is opened or refused.

    A state is bound to the method, the name or address, the arguments and the authenticated caller.
    """

    def __init__(self, key_file: Path) -> None:
        """`key_file` is made when the first state is sealed; see `StateKey`."""
        security = RequestStateSecurity(codec=StateKey(key_file), ttl=HOLDS)
        self._boundary = RequestStateBoundary(security, default_audience="agenthost")

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle one message."""
        if ctx.method not in INPUT_REQUIRED_METHODS:
            return await call_next(ctx)
        try:
            return await self._boundary(ctx, call_next)
        except MCPError as error:
            if error.error.data != {"reason": "invalid_request_state"}:
                raise
            text = (
                f"The requestState of this {ctx.method} is not valid here, or no longer: it holds {HOLDS:g} s, for the "
                "same name, arguments and caller. Make the call again without it."
            )
            raise MCPError(INVALID_PARAMS, text, error.error.data) from None


class StateKey:
    """The codec of the SDK's boundary, with a key in a file that is read or made at its first use.

    Servers that begin at the same time agree on one key. A file that cannot be used is reported
    once; this process then takes a key of its own, with which a state does not outlive it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._codec: AESGCMRequestStateCodec | None = None

    def seal(self, payload: bytes) -> str:
        """Seal a state."""
        if self._codec is None:
            self._codec = AESGCMRequestStateCodec([self._key()])
        return self._codec.seal(payload)

    def unseal(self, token: str) -> bytes:
        """Open what was sealed by this or another process on the same file.

        Raises:
            InvalidRequestState: it was not, or not like this.
        """
        if self._codec is None:
            if not self._file.exists():
                raise InvalidRequestState("nothing was ever sealed here")
            self._codec = AESGCMRequestStateCodec([self._key()])
        return self._codec.unseal(token)

    def _key(self) -> bytes:
        try:
            return _shared_key(self._file)
        except (OSError, ValueError) as error:
            log.error(
                "%s cannot be used: %s. Calls that wait for their user's answer now end with this process. "
                "Remove the file, and restart",
                self._file,
                error,
            )
            return secrets.token_bytes(KEY_BYTES)


def _shared_key(file: Path) -> bytes:
    """The key in `file`, which is made if it is not there.

    Raises:
        OSError: it can neither be read nor made.
        ValueError: it is no key, or not a secret.
    """
    try:
        return _read(file)
    except FileNotFoundError:
        pass
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as written:
            written.write(secrets.token_bytes(KEY_BYTES))
            written.flush()
            os.fsync(written.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)  # whole or not at all, and only for the first of several
    finally:
        draft.unlink(missing_ok=True)
    return _read(file)


def _read(file: Path) -> bytes:
    with file.open("rb") as opened:
        if os.fstat(opened.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ValueError("others may read or write it; it has to have the mode 0600")
        key = opened.read(KEY_BYTES + 1)
    if len(key) != KEY_BYTES:
        raise ValueError(f"it does not hold the {KEY_BYTES} bytes of a key")
    return key
