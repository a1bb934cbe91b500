import pytest
from agenthost.testing import Era, UsePlugin


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_who_watches_a_day_is_told_of_its_entry(agenthost_plugin: UsePlugin, era: Era) -> None:
    server = agenthost_plugin("diary").start(era)
    server.watch("diary://day/2026-12-01")
    server.text("diary_write_entry", {"day": "2026-12-01", "text": "Fog."})
    server.wait_for_update("diary://day/2026-12-01")
