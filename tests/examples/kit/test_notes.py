import pytest
from agenthost.testing import Era, UsePlugin, assert_plugin_ok


def test_the_plugin_holds_what_every_plugin_has_to_hold() -> None:
    assert_plugin_ok("notes")


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_note_is_seen_by_another_process_and_after_a_restart(agenthost_plugin: UsePlugin, era: Era) -> None:
    plugin = agenthost_plugin("notes")
    one, other = plugin.start(era), plugin.start(era)
    one.text("notes_write", {"title": "milk", "text": "Buy some."})
    assert other.text("notes_read", {"title": "milk"}) == "Buy some."
    assert (one.close(), other.close()) == (0, 0)
    assert plugin.start(era).text("notes_read", {"title": "milk"}) == "Buy some."
