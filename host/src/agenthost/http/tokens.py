"""Bearer tokens: a file of `name:token` lines, and whose token a request shows."""

from __future__ import annotations

import hmac
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from agenthost.errors import OperatorError

LEAST_CHARACTERS = 32
"""Of a token: 128 bits in hexadecimal digits, so that nobody can guess one."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # what an Authorization header can carry (RFC 6750)
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)


@dataclass(frozen=True)
class Tokens:
    """Who is known, by the digests of their tokens; the tokens themselves are not kept."""

    digests: Mapping[str, bytes] = field(repr=False)

    def name_of(self, authorization: str | None) -> str | None:
        """The name whose token an Authorization header shows, or None.

        Every digest is compared, whichever fits, so the time tells nothing.
        """
        shown = _BEARER.fullmatch(authorization or "")
        digest = _digest(shown[1] if shown else "")
        names = [name for name, known in self.digests.items() if hmac.compare_digest(known, digest)]
        return names[0] if names else None


def read_tokens(path: Path) -> Tokens:
    """Read the file of `--token-file`.

    Raises:
        OperatorError: it cannot be read, others can read it, or a line is wrong; names the line, never a token.
    """
    lines = _read(path).splitlines()
    digests: dict[str, bytes] = {}
    for number, line in enumerate(lines, start=1):
        name, colon, token = line.partition(":")
        if not line.strip():
            _refuse(path, number, "is empty; remove it")
        if not colon or _NAME.fullmatch(name) is None:
            _refuse(path, number, "has to be name:token; a name has up to 64 letters, digits and . _ @ -")
        if _TOKEN.fullmatch(token) is None or len(token) < LEAST_CHARACTERS:
            _refuse(
                path,
                number,
                f"needs a token of at least {LEAST_CHARACTERS} letters, digits and . _ ~ + / - without blanks; "
                "this makes one: openssl rand -hex 32",
            )
        if name in digests:
            _refuse(path, number, f"repeats the name {name}; one name has one token")
        if _digest(token) in digests.values():
            _refuse(path, number, "repeats the token of another name; every name needs its own")
        digests[name] = _digest(token)
    if not digests:
        raise OperatorError(f"--token-file {path}: the file is empty; write one line of name:token for each client")
    return Tokens(digests)


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "replace")).digest()


def _read(path: Path) -> str:
    try:
        # At once: a pipe that nobody writes to would hold up the start.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), encoding="utf-8-sig") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise OperatorError(f"--token-file {path}: it is no file")
            if status.st_mode & 0o077:
                raise OperatorError(f"--token-file {path}: others can read it; chmod 600 {path}")
            return file.read()
    except OSError as error:
        raise OperatorError(f"--token-file {path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise OperatorError(f"--token-file {path}: it is not UTF-8 text") from error


def _refuse(path: Path, number: int, text: str) -> NoReturn:
    raise OperatorError(f"--token-file {path}: line {number} {text}")
