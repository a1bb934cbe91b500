from agenthost.testing import StartServer


def test_notes_are_found_by_a_part_of_their_text(agenthost_server: StartServer) -> None:
    server = agenthost_server("--plugins", "journal")
    server.open()
    for text in ("Buy milk.", "Milk the goat.", "Read."):
        server.text("journal_add_note", {"text": text})
    found = server.call("journal_find_notes", {"words": "milk"})["result"]
    assert found["structuredContent"] == {"result": ["Buy milk.", "Milk the goat."]}
