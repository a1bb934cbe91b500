"""A client of the original hardtoget, written from the description of its API alone; run as a program.

It uses `requests` and the client of `python-socketio`, as the original's own client does, and nothing of this
repository. It registers, joins, and only then connects, which with the original loses the first event. Every thing
that happens is a JSON line on stdout. Words that it must not remove come as lines on stdin.

    python original_player.py URL MODEL ROLE REMOVE [TRANSPORT]

REMOVE is how many words a detective removes in each round. It ends when the game does.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

import requests
import socketio

URL, MODEL, ROLE, REMOVE = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
TRANSPORTS = sys.argv[5:] or None

ended = threading.Event()
moving = threading.Lock()
kept: set[str] = set()
told_what_to_keep = threading.Event()
board: list[str] = []
"""The words that are left, as far as this client knows."""


def show(what: str, data: Any) -> None:
    sys.stdout.write(json.dumps({"what": what, "data": data}) + "\n")
    sys.stdout.flush()


def post(path: str, **body: Any) -> dict[str, Any]:
    response = requests.post(f"{URL}{path}", json=body, timeout=30)
    show(path, response.json())
    response.raise_for_status()
    return response.json()


def read_stdin() -> None:
    for line in sys.stdin:
        kept.add(line.rstrip("\n"))
        told_what_to_keep.set()


client = socketio.Client(reconnection=False)


@client.on("game_started")
def game_started(data: Any) -> None:
    show("game_started", data)


@client.on("witness_turn")
def witness_turn(data: Any) -> None:
    show("witness_turn", data)
    with moving:
        post("/witness_choice", game_id=game_id, client_id=client_id, dilemma_choice=data["dilemma"][0])


@client.on("detective_turn")
def detective_turn(data: Any) -> None:
    show("detective_turn", data)
    told_what_to_keep.wait(30)
    with moving:
        words = [word for word in board if word not in kept][:REMOVE]
        answer = post("/detective_choice", game_id=data["game_id"], client_id=client_id, eliminated_words=words)
        board[:] = answer["remaining_words"]


@client.on("game_ended")
def game_ended(data: Any) -> None:
    show("game_ended", data)
    ended.set()


threading.Thread(target=read_stdin, daemon=True).start()
client_id = post("/register", model_name=MODEL)["client_id"]
joined = post("/join_game", client_id=client_id, preferred_role=ROLE)
game_id = joined["game_id"]
board[:] = joined["board"]
client.connect(URL, transports=TRANSPORTS, wait_timeout=30)
client.emit("join", {"client_id": client_id, "game_id": game_id})
finished = ended.wait(60)
with moving:
    pass  # the answer to the last move may come after the event that it caused
# Without `client.disconnect()`, which waits for the end of a long poll, up to 25 s.
os._exit(0 if finished else 1)
