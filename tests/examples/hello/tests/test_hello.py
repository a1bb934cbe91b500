from agenthost.testing import StartServer, assert_plugin_ok
from agenthost_hello import hello


def test_a_greeting_names_the_person() -> None:
    assert hello("Ada") == "Hello, Ada!"


def test_the_plugin_holds_what_every_plugin_has_to_hold() -> None:
    assert_plugin_ok("hello")


def test_a_client_gets_a_greeting_or_a_reason(agenthost_server: StartServer) -> None:
    server = agenthost_server("--plugins", "hello", "--strict")
    server.open()
    assert [tool["name"] for tool in server.tools()] == ["hello"]
    assert server.text("hello", {"name": "Ada"}) == "Hello, Ada!"

    refusal = server.call("hello", {"nmae": "Ada"})["result"]
    assert refusal["isError"]
    assert "did you mean 'name'?" in refusal["content"][0]["text"]

    assert server.close() == 0
