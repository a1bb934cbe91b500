"""The settings of hardtoget, as the host sees them."""

from __future__ import annotations

from agenthost_hardtoget.settings import Settings


def test_without_settings_illegal_moves_are_not_counted_and_games_end_by_themselves() -> None:
    settings = Settings()
    assert settings.illegal_moves_allowed is None
    assert settings.join_deadline > 0
    assert settings.move_deadline > 0
