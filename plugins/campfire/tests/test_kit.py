"""What every plugin has to hold, checked by the host's test kit."""

from __future__ import annotations

import pytest
from agenthost.testing import assert_plugin_ok


@pytest.mark.timeout(300)  # it starts four servers, and calls every tool several times
def test_the_plugin_holds_what_every_plugin_has_to_hold() -> None:
    assert_plugin_ok("campfire")
