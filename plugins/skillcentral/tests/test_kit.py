"""What every plugin has to hold, checked by the host's test kit."""

from __future__ import annotations

from pathlib import Path

import pytest
from agenthost.testing import assert_plugin_ok

SKILL = """\
---
name: greet
description: Greets people.
---
Greet them by name.
"""


@pytest.mark.timeout(300)  # it starts four servers, and calls every tool several times
def test_the_plugin_holds_what_every_plugin_has_to_hold(tmp_path: Path) -> None:
    skill = tmp_path / "skills" / "greet" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL, encoding="utf-8")
    layer = {"path": str(tmp_path / "skills"), "priority": 1}
    assert_plugin_ok("skillcentral", {"extra_layers": [layer], "project_root": str(tmp_path), "writable": True})
