"""Routes of plugins: where they are, when they answer, and that nothing they do reaches anybody else."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from agenthost.testing import ServerProcess
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

StartServer = Callable[..., ServerProcess]

WEB = httpx2.Client(timeout=20, verify=False, limits=httpx2.Limits(max_keepalive_connections=0))


@pytest.fixture(scope="module")
def server(start_shared: StartServer) -> ServerProcess:
    """A server with well-behaved and other routes, shared by the tests that leave it as it is."""
    return start_shared("--http", "0", "--plugins", "web", plugins=["web"])


def get(server: ServerProcess, path: str, headers: dict[str, str] | None = None) -> httpx2.Response:
    return WEB.get(httpx2.URL(server.url).join(path), headers=headers)


def websocket(server: ServerProcess, path: str, **options: object) -> ClientConnection:
    url = str(httpx2.URL(server.url).join(path)).replace("http", "ws")
    return connect(url, open_timeout=20, close_timeout=20, **options)


def test_a_plugins_routes_are_below_its_name(server: ServerProcess) -> None:
    assert get(server, "/web/who/home").json() == {"user": None, "path": "/web/who/home", "at": "home"}
    assert get(server, "/web/deeper/who/home").json()["at"] == "home"
    assert get(server, "/who/home").status_code == 404


def test_what_is_not_there_is_said_in_json(server: ServerProcess) -> None:
    unknown, wrong = get(server, "/web/nowhere"), get(server, "/web/count")
    assert (unknown.status_code, unknown.json()) == (404, {"error": "Not Found"})
    assert (wrong.status_code, wrong.json()) == (405, {"error": "Method Not Allowed"})
    assert wrong.headers["allow"] == "POST"
    assert get(server, "/web/fail/http").json() == {"error": "a teapot"}


def test_routes_are_asked_for_over_http_alone(start: StartServer) -> None:
    over_stdio = start("--plugins", "web,wrong_web", plugins=["web"])
    over_stdio.open()
    assert over_stdio.close() == 0
    assert "asked for routes" not in over_stdio.stderr


@pytest.mark.parametrize("how", ["crash", "exit", "interrupt", "cancelled", "cancels", "nothing"])
def test_what_a_route_raises_is_answered_with_a_reference_alone(server: ServerProcess, how: str) -> None:
    response = get(server, f"/web/fail/{how}")
    assert response.status_code == 500
    assert "secret" not in response.text
    found = re.search(r"under ([0-9a-f]{8})$", response.json()["error"])
    assert found is not None
    server.wait_for_stderr(f"GET /web/fail/{how} failed (reference {found[1]})")
    assert get(server, "/web/who/me").status_code == 200


@pytest.mark.parametrize("how", ["stop", "task"])
def test_a_route_cannot_end_the_server(server: ServerProcess, how: str) -> None:
    assert get(server, f"/web/fail/{how}").json() == {"survived": True}
    server.wait_for_stderr("a plugin tried to end the server")
    assert get(server, "/web/who/me").status_code == 200


def test_a_route_that_blocks_the_loop_is_named(server: ServerProcess) -> None:
    assert get(server, "/web/fail/block").status_code == 200
    server.wait_for_stderr("web: GET /web/fail/block blocked the event loop")


def test_a_stream_that_fails_ends_as_a_stream_does(server: ServerProcess) -> None:
    response = get(server, "/web/stream/crash")
    assert (response.status_code, response.text) == (200, "first\n")
    server.wait_for_stderr("web: GET /web/stream/crash failed")


def test_a_stream_without_end_ends_with_its_client(server: ServerProcess) -> None:
    with WEB.stream("GET", httpx2.URL(server.url).join("/web/stream/endless")) as response:
        assert next(response.iter_bytes()).startswith(b"first\n")
    assert get(server, "/web/who/me").status_code == 200


def test_a_route_may_be_a_websocket(server: ServerProcess) -> None:
    with websocket(server, "/web/echo") as connection:
        connection.send("hello")
        assert connection.recv(20) == "HELLO"
        connection.send("crash")
        with pytest.raises(ConnectionClosed) as closed:
            connection.recv(20)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1011
        assert "secret" not in closed.value.rcvd.reason
    server.wait_for_stderr("web: websocket /web/echo failed")


def test_the_doors_are_in_front_of_routes_too(server: ServerProcess) -> None:
    for headers, status in (({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)):
        assert get(server, "/web/who/me", headers).status_code == status
    with pytest.raises(InvalidStatus) as refused, websocket(server, "/web/echo", origin="https://evil.example"):
        pass
    assert refused.value.response.status_code == 403
    with pytest.raises(InvalidStatus) as refused, websocket(server, "/nowhere"):
        pass
    assert refused.value.response.status_code == 404
    url = httpx2.URL(server.url).join("/web/count")
    assert WEB.post(url, content=b"x" * 4_194_304).json() == {"bytes": 4_194_304}
    assert WEB.post(url, content=b"x" * 4_194_305).status_code == 413
    assert WEB.post(url, content=iter([b"x" * 1_048_576] * 5)).status_code == 413


def test_a_plugin_with_wrong_routes_is_not_served_and_the_others_are(start: StartServer) -> None:
    server = start("--http", "0", plugins=["web"], config='[host]\nplugins = ["web", "wrong_web"]\n')
    response = get(server, "/wrong_web/path")
    assert (response.status_code, response.json()) == (503, {"error": "plugin wrong_web is not served"})
    assert get(server, "/web/who/me").status_code == 200
    assert "wrong_web: item 1 of agenthost_routes is '/path', not a Starlette route" in server.stderr
    health = get(server, "/healthz")
    assert health.status_code == 503
    assert health.json()["status"] == "trouble"
    assert [row["plugin"] for row in health.json()["trouble"]] == ["wrong_web"]
    assert health.json()["served"] == ["web"]


def test_a_plugins_routes_answer_from_its_start_to_its_death(start: StartServer, tmp_path: Path) -> None:
    server = start("--http", "0", "--plugins", "late_web,web", plugins=["web"], cwd=tmp_path)
    health = get(server, "/healthz")
    assert (health.status_code, health.json()["status"], health.json()["starting"]) == (503, "starting", ["late_web"])
    starting = get(server, "/late_web/")  # after the patience of 4 s
    assert (starting.status_code, starting.headers["retry-after"]) == (503, "1")
    (tmp_path / "start").touch()
    server_says(server, "/late_web/", 200)
    health = get(server, "/healthz")
    assert (health.status_code, health.json()) == (
        200,
        {"status": "ok", "served": ["late_web", "web"], "starting": [], "trouble": []},
    )
    (tmp_path / "die").touch()
    server_says(server, "/late_web/", 503)
    assert "told to die" in get(server, "/healthz").json()["trouble"][0]["reason"]
    assert get(server, "/web/who/me").status_code == 200


def server_says(server: ServerProcess, path: str, status: int) -> None:
    """Ask until the answer has that status."""
    for _ in range(500):
        if get(server, path).status_code == status:
            return
    raise AssertionError(f"{path} never answered {status}")


def test_a_plugins_own_command_may_serve_it_at_the_root(start: StartServer) -> None:
    command = [str(Path(sys.executable).with_name("agenthost")), "alone_web"]
    server = start("0", plugins=["web"], command=command)
    assert get(server, "/here").json() == {"path": "/here"}
    assert get(server, "/deep/er").json() == {"path": "/deep/er"}
    assert get(server, "/alone_web/here").json() == {"path": "/alone_web/here"}
    assert get(server, "/healthz").json()["status"] == "ok"
    assert get(server, "/mcp").json().keys() == {"jsonrpc", "id", "error"}
    assert get(server, "/nowhere").status_code == 404


def test_streams_and_websockets_are_ended_with_the_server(start: StartServer) -> None:
    server = start("--http", "0", "--plugins", "web", plugins=["web"])
    stream = httpx2.URL(server.url).join("/web/stream/long")
    with websocket(server, "/web/echo") as connection, WEB.stream("GET", stream) as response:
        chunks = response.iter_bytes()
        assert next(chunks) == b"first\n"
        server.process.send_signal(signal.SIGTERM)
        assert list(chunks) == []
        with pytest.raises(ConnectionClosed) as closed:
            connection.recv(20)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
    assert server.wait(12) == 143
    assert "Traceback" not in server.stderr
