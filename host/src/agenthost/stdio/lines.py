"""Cuts the client's bytes into lines, in bounded memory."""

from __future__ import annotations

from collections import deque


class Lines:
    """Cuts a stream of bytes into lines; keeps at most about `max_bytes` of an unfinished one.

    Attributes:
        ready: finished lines without their line feed, in order, the empty ones left out; None stands for a line
            that was too long and is dropped.
    """

    def __init__(self, max_bytes: int) -> None:
        self.ready: deque[bytes | None] = deque()
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._extend(end)
            self.finish()
        self._extend(rest)

    def finish(self) -> None:
        """End the current line, also one without a line feed at the end of the stream."""
        if self._parts:
            self.ready.append(b"".join(self._parts))
            self._parts.clear()
        self._size = 0

    def _extend(self, part: bytes) -> None:
        if not part or self._size > self._max_bytes:
            return
        self._size += len(part)
        if self._size > self._max_bytes:
            self._parts.clear()
            self.ready.append(None)
        else:
            self._parts.append(part)
