"""What was acknowledged stays: across a restart, and across a kill in the middle of everything."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_h39_a_game_goes_on_after_a_restart(start_agent: Callable[..., Any], sit_down: Callable[..., Any]) -> None:
    first = start_agent()
    table = sit_down(first)
    table.witness.choose(1)
    table.detective.eliminate(*table.others()[:3])
    table.witness.choose()
    before = [table.witness.state(), table.detective.state()]
    assert first.server.close() == 0
    table.witness.agent = table.detective.agent = start_agent()
    assert [table.witness.state(), table.detective.state()] == before
    assert table.detective.eliminate(*table.others())["win"] is True
    assert table.witness.agent("results")["results"][0]["rounds"] == 2


def test_a_kill_loses_no_move_that_was_acknowledged(
    start_agent: Callable[..., Any], sit_down: Callable[..., Any]
) -> None:
    killed, other = start_agent(), start_agent()
    tables = [sit_down(killed, other) for _ in range(30)]
    calls = [
        ("witness_choice", {**table.witness.key, "dilemma_choice": table.witness.state()["dilemma"][1]})
        for table in tables
    ]
    sent = killed.send_at_once(*calls)
    # Killed while it answers: some are acknowledged, some are on their way.
    acknowledged = [killed.collect(*one)["structuredContent"]["seq"] for one in sent[:10]]
    killed.server.stop()
    assert acknowledged == [3] * 10
    for number, table in enumerate(tables):
        table.witness.agent = other
        view = table.detective.state()
        if number < 10:
            assert view["phase"] == "detective_turn"
        if view["phase"] == "detective_turn":
            assert view["witness_choice"] == view["dilemma"][1]
        else:
            assert (view["phase"], view["seq"], view["rounds"]) == ("witness_turn", 2, [])
            table.witness.choose()
        assert table.detective.eliminate(*table.others())["win"] is True
    assert len(other("results", limit=100)["results"]) == 30


def test_the_database_has_the_tables_of_the_original_and_no_client_id(
    start_agent: Callable[..., Any], sit_down: Callable[..., Any], tmp_path: Path
) -> None:
    agent = start_agent()
    table = sit_down(agent)
    view = table.witness.state()
    table.win()
    assert agent.server.close() == 0
    file = next((tmp_path / "state").rglob("hardtoget.db"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for player in (table.witness, table.detective):
        assert player.client_id.encode() not in file.read_bytes()
    with sqlite3.connect(file) as database:
        database.row_factory = sqlite3.Row
        [game] = database.execute("SELECT * FROM games").fetchall()
        assert (game["status"], game["key_word"], game["current_round"]) == ("completed", view["key_word"], 1)
        [result] = database.execute("SELECT * FROM results").fetchall()
        assert (result["witness_model"], result["detective_model"], result["result"]) == ("w", "d", "win")
        [round_] = database.execute("SELECT * FROM rounds").fetchall()
        assert [round_["first_option"], round_["second_option"]] == view["dilemma"]
        assert round_["chosen_at"] <= round_["eliminated_at"]
        models = {row["model_name"] for row in database.execute("SELECT * FROM clients")}
        assert models == {"w", "d"}
    database.close()
