"""Where the server listens: what the operator typed, and the socket that comes of it."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from functools import lru_cache

from agenthost.errors import OperatorError

DEFAULT_HOST = "127.0.0.1"

BACKLOG = 1024
"""Connections that may wait to be accepted: a team's clients all come back at once after a restart."""

_TYPED = re.compile(r"(?:(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):)?(?P<port>[0-9]{1,5})")


@dataclass(frozen=True)
class Address:
    """A host and a port to listen on.

    Attributes:
        host: a name or an IP address, without brackets.
        port: 0 lets the system choose.
    """

    host: str
    port: int


def parse_address(text: str) -> Address:
    """Read `PORT`, `HOST:PORT` or `[IPV6]:PORT`.

    Raises:
        OperatorError: it is none of these.
    """
    typed = _TYPED.fullmatch(text.strip())
    if typed is None or int(typed["port"]) > 65535:
        raise OperatorError(
            f"--http {text}: write PORT or HOST:PORT, for example --http 8000, --http 127.0.0.1:8000 or "
            "--http [::1]:8000; port 0 takes a free one"
        )
    host = (typed["host"] or DEFAULT_HOST).strip("[]")
    return Address(host, int(typed["port"]))


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Whether an IP address, written out, is reachable from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Listening:
    """A socket that listens, and how clients reach it.

    Attributes:
        socket: bound and listening.
        host: as the operator typed it.
        ip: the address that it is bound to.
        port: the port that it is bound to.
    """

    socket: socket.socket
    host: str
    ip: str
    port: int

    @property
    def url(self) -> str:
        """The address of the endpoint, with a host that this machine can open."""
        host = self.host
        try:
            if ipaddress.ip_address(host).is_unspecified:
                host = "::1" if ":" in host else DEFAULT_HOST
        except ValueError:
            pass  # a name
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/mcp"


def listen(address: Address, *, protected: bool) -> Listening:
    """Open the socket, before any plugin is loaded, so that a taken port is told at once.

    Args:
        address: where.
        protected: whether clients need a token; without one only this machine may be served.

    Raises:
        OperatorError: the host is unknown or not this machine's, the port is taken, or a token is missing.
    """
    where = f"--http {f'[{address.host}]' if ':' in address.host else address.host}:{address.port}"
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise OperatorError(f"{where}: there is no host {address.host!r} ({error})") from error
    # `localhost` has an address in both families; the older one is what every client tries.
    family, kind, protocol, _, target = min(found, key=lambda row: row[0] != socket.AF_INET)
    ip = str(target[0])
    if not protected and not is_loopback(ip):
        raise OperatorError(
            f"{where}: others can reach this address, so clients have to show a token. Write lines of name:token into "
            "a file that only you can read (chmod 600) and add --token-file FILE; or serve this machine alone with "
            f"--http {address.port}"
        )
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(target)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise OperatorError(
            f"{where}: cannot listen there ({error.strerror}); choose another port, or end what uses it. "
            "--http 0 takes a free one"
        ) from error
    return Listening(listening, address.host, ip, listening.getsockname()[1])
