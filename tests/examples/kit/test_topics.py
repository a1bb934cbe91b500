import pytest
from agenthost.testing import Era, UsePlugin, assert_plugin_ok


def test_the_plugin_holds_what_every_plugin_has_to_hold() -> None:
    assert_plugin_ok(
        "topics",
        arguments={"topics_open": {"topic": "tea", "text": "Black."}, "topics_close": None},
        changing={"tools"},
    )


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_new_topic_is_a_new_tool(agenthost_plugin: UsePlugin, era: Era) -> None:
    server = agenthost_plugin("topics").start(era)
    server.watch()
    server.text("topics_open", {"topic": "tea", "text": "Black, two minutes."})
    server.wait_for_list_change("tools")
    assert server.text("topics_recall_tea") == "Black, two minutes."
