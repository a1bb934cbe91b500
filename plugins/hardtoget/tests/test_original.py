"""The original's API: a client written for it plays unchanged, and its faults are not there."""

from __future__ import annotations

import gc
import http.client
import json
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import socketio
from agenthost.testing import PATIENCE, ServerProcess, clean_environment

AGENTHOST = [sys.executable, "-m", "agenthost"]
SERVE = [*AGENTHOST, "hardtoget", "serve"]
CLIENT = Path(__file__).with_name("original_player.py")

Post = Callable[..., requests.Response]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server for clients of the original; no test leaves a game there in which a player is missing."""
    folder = tmp_path_factory.mktemp("original")
    process = ServerProcess([*SERVE, "--port", "0"], env=clean_environment(folder), cwd=folder)
    yield process.url.removesuffix("/mcp")
    process.stop()


def posting(url: str) -> Post:
    """`post("/register", model_name="w")`: the response of the server at this address."""
    return lambda path, **body: requests.post(f"{url}{path}", json=body, timeout=PATIENCE)


@pytest.fixture
def post(server: str) -> Post:
    return posting(server)


class Seats:
    """A witness and a detective of one game, by the original's API."""

    def __init__(self, post: Post) -> None:
        self.post = post
        self.witness = post("/register", model_name="w").json()["client_id"]
        self.detective = post("/register", model_name="d").json()["client_id"]
        self.joined = post("/join_game", client_id=self.witness, preferred_role="Witness").json()
        self.game_id = self.joined["game_id"]
        self.completed = False

    def complete(self) -> dict[str, Any]:
        self.completed = True
        return self.post("/join_game", client_id=self.detective, preferred_role="Detective").json()

    def choose(self, option: str) -> requests.Response:
        return self.post("/witness_choice", game_id=self.game_id, client_id=self.witness, dilemma_choice=option)

    def eliminate(self, *words: str) -> requests.Response:
        return self.post(
            "/detective_choice", game_id=self.game_id, client_id=self.detective, eliminated_words=list(words)
        )


@pytest.fixture
def seats(post: Post) -> Iterator[Seats]:
    """A game with a witness in it; `complete()` lets the detective join, at the end of the test at the latest."""
    seats = Seats(post)
    yield seats
    if not seats.completed:
        seats.complete()


class Listener(socketio.SimpleClient):
    """A connection that has joined rooms, and what it hears."""

    def next(self) -> tuple[str, Any]:
        name, data = self.receive(timeout=PATIENCE)
        return name, data

    def hears_nothing_but(self, *expected: str) -> None:
        """It is told these things, and nothing else in the time that a few questions take."""
        assert [self.next()[0] for _ in expected] == list(expected)
        for _ in range(5):
            assert "error" in self.call("join", {"game_id": "no such game"}, timeout=PATIENCE)
        assert self.input_buffer == []


@pytest.fixture
def listen_at() -> Iterator[Callable[..., Listener]]:
    """`listen_at(url, client_id=..., game_id=...)`: a connection that has joined these rooms."""
    opened: list[Listener] = []

    def listen(url: str, **rooms: str) -> Listener:
        # One that connected anew would outlive the test, and draw from the `random` that property tests watch.
        listener = Listener(reconnection=False)
        listener.connect(url, wait_timeout=PATIENCE)
        opened.append(listener)
        if rooms:
            assert listener.call("join", rooms, timeout=PATIENCE) == {"status": "joined"}
        return listener

    yield listen
    for listener in opened:
        listener.disconnect()


@pytest.fixture
def listen(server: str, listen_at: Callable[..., Listener]) -> Callable[..., Listener]:
    """`listen(client_id=..., game_id=...)`: the same at the server of most tests."""
    return partial(listen_at, server)


class Program:
    """`original_player.py` in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(CLIENT), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.seen: list[tuple[str, Any]] = []

    def wait_for(self, what: str) -> Any:
        """The data of the first thing of that name."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            happened = json.loads(line)
            self.seen.append((happened["what"], happened["data"]))
            if happened["what"] == what:
                return happened["data"]
        raise AssertionError(f"{what} never came: {self.seen} {self.process.communicate()[1]}")

    def keep(self, word: str) -> None:
        """Tell a detective what not to remove."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def end(self) -> tuple[list[str], list[str]]:
        """The paths that it posted to and the events that it got, after it has ended well."""
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, err
        self.seen += [(happened["what"], happened["data"]) for happened in map(json.loads, out.splitlines())]
        names = [name for name, _ in self.seen]
        events = [name for name in names if name[0] != "/"]
        # The beginning and the first turn may come together, and the library has a thread for each of them.
        events[:2] = sorted(events[:2], key=lambda name: name != "game_started")
        return [name for name in names if name[0] == "/"], events


@pytest.fixture
def program(server: str) -> Iterator[Callable[..., Program]]:
    """Start `original_player.py`."""
    started: list[Program] = []

    def start(model: str, role: str, remove: int, *transports: str) -> Program:
        started.append(Program(server, model, role, str(remove), *transports))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate(timeout=PATIENCE)


@pytest.mark.parametrize("transports", [(), ("polling",), ("websocket",)], ids=["both", "polling", "websocket"])
@pytest.mark.parametrize("witness_first", [True, False], ids=["witness first", "detective first"])
def test_h06_a_client_of_the_original_plays_a_whole_game_in_both_orders(
    program: Callable[..., Program], transports: tuple[str, ...], witness_first: bool
) -> None:
    def start_witness() -> Program:
        witness = program("w", "Witness", 0, *transports)
        witness.wait_for("/join_game")
        return witness

    if witness_first:
        witness, detective = start_witness(), program("d", "Detective", 3, *transports)
    else:
        detective = program("d", "Detective", 3, *transports)
        detective.wait_for("/join_game")
        witness = start_witness()
    told = witness.wait_for("witness_turn")
    detective.keep(told["key_word"])
    assert witness.end() == (
        ["/register", "/join_game", *["/witness_choice"] * 5],
        ["game_started", *["witness_turn"] * 5, "game_ended"],
    )
    assert detective.end() == (
        ["/register", "/join_game", *["/detective_choice"] * 5],
        ["game_started", *["detective_turn"] * 5, "game_ended"],
    )

    of_witness, of_detective = (
        {name: [data for one, data in player.seen if one == name] for name, _ in player.seen}
        for player in (witness, detective)
    )
    [registered], [joined] = of_witness["/register"], of_detective["/join_game"]
    assert registered.keys() == {"client_id", "status"}
    assert joined.keys() == {"game_id", "role", "game_ready", "board"}
    assert joined["role"] == "Detective"
    game_id = joined["game_id"]
    assert of_witness["game_started"] == of_detective["game_started"] == [{"game_id": game_id}]
    for number, (asked, heard, moved) in enumerate(
        zip(
            of_witness["witness_turn"],
            of_detective["detective_turn"],
            of_detective["/detective_choice"],
            strict=True,
        ),
        1,
    ):
        dilemma = asked["dilemma"]
        assert asked == {"game_id": game_id, "round": number, "dilemma": dilemma, "key_word": told["key_word"]}
        assert heard == {"game_id": game_id, "round": number, "dilemma": dilemma, "witness_choice": dilemma[0]}
        last = number == 5
        assert moved == {
            "status": "success",
            "game_over": last,
            "win": True if last else None,
            "remaining_words": moved["remaining_words"],
            "key_word_eliminated": False,
        }
        assert len(moved["remaining_words"]) == 16 - 3 * number
    ended = {"game_id": game_id, "win": True, "key_word": told["key_word"], "final_board": [told["key_word"]]}
    assert of_witness["game_ended"] == of_detective["game_ended"] == [ended]
    assert of_witness["/witness_choice"] == [{"status": "success"}] * 5


def test_h24_the_end_of_a_lost_game_is_told_to_both(seats: Seats, listen: Callable[..., Listener]) -> None:
    witness = listen(client_id=seats.witness, game_id=seats.game_id)
    detective = listen(client_id=seats.detective, game_id=seats.game_id)
    seats.complete()
    assert witness.next() == ("game_started", {"game_id": seats.game_id})
    turn = witness.next()[1]
    seats.choose(turn["dilemma"][1])
    assert [detective.next()[0] for _ in range(2)] == ["game_started", "detective_turn"]
    answer = seats.eliminate(turn["key_word"]).json()
    assert (answer["game_over"], answer["win"], answer["key_word_eliminated"]) == (True, False, True)
    board = [word for word in seats.joined["board"] if word != turn["key_word"]]
    ended = {"game_id": seats.game_id, "win": False, "key_word": turn["key_word"], "final_board": board}
    assert witness.next() == ("game_ended", ended)
    assert detective.next() == ("game_ended", ended)


def test_who_joins_late_or_again_is_told_where_the_game_is(seats: Seats, listen: Callable[..., Listener]) -> None:
    seats.complete()
    rooms = {"client_id": seats.witness, "game_id": seats.game_id}
    for _ in range(2):
        late = listen(**rooms)
        assert [late.next()[0] for _ in range(2)] == ["game_started", "witness_turn"]
    first_turn = late.call("join", rooms, timeout=PATIENCE) and [late.next() for _ in range(2)][1][1]
    seats.choose(first_turn["dilemma"][0])
    late.call("join", rooms, timeout=PATIENCE)
    late.hears_nothing_but("game_started")
    others = [word for word in seats.joined["board"] if word != first_turn["key_word"]]
    seats.eliminate(*others)
    assert late.next()[0] == "game_ended"
    after_the_end = listen(**rooms)
    assert [after_the_end.next()[0] for _ in range(2)] == ["game_started", "game_ended"]


def test_who_joins_a_room_before_any_game_is_told_of_the_first_and_of_the_next(
    post: Post, listen: Callable[..., Listener]
) -> None:
    ids = [post("/register").json()["client_id"] for _ in range(2)]
    listener = listen(client_id=ids[0])
    for _ in range(2):
        joined = post("/join_game", client_id=ids[0], preferred_role="Witness").json()
        post("/join_game", client_id=ids[1])
        name, turn = listener.next()
        assert (name, turn["game_id"], turn["round"]) == ("witness_turn", joined["game_id"], 1)
        key = {"game_id": joined["game_id"]}
        post("/witness_choice", **key, client_id=ids[0], dilemma_choice=turn["dilemma"][0])
        answer = post("/detective_choice", **key, client_id=ids[1], eliminated_words=[turn["key_word"]])
        assert answer.json()["game_over"] is True


def test_events_tell_of_moves_that_other_processes_make_over_mcp(
    agenthost_server: Callable[..., ServerProcess], listen_at: Callable[..., Listener]
) -> None:
    url = agenthost_server("--port", "0", command=SERVE).url.removesuffix("/mcp")
    seats = Seats(posting(url))
    witness = listen_at(url, client_id=seats.witness, game_id=seats.game_id)
    other = agenthost_server("--plugins", "hardtoget")
    other.open("modern")

    def call(name: str, **arguments: Any) -> dict[str, Any]:
        result = other.call(f"hardtoget_{name}", arguments)["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    call("join_game", client_id=seats.detective, preferred_role="Detective")
    assert witness.next()[0] == "game_started"
    turn = witness.next()[1]
    seats.choose(turn["dilemma"][0])
    detective = {"game_id": seats.game_id, "client_id": seats.detective}
    assert call("wait", **detective)["view"]["phase"] == "detective_turn"
    word = next(word for word in seats.joined["board"] if word != turn["key_word"])
    call("detective_choice", **detective, eliminated_words=[word])
    name, turn = witness.next()
    assert (name, turn["round"]) == ("witness_turn", 2)
    call("leave_game", **detective)
    name, end = witness.next()
    assert (name, end["win"], end["key_word"]) == ("game_ended", None, turn["key_word"])


def test_h39_after_a_kill_and_a_restart_the_current_turn_is_told_again(
    agenthost_server: Callable[..., ServerProcess], listen_at: Callable[..., Listener]
) -> None:
    first = agenthost_server("--port", "0", command=SERVE)
    url = first.url.removesuffix("/mcp")
    seats = Seats(posting(url))
    seats.complete()
    turn = listen_at(url, client_id=seats.witness).next()[1]
    assert seats.choose(turn["dilemma"][0]).json() == {"status": "success"}
    first.stop()
    url = agenthost_server("--port", "0", command=SERVE).url.removesuffix("/mcp")
    name, heard = listen_at(url, client_id=seats.detective).next()
    assert (name, heard["witness_choice"]) == ("detective_turn", turn["dilemma"][0])
    others = [word for word in seats.joined["board"] if word != turn["key_word"]]
    seats.post = posting(url)
    assert seats.eliminate(*others).json()["win"] is True


def test_hg10_the_room_of_a_player_needs_its_own_id(seats: Seats, listen: Callable[..., Listener]) -> None:
    spy = listen(game_id=seats.game_id)
    for rooms in (
        {"client_id": "guess"},
        {"client_id": seats.game_id},
        {"client_id": "guess", "game_id": seats.game_id},
        {"client_id": ""},
        {"game_id": "no such game"},
    ):
        assert "error" in spy.call("join", rooms, timeout=PATIENCE), rooms
    seats.complete()
    witness = listen(client_id=seats.witness, game_id=seats.game_id)
    assert witness.next()[0] == "game_started"
    turn = witness.next()[1]
    seats.choose(turn["dilemma"][0])
    detective = listen(client_id=seats.detective, game_id=seats.game_id)
    assert [detective.next()[0] for _ in range(2)] == ["game_started", "detective_turn"]
    spy.hears_nothing_but("game_started")
    detective.hears_nothing_but()
    witness.hears_nothing_but()
    # The other player's id opens the other player's room, and only that.
    stranger = seats.post("/register").json()["client_id"]
    listen(client_id=stranger, game_id=seats.game_id).hears_nothing_but("game_started")


def test_a_join_that_means_nothing_is_answered_and_harms_nobody(listen: Callable[..., Listener]) -> None:
    listener = listen()
    for rooms in (
        None,
        {},
        [],
        "x",
        5,
        {"client_id": None},
        {"client_id": 5},
        {"game_id": {}},
        {"client_id": "\ud800"},
    ):
        assert "error" in listener.call("join", rooms, timeout=PATIENCE), rooms
    assert "error" in listener.call("join", {"game_id": "x"}, timeout=PATIENCE)


def test_one_connection_follows_a_bounded_number_of_games(post: Post, listen: Callable[..., Listener]) -> None:
    listener = listen()
    answers = []
    for _ in range(33):
        seats = Seats(post)
        seats.complete()
        answers.append(listener.call("join", {"game_id": seats.game_id}, timeout=PATIENCE))
    assert answers[:32] == [{"status": "joined"}] * 32
    assert "32 rooms" in answers[32]["error"]


def test_one_connection_follows_any_number_of_games_one_after_the_other(
    post: Post, listen: Callable[..., Listener]
) -> None:
    ids = [post("/register").json()["client_id"] for _ in range(2)]
    listener = listen(client_id=ids[0])
    for _ in range(40):
        game_id = post("/join_game", client_id=ids[0], preferred_role="Witness").json()["game_id"]
        assert listener.call("join", {"game_id": game_id}, timeout=PATIENCE) == {"status": "joined"}
        post("/join_game", client_id=ids[1])
        assert listener.next() == ("game_started", {"game_id": game_id})
        name, turn = listener.next()
        assert (name, turn["game_id"]) == ("witness_turn", game_id)
        post("/witness_choice", game_id=game_id, client_id=ids[0], dilemma_choice=turn["dilemma"][0])
        post("/detective_choice", game_id=game_id, client_id=ids[1], eliminated_words=[turn["key_word"]])
        assert listener.next()[0] == "game_ended"


PATHS = ["/register", "/join_game", "/witness_choice", "/detective_choice"]
ID = {"game_id": "g", "client_id": "c"}
WRONG_BODIES: list[tuple[str, str]] = [
    *(
        (path, body)
        for path in PATHS
        for body in ("", "{", "null", "[]", '"x"', "5", "\xff", "{" * 5000, "[" * 100_000)
    ),
    *(("/register", json.dumps({"model_name": name})) for name in (None, 5, {}, ["x"], "", "x" * 100_000, "a\nb")),
    ("/register", '{"model_name": "\\ud800"}'),
    *(("/join_game", json.dumps(body)) for body in ({}, {"client_id": None}, {"client_id": 5})),
    *(("/witness_choice", json.dumps(body)) for body in ({}, ID, {**ID, "dilemma_choice": None}, {"client_id": "c"})),
    *(
        ("/detective_choice", json.dumps({**ID, "eliminated_words": words}))
        for words in (None, 5, "apple / pear", {"apple": 1}, [1], ["apple", None], [["apple"]])
    ),
    ("/detective_choice", json.dumps(ID)),
]


def is_refusal(response: requests.Response) -> bool:
    """Whether it is a 4xx with `{error}` as JSON, and tells nothing of our insides."""
    assert response.headers["Content-Type"] == "application/json", response.text
    body = response.json()
    assert list(body) == ["error"]
    assert "Traceback" not in body["error"]
    assert "Access-Control-Allow-Origin" not in response.headers
    return 400 <= response.status_code < 500 and bool(body["error"])


def test_hg15_whatever_is_sent_is_answered_with_4xx_and_json_and_costs_nothing(server: str, seats: Seats) -> None:
    json_type = {"Content-Type": "application/json"}
    with requests.Session() as session:
        for path, body in WRONG_BODIES:
            response = session.post(f"{server}{path}", body.encode("latin-1"), headers=json_type, timeout=PATIENCE)
            assert is_refusal(response), (path, body[:80], response.text)
            assert response.status_code == 400
        for path in PATHS:
            for method in ("GET", "PUT", "DELETE", "PATCH"):
                response = session.request(method, f"{server}{path}", timeout=PATIENCE)
                assert is_refusal(response)
                assert response.status_code == 405
            for media_type in ("text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"):
                response = session.post(
                    f"{server}{path}", b"{}", headers={"Content-Type": media_type}, timeout=PATIENCE
                )
                assert is_refusal(response)
                assert response.status_code == 415
        too_long = session.post(f"{server}/register", b" " * (5 * 1024 * 1024), headers=json_type, timeout=PATIENCE)
        assert is_refusal(too_long)
        assert too_long.status_code == 413
        evil = session.post(f"{server}/register", json={}, headers={"Origin": "http://evil.example"}, timeout=PATIENCE)
        assert is_refusal(evil)
    assert seats.complete()["game_ready"] is True  # HG-7: the next request works at once


def test_every_refusal_of_the_game_has_its_status(post: Post, seats: Seats) -> None:
    stranger = post("/register").json()["client_id"]
    game = {"game_id": seats.game_id}
    wrong: list[tuple[int, requests.Response]] = [
        (409, seats.choose("too early")),
        (403, post("/join_game", client_id="unknown")),
        (400, post("/join_game", client_id=stranger, preferred_role="Referee")),
        (400, post("/join_game", client_id=stranger, preferred_role=42)),
        (409, post("/join_game", client_id=seats.witness)),
        (404, post("/witness_choice", game_id="g", client_id=stranger, dilemma_choice="x")),
    ]
    seats.complete()
    wrong += [
        (400, seats.choose("the key word is X")),
        (409, seats.eliminate(seats.joined["board"][0])),
        (403, post("/witness_choice", **game, client_id=stranger, dilemma_choice="x")),
        (403, post("/witness_choice", **game, client_id="unknown", dilemma_choice="x")),
        (403, post("/witness_choice", **game, client_id=seats.detective, dilemma_choice="x")),
        (403, post("/detective_choice", **game, client_id=seats.witness, eliminated_words=["x"])),
    ]
    for status, response in wrong:
        assert response.status_code == status, response.text
        assert is_refusal(response)


def test_hg15_moves_that_are_refused_change_nothing(seats: Seats, listen: Callable[..., Listener]) -> None:
    seats.complete()
    turn = listen(client_id=seats.witness).next()[1]
    seats.choose(turn["dilemma"][0])
    board = seats.joined["board"]
    for words in ([], ["not there"], [board[0], "not there"]):
        response = seats.eliminate(*words)
        assert response.status_code == 400
        assert is_refusal(response)
    word = next(word for word in board if word != turn["key_word"])
    answer = seats.eliminate(word, word.upper(), f" {word} ").json()
    assert answer["remaining_words"] == [one for one in board if one != word]
    ended = seats.choose("again")
    assert ended.status_code == 400


def test_h31_of_four_moves_at_once_one_is_accepted(seats: Seats, listen: Callable[..., Listener]) -> None:
    seats.complete()
    turn = listen(client_id=seats.witness).next()[1]
    seats.choose(turn["dilemma"][0])
    others = [word for word in seats.joined["board"] if word != turn["key_word"]]
    answers: list[requests.Response] = []
    ready = threading.Barrier(4)

    def move(word: str) -> None:
        ready.wait(PATIENCE)
        answers.append(seats.eliminate(word))

    threads = [threading.Thread(target=move, args=(word,)) for word in others[:4]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    [accepted] = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(accepted["remaining_words"]) == 15


def test_web_pages_of_others_get_no_socket(server: str) -> None:
    handshake = f"{server}/socket.io/?EIO=4&transport=polling"
    evil = requests.get(handshake, headers={"Origin": "http://evil.example"}, timeout=PATIENCE)
    assert (evil.status_code, list(evil.json())) == (403, ["error"])
    own = requests.get(handshake, headers={"Origin": server}, timeout=PATIENCE)
    assert own.status_code == 200
    assert "Access-Control-Allow-Origin" not in own.headers
    assert requests.get(handshake, headers={"Host": "evil.example"}, timeout=PATIENCE).status_code == 421
    client = socketio.Client(reconnection=False)
    with pytest.raises(socketio.exceptions.ConnectionError):
        client.connect(server, headers={"Origin": "http://evil.example"}, transports=["websocket"])


def test_packets_that_are_none_are_one_line_in_the_log_each_and_harm_nobody(
    agenthost_server: Callable[..., ServerProcess],
) -> None:
    server = agenthost_server("--port", "0", command=SERVE)
    url = server.url.removesuffix("/mcp")
    wire = Wire(url)
    packets = [
        b"42{",
        b"42[]",
        b"42[5]",
        b"42{}",
        b"4",
        b"49",
        b'42["join"]',
        b'42["join",1,2,3]',
        b"\xff",
        b"b!!",
        b"40{",
    ]
    for packet in packets:
        wire.open()
        assert wire.send(packet) in (b"ok", b"OK")
    wire.ask("GET", "/socket.io/?EIO=4&transport=polling&sid=a%0Ab")
    seats = Seats(posting(url))
    assert seats.complete()["game_ready"] is True
    wire.drop()
    lines = server.stderr.splitlines()
    assert all(line.startswith("agenthost: ") for line in lines), server.stderr
    assert any("a client sent a packet that is none (JSONDecodeError)" in line for line in lines)


WITHOUT_SOCKETIO = """
import sys
sys.modules["socketio"] = None  # as if it were not installed
from agenthost import run_plugin
run_plugin("hardtoget", sys.argv[1:])
"""


def test_without_the_extra_everything_but_socket_io_works_and_that_says_what_to_install(
    agenthost_server: Callable[..., ServerProcess], agenthost_environment: dict[str, str]
) -> None:
    program = [sys.executable, "-c", WITHOUT_SOCKETIO]
    server = agenthost_server("serve", "--port", "0", command=program)
    url = server.url.removesuffix("/mcp")
    assert "without Socket.IO clients hear of no events; pip install 'agenthost-hardtoget[socketio]'" in server.stderr
    assert requests.post(f"{url}/register", json={}, timeout=PATIENCE).json()["status"] == "registered"
    missing = requests.get(f"{url}/socket.io/?EIO=4&transport=polling", timeout=PATIENCE)
    assert missing.status_code == 501
    assert "pip install 'agenthost-hardtoget[socketio]'" in missing.json()["error"]
    client = socketio.Client(reconnection=False)
    with pytest.raises(socketio.exceptions.ConnectionError):
        client.connect(url, transports=["websocket"])

    def play(address: str) -> subprocess.CompletedProcess[str]:
        command = [*program, "play", address, "m", "--against", "bot"]
        return subprocess.run(
            command, env=agenthost_environment, capture_output=True, text=True, timeout=60, check=False
        )

    assert play(server.url).returncode == 0
    over_the_original = play(url)
    assert over_the_original.returncode == 2
    assert "pip install 'agenthost-hardtoget[socketio]'" in over_the_original.stderr
    assert over_the_original.stderr.count("\n") == 1


def test_beside_other_plugins_the_paths_are_below_the_name_and_tokens_are_asked_for(
    agenthost_server: Callable[..., ServerProcess], agenthost_environment: dict[str, str], tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("player:sesame-sesame-sesame-sesame-sesame\n", encoding="utf-8")
    tokens.chmod(0o600)
    server = agenthost_server("--plugins", "hardtoget", "--http", "0", "--token-file", str(tokens))
    url = server.url.removesuffix("mcp") + "hardtoget"

    def play(address: str, **env: str) -> subprocess.CompletedProcess[str]:
        command = [*AGENTHOST, "hardtoget", "play", address, "m", "--against", "bot"]
        return subprocess.run(
            command, env=agenthost_environment | env, capture_output=True, text=True, timeout=60, check=False
        )

    for address in (url, server.url):
        done = play(address, AGENTHOST_TOKEN="sesame-sesame-sesame-sesame-sesame")  # noqa: S106 - a token of this test
        assert done.returncode == 0, done.stderr
        assert "The game is over: " in done.stdout
        refused = play(address)
        assert refused.returncode == 2
        assert refused.stderr.count("\n") == 1
        assert "token" in refused.stderr
    assert requests.get(f"{url}/socket.io/?EIO=4&transport=polling", timeout=PATIENCE).status_code == 401


@pytest.mark.parametrize("transport", ["polling", "websocket"])
def test_the_server_ends_in_time_with_clients_that_listen(
    agenthost_server: Callable[..., ServerProcess], transport: str
) -> None:
    server = agenthost_server("--port", "0", command=SERVE)
    url = server.url.removesuffix("/mcp")
    seats = Seats(posting(url))
    clients = [socketio.Client(reconnection=False) for _ in range(3)]
    for client in clients:
        client.connect(url, transports=[transport], wait_timeout=PATIENCE)
        answer = client.call("join", {"client_id": seats.witness, "game_id": seats.game_id}, timeout=PATIENCE)
        assert answer == {"status": "joined"}
    server.process.terminate()
    assert server.wait() == 143
    for client in clients:
        client.eio.wait()  # by the connection's own method, since `client.wait` sleeps for another second
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        # The library leaves a connection that broke to the garbage collector.
        del client
        clients.clear()
        gc.collect()
    lines = server.stderr.splitlines()
    assert all(line.startswith("agenthost: ") for line in lines), server.stderr
    assert not any("error" in line or "warning" in line for line in lines), server.stderr


class Wire:
    """A detective that speaks HTTP and Socket.IO's long polling by hand, and keeps every byte that it gets."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
        self.received: list[bytes] = []
        self._sid = ""

    def ask(self, method: str, path: str, body: bytes | None = None, media_type: str = "text/plain") -> bytes:
        self._connection.request(method, path, body, {"Content-Type": media_type})
        response = self._connection.getresponse()
        data = response.read()
        assert response.headers["Content-Encoding"] is None
        self.received += [str(response.headers).encode(), data]
        return data

    def post(self, path: str, **body: Any) -> Any:
        return json.loads(self.ask("POST", path, json.dumps(body).encode(), "application/json"))

    def join(self, **rooms: str) -> None:
        """Open a connection and send the event `join`."""
        self.open()
        assert self.poll()[0].startswith(b"40")
        assert self.send(b"42" + json.dumps(["join", rooms]).encode()).lower() == b"ok"

    def open(self) -> None:
        """Open a connection of Engine.IO, and one of Socket.IO in it."""
        opened = self.ask("GET", "/socket.io/?EIO=4&transport=polling")
        self._sid = json.loads(opened[1:])["sid"]
        self.send(b"40")

    def poll(self) -> list[bytes]:
        packets = self.ask("GET", f"/socket.io/?EIO=4&transport=polling&sid={self._sid}").split(b"\x1e")
        for packet in packets:
            if packet == b"2":
                self.send(b"3")
        return [packet for packet in packets if packet != b"2"]

    def wait_for(self, name: str) -> dict[str, Any]:
        while True:
            for packet in self.poll():
                event, *data = json.loads(packet.removeprefix(b"42"))
                if event == name:
                    return data[0]

    def close(self) -> None:
        self.send(b"1")
        self.drop()

    def drop(self) -> None:
        self._connection.close()

    def send(self, packet: bytes) -> bytes:
        return self.ask("POST", f"/socket.io/?EIO=4&transport=polling&sid={self._sid}", packet)


@pytest.mark.timeout(300)
def test_h12_h41_hg10_the_key_word_is_in_no_byte_that_a_detective_gets_over_the_original_api(
    agenthost_server: Callable[..., ServerProcess], tmp_path: Path
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(f"zq{number:04}qz" for number in range(40)), encoding="utf-8")
    option = f"hardtoget.words={json.dumps(str(words))}"
    server = agenthost_server(
        "--set", option, "--log-level", "debug", "hardtoget", "serve", "--port=0", command=AGENTHOST
    )
    url = server.url.removesuffix("/mcp")
    witness = Wire(url)
    checked = 0
    for number in range(40):
        detective = Wire(url)
        ids = {"w": witness.post("/register", model_name="w"), "d": detective.post("/register", model_name="d")}
        of_witness, of_detective = ids["w"]["client_id"], ids["d"]["client_id"]
        game_id = witness.post("/join_game", client_id=of_witness, preferred_role="Witness")["game_id"]
        witness.join(client_id=of_witness, game_id=game_id)
        detective.join(client_id=of_detective, game_id=game_id)
        detective.post("/join_game", client_id=of_detective, preferred_role="Detective")
        turn = witness.wait_for("witness_turn")
        key_word = turn["key_word"]
        witness.post("/witness_choice", game_id=game_id, client_id=of_witness, dilemma_choice=turn["dilemma"][0])
        detective.wait_for("detective_turn")
        move = {"game_id": game_id, "client_id": of_detective}
        detective.post("/detective_choice", **move, eliminated_words=["nonsense"])
        detective.post("/witness_choice", **move, dilemma_choice="nonsense")
        board = detective.post("/join_game", client_id=of_detective).get("board")
        assert board is None
        others = [word for word in _board(detective) if word != key_word]
        answer = detective.post("/detective_choice", **move, eliminated_words=others[:7])
        assert answer["game_over"] is False
        witness.post("/register", model_name="w")
        turn = witness.wait_for("witness_turn")
        witness.post("/witness_choice", game_id=game_id, client_id=of_witness, dilemma_choice=turn["dilemma"][1])
        detective.wait_for("detective_turn")
        for received in detective.received:
            assert received.count(key_word.encode()) == received.count(others[-1].encode()), received
            assert b'key_word"' not in received.replace(b'key_word_eliminated"', b"")
            checked += key_word.encode() in received
        last = others[7:] if number % 2 else [key_word]
        assert detective.post("/detective_choice", **move, eliminated_words=last)["game_over"] is True
        assert detective.wait_for("game_ended")["key_word"] == key_word
        for wire in (witness, detective):
            wire.close()
    assert checked >= 40 * 3
    assert "zq" not in server.stderr


def _board(wire: Wire) -> list[str]:
    """The board that the detective got when it joined."""
    found = [json.loads(data) for data in wire.received if data.startswith(b'{"game_id"')]
    return found[0]["board"]
