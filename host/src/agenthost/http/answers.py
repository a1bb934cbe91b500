"""Answers of the host itself over HTTP: JSON that says what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json
from starlette.responses import Response


def answer(status: int, content: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer that nobody keeps a copy of."""
    return Response(to_json(content), status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")


def refusal(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """`{"error": text}`."""
    return answer(status, {"error": text}, headers)
