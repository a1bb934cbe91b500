"""A player's connection over MCP.

In the protocol revision 2026-07-28 a tool call is one POST without a session before it. That is all a
player needs, so it is written out here: a plugin does not import the protocol's SDK.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from agenthost import OperatorError

from agenthost_hardtoget import __version__
from agenthost_hardtoget.players import web
from agenthost_hardtoget.players.table import MoveRefused, Seat
from agenthost_hardtoget.players.turns import DetectiveTurn, Ended, WitnessTurn

REVISION = "2026-07-28"

WAIT = 25.0
"""Seconds that one call of `hardtoget_wait` waits."""

PATIENCE = 60.0
"""Seconds of silence after which a server counts as gone."""


class ToolRefused(OperatorError):
    """The tool answered with an error; its text is the server's."""


class McpTable:
    """Implements `Table` with the tools of this plugin."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._numbers = itertools.count(1)
        self._client_id = ""
        self._game_id = ""

    def register(self, model: str) -> None:
        """See `Table`."""
        self._client_id = self._call("hardtoget_register", model_name=model)["client_id"]

    def join(self, role: str | None) -> Seat:
        """See `Table`."""
        wanted = {} if role is None else {"preferred_role": role}
        joined = self._call("hardtoget_join_game", client_id=self._client_id, **wanted)
        self._game_id = joined["game_id"]
        return Seat(self._game_id, joined["role"], joined["game_ready"])

    def next_turn(self) -> WitnessTurn | DetectiveTurn | Ended:
        """See `Table`."""
        while True:
            view = self._call("hardtoget_wait", **self._seat, timeout_seconds=WAIT)["view"]
            match view["phase"], view["role"]:
                case "finished", _:
                    return _end(view)
                case "witness_turn", "Witness":
                    first, second = view["dilemma"]
                    return WitnessTurn(view["round"], tuple(view["board"]), view["key_word"], (first, second))
                case "detective_turn", "Detective":
                    first, second = view["dilemma"]
                    return DetectiveTurn(view["round"], tuple(view["board"]), (first, second), view["witness_choice"])

    def over(self) -> Ended | None:
        """See `Table`."""
        view = self._call("hardtoget_get_state", **self._seat)
        return _end(view) if view["phase"] == "finished" else None

    def choose_side(self, side: str) -> None:
        """See `Table`."""
        self._move("hardtoget_witness_choice", dilemma_choice=side)

    def eliminate(self, words: list[str]) -> None:
        """See `Table`."""
        self._move("hardtoget_detective_choice", eliminated_words=words)

    def leave(self) -> None:
        """See `Table`."""
        self._call("hardtoget_leave_game", **self._seat)

    def close(self) -> None:
        """See `Table`; there is no connection to close."""

    @property
    def _seat(self) -> dict[str, Any]:
        return {"game_id": self._game_id, "client_id": self._client_id}

    def _move(self, tool: str, **arguments: Any) -> None:
        try:
            self._call(tool, **self._seat, **arguments)
        except ToolRefused as error:
            raise MoveRefused(str(error)) from None

    def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        number = next(self._numbers)
        meta = {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "agenthost-hardtoget", "version": __version__},
        }
        request = {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": meta},
        }
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": REVISION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
            **self._headers,
        }
        return self._understand(web.post(self._url, request, headers, PATIENCE), number)

    def _understand(self, reply: web.Reply, number: int) -> dict[str, Any]:
        for message in _messages(reply):
            match message:
                case {"id": answered, "result": dict(result)} if answered == number:
                    if result.get("isError"):
                        raise ToolRefused(_text(result))
                    structured = result.get("structuredContent")
                    if isinstance(structured, dict):
                        return structured
                case {"error": {"message": str(text)}}:
                    raise OperatorError(f"{self._url} refused the call: {text}")
        if reply.status == 401:
            raise OperatorError(f"{self._url} wants a token; set AGENTHOST_TOKEN in the environment to yours")
        raise OperatorError(
            f"{self._url} does not answer like an MCP server with hardtoget (HTTP {reply.status}); "
            "the address that agenthost serve --http prints ends in /mcp"
        )


def _end(view: dict[str, Any]) -> Ended:
    return Ended(view["outcome"], view.get("key_word"))


def _messages(reply: web.Reply) -> Iterator[Any]:
    """The JSON-RPC messages of an answer, which may be a stream of events."""
    if reply.content_type != "text/event-stream":
        yield reply.json()
        return
    for event in reply.text.replace("\r\n", "\n").split("\n\n"):
        lines = [line.removeprefix("data:").strip() for line in event.split("\n") if line.startswith("data:")]
        try:
            yield json.loads("\n".join(lines))
        except ValueError:
            continue


def _text(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result.get("content", ()) if block.get("type") == "text")
