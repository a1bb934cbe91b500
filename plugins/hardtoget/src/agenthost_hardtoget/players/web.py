"""One JSON text sent to a web server and what it answers; what goes wrong is told in one sentence."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from agenthost import OperatorError

MAX_ANSWER = 4 * 1024 * 1024
"""Bytes of an answer that are read."""


class NoAnswer(OperatorError):
    """The server cannot be reached, did not answer in time, or broke off."""


@dataclass(frozen=True)
class Reply:
    """What a server answered.

    Attributes:
        status: the HTTP status.
        content_type: the media type, without parameters.
        text: the body.
    """

    status: int
    content_type: str
    text: str

    def json(self) -> Any:
        """The body as JSON, or None if it is none."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None


def check_url(url: str) -> None:
    """Refuse what is no web address.

    Raises:
        OperatorError: it is none.
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise OperatorError(f"{url!r} is no web address; write it as http://127.0.0.1:5000 or http://HOST:PORT/mcp")


def post(url: str, body: Any, headers: Mapping[str, str], seconds: float) -> Reply:
    """POST a JSON text and return what the server answers, whatever its status is.

    Raises:
        NoAnswer: there was no answer within `seconds` of silence.
    """
    check_url(url)
    request = urllib.request.Request(  # noqa: S310 - the address has just been checked
        url,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Accept": "application/json", **headers},
        method="POST",
    )
    try:
        try:
            response = urllib.request.urlopen(request, timeout=seconds)  # noqa: S310 - the same
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = response.read(MAX_ANSWER).decode("utf-8", "replace")
            return Reply(response.status, response.headers.get_content_type(), text)
    except TimeoutError:
        raise NoAnswer(f"{url} did not answer within {seconds:g} s") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise NoAnswer(f"{url} did not answer within {seconds:g} s") from None
        raise NoAnswer(f"{url} cannot be reached ({_reason(error.reason)}); is the server running there?") from None
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer(f"{url} broke off its answer ({_reason(error)})") from None


def _reason(error: object) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
