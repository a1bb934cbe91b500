"""Which Host and Origin headers are let in: the rules that keep web pages away from a local server."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agenthost.errors import OperatorError
from agenthost.http.address import is_loopback

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_ORIGIN = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>[^/?#@\s]+)")


@dataclass(frozen=True)
class Admission:
    """Who may ask, by what a browser cannot forge.

    A web page can make a browser send requests to a server on its user's machine. The browser tells where the
    page is from (Origin), and under which name it looked the server up (Host). A name that is ours only by
    somebody else's DNS is not ours.

    Attributes:
        hosts: names and addresses besides those of this machine, lower case, each with a port or for any port.
        origins: origins besides those of these hosts, lower case.
    """

    hosts: frozenset[str]
    origins: frozenset[str]

    def allows_host(self, header: str | None) -> bool:
        """Whether a Host header names this server."""
        found = _HOST.fullmatch((header or "").lower())
        if found is None:
            return False
        name = found["name"]
        return name == "localhost" or is_loopback(name.strip("[]")) or not self.hosts.isdisjoint((name, found[0]))

    def allows_origin(self, header: str | None) -> bool:
        """Whether a request without an Origin, or with this one, may be answered."""
        if header is None:
            return True
        origin = header.lower()
        found = _ORIGIN.fullmatch(origin)
        web = found is not None and found["scheme"] in ("http", "https") and self.allows_host(found["host"])
        return web or self.names_origin(origin)

    def names_origin(self, header: str) -> bool:
        """Whether the operator has written this origin out; its pages may read the answers, too."""
        return header.lower() in self.origins


def make_admission(own_host: str, hosts: Iterable[str], origins: Iterable[str]) -> Admission:
    """The rules for a server that listens on `own_host`, with what the operator adds to them.

    Raises:
        OperatorError: one of them is no host or no origin.
    """
    for host in hosts:
        if _HOST.fullmatch(host.lower()) is None:
            raise OperatorError(
                f"{host!r} is no host to allow: write a host name or an address as in a URL, with or without "
                "a port, for example --allow-host mcp.example.com"
            )
    for origin in origins:
        if _ORIGIN.fullmatch(origin.lower()) is None:
            raise OperatorError(
                f"{origin!r} is no origin to allow: write the scheme and the host of the page, and nothing after them, "
                "for example --allow-origin https://app.example.com"
            )
    own = f"[{own_host}]" if ":" in own_host else own_host
    return Admission(frozenset(host.lower() for host in (own, *hosts)), frozenset(origin.lower() for origin in origins))
