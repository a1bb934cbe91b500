"""The conformance rows of hardtoget, one by one, through a real server in both eras of the protocol."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import pytest

Register = Callable[..., Any]
SitDown = Callable[..., Any]


def folded(words: Sequence[str]) -> set[str]:
    return {word.casefold() for word in words}


def text_of(result: dict[str, Any]) -> str:
    """Everything of a result, as it was on the wire."""
    return json.dumps(result, ensure_ascii=False)


def test_the_tools_have_the_arguments_of_the_original_and_ours(agent: Any) -> None:
    arguments = {
        tool["name"].removeprefix("hardtoget_"): (
            set(tool["inputSchema"].get("required", [])),
            set(tool["inputSchema"]["properties"]),
        )
        for tool in agent.server.tools()
    }
    assert arguments == {
        "register": (set(), {"model_name"}),
        "join_game": ({"client_id"}, {"client_id", "preferred_role", "seed", "mirror_of"}),
        "wait": ({"game_id", "client_id"}, {"game_id", "client_id", "after", "timeout_seconds"}),
        "get_state": ({"game_id", "client_id"}, {"game_id", "client_id"}),
        "witness_choice": (
            {"game_id", "client_id", "dilemma_choice"},
            {"game_id", "client_id", "dilemma_choice"},
        ),
        "detective_choice": (
            {"game_id", "client_id", "eliminated_words"},
            {"game_id", "client_id", "eliminated_words"},
        ),
        "leave_game": ({"game_id", "client_id"}, {"game_id", "client_id"}),
        "results": (set(), {"model_name", "limit", "before"}),
        "leaderboard": (set(), set()),
    }


def test_descriptions_are_short_and_say_what_to_call_next(agent: Any) -> None:
    for tool in agent.server.tools():
        assert len(tool["name"]) <= 40
        assert len(tool["description"]) <= 400
        assert "Next:" in tool["description"] or "next says" in tool["description"]


def test_h01_registering_gives_a_client_id_each_time_another(agent: Any) -> None:
    first, second = agent("register", model_name="w"), agent("register", model_name="w")
    assert first["status"] == "registered"
    assert first["client_id"] != second["client_id"]
    assert str(uuid.UUID(first["client_id"])) == first["client_id"]


def test_h01_client_ids_have_128_random_bits(agent: Any) -> None:
    ids = [uuid.UUID(agent("register")["client_id"]).int for _ in range(64)]
    assert all(any(number >> bit & 1 for number in ids) for bit in range(128))
    assert not any(all(number >> bit & 1 for number in ids) for bit in range(128))


@pytest.mark.parametrize("name", [None, "", "  ", 5, {}, [], True, "x" * 201, "two\nlines", "\x00"])
def test_h02_a_model_name_that_is_none_is_refused_and_the_next_one_works(agent: Any, name: Any) -> None:
    assert "model_name" in agent.refused("register", model_name=name)
    assert agent("register", model_name="next")["status"] == "registered"


def test_h02_without_a_model_name_a_player_is_unknown(agent: Any) -> None:
    nameless = agent("register")["client_id"]
    joined = agent("join_game", client_id=nameless, preferred_role="Witness", seed=8_000_000)
    assert agent.read(f"hardtoget://games/{joined['game_id']}")["witness_model"] == "unknown"
    agent("leave_game", game_id=joined["game_id"], client_id=nameless)


@pytest.mark.parametrize("client_id", ["", "nobody", "00000000-0000-0000-0000-000000000000"])
def test_h03_joining_needs_a_client_id_that_is_registered(agent: Any, client_id: str) -> None:
    assert "hardtoget_register" in agent.refused("join_game", client_id=client_id)


@pytest.mark.parametrize("arguments", [{}, {"client_id": None}, {"client_id": 5}])
def test_h03_joining_needs_a_client_id(agent: Any, arguments: dict[str, Any]) -> None:
    assert "client_id" in agent.refused("join_game", **arguments)


def test_h04_the_first_player_gets_the_role_it_wants_and_sixteen_words(
    agent: Any, register: Register, seed: int
) -> None:
    joined = register(agent).join(preferred_role="Witness", seed=seed)
    assert joined["role"] == "Witness"
    assert joined["game_ready"] is False
    assert len(joined["board"]) == len(folded(joined["board"])) == 16


def test_h05_the_second_player_gets_the_same_game_and_it_is_ready(agent: Any, register: Register, seed: int) -> None:
    witness, detective = register(agent), register(agent)
    first = witness.join(preferred_role="Witness", seed=seed)
    second = detective.join(preferred_role="Detective", seed=seed)
    assert second["game_id"] == first["game_id"]
    assert second["role"] == "Detective"
    assert second["game_ready"] is True
    assert second["board"] == first["board"]


def test_h06_the_order_of_joining_does_not_matter(agent: Any, register: Register, seed: int) -> None:
    witness, detective = register(agent), register(agent)
    first = detective.join(preferred_role="Detective", seed=seed)
    second = witness.join(preferred_role="Witness", seed=seed)
    assert (first["game_ready"], second["game_ready"]) == (False, True)
    assert second["game_id"] == first["game_id"]
    assert witness.state()["phase"] == "witness_turn"
    assert witness.wait(timeout_seconds=0)["changed"] is True


@pytest.mark.parametrize("taken", ["Witness", "Detective"])
def test_h07_whoever_wants_any_role_gets_the_free_one(agent: Any, register: Register, seed: int, taken: str) -> None:
    first, second = register(agent), register(agent)
    first.join(preferred_role=taken, seed=seed)
    joined = second.join(preferred_role=None, seed=seed)
    assert joined["game_id"] == first.game_id
    assert {joined["role"], taken} == {"Witness", "Detective"}


def test_h07_whoever_wants_any_role_first_gets_one_by_chance(agent: Any, register: Register) -> None:
    roles = set()
    for number in range(40):
        player = register(agent)
        roles.add(player.join(seed=5_000_000 + number)["role"])
        agent("leave_game", **player.key)
    assert roles == {"Witness", "Detective"}


@pytest.mark.parametrize("role", ["witness", "WITNESS", " Witness "])
def test_h08_a_role_may_be_written_in_any_case(agent: Any, register: Register, seed: int, role: str) -> None:
    assert register(agent).join(preferred_role=role, seed=seed)["role"] == "Witness"


@pytest.mark.parametrize("role", ["Referee", "", 42, ["Witness"], "Wit ness"])
def test_h09_a_role_that_there_is_not_is_refused(agent: Any, register: Register, role: Any) -> None:
    player = register(agent)
    text = agent.refused("join_game", client_id=player.client_id, preferred_role=role)
    assert "preferred_role" in text
    if isinstance(role, str):
        assert "Witness or Detective" in text
    assert player.join(preferred_role="Witness", seed=9_000_000)["role"] == "Witness"
    agent("leave_game", **player.key)


def test_h10_a_player_has_one_seat_at_a_time(agent: Any, register: Register, seed: int) -> None:
    witness, detective = register(agent), register(agent)
    witness.join(preferred_role="Witness", seed=seed)
    for role in ("Witness", "Detective", None):
        text = agent.refused("join_game", client_id=witness.client_id, preferred_role=role, seed=seed)
        assert witness.game_id in text
    detective.join(preferred_role="Detective", seed=seed)
    for player in (witness, detective):
        assert player.game_id in agent.refused("join_game", client_id=player.client_id, seed=seed + 1_000)
    # Neither refusal left a game behind that somebody could meet.
    assert register(agent).join(preferred_role="Detective", seed=seed)["game_ready"] is False


def test_h11_the_witness_sees_the_key_word_and_a_dilemma(agent: Any, sit_down: SitDown) -> None:
    view = sit_down(agent).witness.state()
    assert (view["phase"], view["round"], view["outcome"]) == ("witness_turn", 1, None)
    assert view["key_word"] in view["board"]
    assert len(folded(view["dilemma"])) == 2
    assert view["witness_choice"] is None


def test_h12_no_answer_to_the_detective_tells_the_key_word_before_the_end(
    start_agent: Callable[..., Any], register: Register
) -> None:
    theirs, ours = start_agent(), start_agent()
    listed = len(ours.server.lines)
    witness, detective = register(theirs, "w"), register(ours, "d")
    detective.join(preferred_role="Detective", seed=1)
    witness.join(preferred_role="Witness", seed=1)
    key_word = witness.state()["key_word"]
    for _ in range(4):
        detective.wait(timeout_seconds=0)
        detective.refused("detective_choice", eliminated_words=["no such word"])
        detective.refused("witness_choice", dilemma_choice="no such option")
        witness.choose()
        detective.wait()
        detective.state()
        detective.refused("detective_choice", eliminated_words=["no such word"])
        ours.read("hardtoget://games")
        ours.read(f"hardtoget://games/{detective.game_id}")
        ours("results")
        view = detective.state()
        assert "key_word" not in view
        detective.eliminate(next(word for word in view["board"] if word != key_word))
    lines = b"".join(ours.server.lines[listed:]).decode()
    assert json.dumps("key_word") not in lines
    assert key_word_outside_of_boards(lines, key_word) == []


def key_word_outside_of_boards(lines: str, key_word: str) -> list[Any]:
    """Where the key word stands in the answers, except in a board, the words that remain, or a list of them."""
    found: list[Any] = []

    def look(value: Any, place: tuple[str, ...]) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                look(inner, (*place, key))
        elif isinstance(value, list):
            for inner in value:
                look(inner, place)
        elif isinstance(value, str) and re.search(rf"\b{re.escape(key_word)}\b", value):
            if place[-1] == "text":
                try:
                    look(json.loads(value), ())
                except ValueError:
                    # A refusal lists the words that are left, all of them.
                    if f'"{key_word}"' not in value.partition("words that are left: ")[2]:
                        found.append((place, value))
            elif place[-1] not in ("board", "remaining_words"):
                found.append((place, value))

    for line in lines.splitlines():
        look(json.loads(line), ())
    return found


def test_h13_only_its_players_see_a_game(agent: Any, register: Register, sit_down: SitDown) -> None:
    table, third = sit_down(agent), register(agent)
    key_word = table.key_word
    for client_id in (third.client_id, "wrong", table.witness.client_id[:-1] + "x", ""):
        for tool in ("get_state", "wait", "leave_game"):
            text = agent.refused(tool, game_id=table.witness.game_id, client_id=client_id)
            assert key_word not in text
            assert table.witness.client_id not in text
    assert table.witness.state()["phase"] == "witness_turn"


def test_h14_the_detective_waits_for_the_witness(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    before = table.detective.state()
    text = table.detective.refused("detective_choice", eliminated_words=[before["board"][0]])
    assert "not your turn" in text
    assert "hardtoget_wait" in text
    assert table.detective.state() == before


def test_h15_the_witness_chooses_one_of_the_two_options(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    before = table.witness.state()
    for choice in ("the key word is X", "", before["key_word"], ", ".join(before["dilemma"])):
        text = table.witness.refused("witness_choice", dilemma_choice=choice)
        assert all(option in text for option in before["dilemma"])
    for choice in (None, 0, before["dilemma"]):
        assert "dilemma_choice" in table.witness.refused("witness_choice", dilemma_choice=choice)
    assert table.witness.state() == before


def test_h16_both_players_see_the_same_dilemma_and_the_choice(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    dilemma = table.witness.state()["dilemma"]
    chosen = table.witness.choose(0)
    assert chosen["status"] == "success"
    view = table.detective.state()
    assert view["phase"] == "detective_turn"
    assert view["dilemma"] == dilemma
    assert view["witness_choice"] == dilemma[0]
    assert view["seq"] == chosen["seq"]
    assert table.witness.state()["dilemma"] == dilemma


def test_h16_case_and_blanks_of_an_option_do_not_matter(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    option = table.witness.state()["dilemma"][1]
    table.witness.choose(f"  {option.upper()} ")
    assert table.detective.state()["witness_choice"] == option


def test_h17_the_witness_chooses_once_a_round(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    dilemma = table.witness.state()["dilemma"]
    table.witness.choose(0)
    for option in dilemma:
        assert "not your turn" in table.witness.refused("witness_choice", dilemma_choice=option)
    assert table.detective.state()["witness_choice"] == dilemma[0]


@pytest.fixture
def ready(agent: Any, sit_down: SitDown) -> Any:
    """A game in which it is the detective's turn."""
    table = sit_down(agent)
    table.witness.choose()
    return table


def test_h18_at_least_one_word_is_eliminated(ready: Any) -> None:
    before = ready.detective.state()
    text = ready.detective.refused("detective_choice", eliminated_words=[])
    assert all(word in text for word in before["board"])
    assert ready.detective.state() == before


def test_h19_a_word_that_is_not_on_the_board_is_refused(ready: Any) -> None:
    before = ready.detective.state()
    text = ready.detective.refused("detective_choice", eliminated_words=["not on board"])
    assert '"not on board"' in text
    assert all(word in text for word in before["board"])
    assert ready.detective.state() == before


def test_h19_a_word_that_is_gone_is_not_on_the_board(ready: Any) -> None:
    word = ready.others()[0]
    ready.detective.eliminate(word)
    ready.witness.choose()
    assert f'"{word}"' in ready.detective.refused("detective_choice", eliminated_words=[word])


def test_h20_one_wrong_word_and_none_is_eliminated(ready: Any) -> None:
    before = ready.detective.state()
    text = ready.detective.refused("detective_choice", eliminated_words=[ready.others()[0], "not on board"])
    assert '"not on board"' in text
    assert ready.detective.state() == before


@pytest.mark.parametrize("words", ["a string", {"a": 1}, 5, [1, None], None, ["a", ["b"]], True])
def test_h21_words_are_a_list_of_texts(ready: Any, words: Any) -> None:
    before = ready.detective.state()
    assert "eliminated_words" in ready.detective.refused("detective_choice", eliminated_words=words)
    assert ready.detective.state() == before


def test_h22_a_word_that_is_named_twice_counts_once(ready: Any) -> None:
    word = ready.others()[0]
    answer = ready.detective.eliminate(word, word, f" {word.upper()}")
    assert len(answer["remaining_words"]) == 15
    assert ready.detective.state()["rounds"][0]["eliminated_words"] == [word]


def test_h23_after_a_harmless_word_comes_the_next_round(ready: Any) -> None:
    word = ready.others()[0]
    seen = [ready.detective.state()["dilemma"]]
    answer = ready.detective.eliminate(word)
    assert answer["status"] == "success"
    assert answer["game_over"] is False
    assert answer["win"] is None
    assert answer["key_word_eliminated"] is False
    assert len(answer["remaining_words"]) == 15
    assert word not in answer["remaining_words"]
    for number in range(2, 6):
        view = ready.witness.state()
        assert (view["phase"], view["round"], view["witness_choice"]) == ("witness_turn", number, None)
        assert view["dilemma"] not in seen
        seen.append(view["dilemma"])
        ready.witness.choose()
        ready.detective.eliminate(ready.others()[0])


def test_h24_the_game_is_lost_with_the_key_word(ready: Any) -> None:
    key_word = ready.key_word
    answer = ready.detective.eliminate(key_word, ready.others()[0])
    assert (answer["game_over"], answer["win"], answer["key_word_eliminated"]) == (True, False, True)
    for player in (ready.witness, ready.detective):
        view = player.state()
        assert (view["phase"], view["outcome"], view["key_word"]) == ("finished", "loss", key_word)
        assert view["ended_by"] == "moves"


def test_h24_the_whole_board_can_go_and_that_is_a_loss(ready: Any) -> None:
    answer = ready.detective.eliminate(*ready.detective.state()["board"])
    assert (answer["win"], answer["remaining_words"]) == (False, [])


def test_h25_the_game_is_won_when_only_the_key_word_is_left(ready: Any) -> None:
    key_word = ready.key_word
    answer = ready.detective.eliminate(*ready.others())
    assert (answer["game_over"], answer["win"], answer["key_word_eliminated"]) == (True, True, False)
    assert answer["remaining_words"] == [key_word]
    assert ready.witness.state()["outcome"] == "win"


def play_rounds(table: Any, rounds: int) -> None:
    """Rounds of one word each."""
    for _ in range(rounds):
        table.witness.choose()
        assert table.detective.eliminate(table.others()[0])["game_over"] is False


def test_h26_five_rounds_that_were_not_enough_are_a_loss(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    play_rounds(table, 4)
    table.witness.choose()
    answer = table.detective.eliminate(table.others()[0])
    assert (answer["game_over"], answer["win"], answer["key_word_eliminated"]) == (True, False, False)
    assert len(answer["remaining_words"]) == 11
    assert table.detective.state()["outcome"] == "loss"


def test_h27_the_fifth_move_may_win(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    play_rounds(table, 4)
    table.win()
    assert len(table.detective.state()["rounds"]) == 5


def test_h28_nobody_moves_after_the_end(ready: Any) -> None:
    words = ready.others()
    ready.detective.eliminate(*words)
    before = ready.witness.state()
    moves = [
        ready.witness.refused("witness_choice", dilemma_choice=before["rounds"][0]["dilemma"][0]),
        ready.detective.refused("detective_choice", eliminated_words=before["board"]),
        ready.detective.refused("witness_choice", dilemma_choice="x"),
    ]
    assert all("The game is over. It is won" in text for text in moves)
    assert ready.witness.state() == before


def test_h29_each_player_has_its_own_move(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    before = table.witness.state()
    assert "hardtoget_witness_choice" in table.witness.refused("detective_choice", eliminated_words=before["board"][:1])
    text = table.detective.refused("witness_choice", dilemma_choice=before["dilemma"][0])
    assert "hardtoget_detective_choice" in text
    table.witness.choose()
    table.witness.refused("detective_choice", eliminated_words=before["board"][:1])
    table.detective.refused("witness_choice", dilemma_choice=before["dilemma"][0])
    assert table.detective.state()["board"] == before["board"]


@pytest.mark.parametrize("game_id", ["", "game-nowhere", "../games"])
def test_h30_a_game_that_there_is_not_is_refused(agent: Any, register: Register, game_id: str) -> None:
    key = {"game_id": game_id, "client_id": register(agent).client_id}
    texts = [
        agent.refused("get_state", **key),
        agent.refused("wait", **key),
        agent.refused("leave_game", **key),
        agent.refused("witness_choice", **key, dilemma_choice="x"),
        agent.refused("detective_choice", **key, eliminated_words=["x"]),
        agent.refused("join_game", client_id=key["client_id"], mirror_of=game_id),
    ]
    assert all("There is no game" in text for text in texts)


def test_h33_a_game_that_was_played_is_one_result(agent: Any, sit_down: SitDown, seed: int) -> None:
    names = (f"witness {seed}", f"detective {seed}")
    won, lost = sit_down(agent, models=names), sit_down(agent, models=names)
    won.win()
    lost.witness.choose()
    lost.detective.eliminate(lost.key_word)
    for model in names:
        newest, oldest = agent("results", model_name=model)["results"]
        assert (oldest["game_id"], oldest["result"]) == (won.witness.game_id, "win")
        assert (newest["game_id"], newest["result"]) == (lost.witness.game_id, "loss")
        for line in (newest, oldest):
            assert (line["witness_model"], line["detective_model"], line["rounds"]) == (*names, 1)
    assert agent("results", model_name=f"nobody {seed}") == {"results": [], "has_more": False}


def test_h33_results_come_in_pages(agent: Any, sit_down: SitDown, seed: int) -> None:
    model = f"pages {seed}"
    played = []
    for _ in range(3):
        table = sit_down(agent, models=(model, "d"))
        table.win()
        played.append(table.witness.game_id)
    first = agent("results", model_name=model, limit=2)
    assert [line["game_id"] for line in first["results"]] == played[:0:-1]
    assert first["has_more"] is True
    second = agent("results", model_name=model, limit=2, before=played[1])
    assert [line["game_id"] for line in second["results"]] == played[:1]
    assert second["has_more"] is False
    assert "no result" in agent.refused("results", before="game-nowhere")


def test_h34_whoever_leaves_while_waiting_frees_the_seat(agent: Any, register: Register, seed: int) -> None:
    witness, detective = register(agent), register(agent)
    witness.join(preferred_role="Witness", seed=seed)
    left = agent("leave_game", **witness.key)
    assert left["outcome"] == "abandoned"
    assert detective.join(preferred_role="Detective", seed=seed)["game_ready"] is False
    assert witness.join(preferred_role="Witness", seed=seed)["game_ready"] is True
    assert witness.game_id == detective.game_id


@pytest.mark.parametrize("leaver", ["witness", "detective"])
def test_h34_whoever_leaves_a_game_ends_it_for_both(agent: Any, sit_down: SitDown, seed: int, leaver: str) -> None:
    names = (f"left w {seed}", f"left d {seed}")
    table = sit_down(agent, models=names)
    player = getattr(table, leaver)
    assert agent("leave_game", **player.key)["outcome"] == "abandoned"
    assert agent("leave_game", **player.key)["outcome"] == "abandoned"
    for one in (table.witness, table.detective):
        waited = one.wait()
        assert waited["changed"] is True
        assert (waited["view"]["phase"], waited["view"]["outcome"]) == ("finished", "abandoned")
        assert waited["view"]["ended_by"] == f"{leaver}_left"
        assert "key_word" in waited["view"]
        assert agent("results", model_name=names[0])["results"] == []
    assert names[0] not in [standing["model_name"] for standing in agent("leaderboard")["models"]]
    assert table.witness.join(seed=seed)["game_ready"] is False


def test_h34_leaving_what_is_over_changes_nothing(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    table.win()
    before = table.witness.state()
    assert agent("leave_game", **table.witness.key)["outcome"] == "win"
    assert table.witness.state() == before


def test_h35_both_players_can_play_again(agent: Any, sit_down: SitDown, seed: int) -> None:
    table = sit_down(agent)
    table.win()
    earlier = table.witness.game_id
    table.witness.join(preferred_role="Detective", seed=seed)
    assert table.detective.join(preferred_role="Witness", seed=seed)["game_ready"] is True
    assert table.witness.game_id == table.detective.game_id != earlier


def test_h36_a_wait_without_news_ends_in_time_and_says_so(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    seq = table.detective.state()["seq"]
    for arguments in ({}, {"after": seq}):
        # Less than the 25 s of a wait that names no time: the limit of the answer is the test's.
        call = {**table.detective.key, "timeout_seconds": 0.2, **arguments}
        waited = agent.server.call("hardtoget_wait", call, timeout=20)["result"]["structuredContent"]
        assert (waited["changed"], waited["after"]) == (False, seq)
        assert waited["view"]["phase"] == "witness_turn"


def test_h36_a_wait_beyond_the_newest_change_is_refused(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    assert "newest seq is 2" in table.detective.refused("wait", after=3)
    assert table.detective.wait(after=1)["changed"] is True


@pytest.mark.parametrize("arguments", [{}, {"after": 2}], ids=["turn", "after"])
def test_h37_a_wait_ends_when_another_process_moves(
    pair: Sequence[Any], sit_down: SitDown, arguments: dict[str, Any]
) -> None:
    table = sit_down(pair[0], pair[1])
    sent = pair[1].start_call("wait", **table.detective.key, timeout_seconds=20, **arguments)
    table.witness.choose()
    waited = pair[1].collect(*sent)["structuredContent"]
    assert (waited["changed"], waited["view"]["phase"]) == (True, "detective_turn")


def test_h37_a_wait_for_a_second_player_ends_when_it_comes(pair: Sequence[Any], register: Register, seed: int) -> None:
    witness, detective = register(pair[0]), register(pair[1])
    witness.join(preferred_role="Witness", seed=seed)
    sent = pair[0].start_call("wait", **witness.key, timeout_seconds=20)
    detective.join(preferred_role="Detective", seed=seed)
    assert pair[0].collect(*sent)["structuredContent"]["view"]["phase"] == "witness_turn"


def test_h40_two_games_at_once_are_independent(agent: Any, sit_down: SitDown) -> None:
    one, other = sit_down(agent), sit_down(agent)
    assert one.witness.state()["board"] != other.witness.state()["board"]
    before = other.witness.state()
    one.witness.choose()
    one.detective.eliminate(one.others()[0])
    assert other.witness.state() == before
    assert one.witness.state()["round"] == 2


def test_h41_the_log_of_a_game_has_no_secret(start_agent: Callable[..., Any], sit_down: SitDown) -> None:
    agent = start_agent(verbose=True)
    table = sit_down(agent)
    key_word = table.key_word
    table.witness.refused("witness_choice", dilemma_choice="x")
    table.witness.refused("witness_choice", dilemma_choice=5)
    table.win()
    assert agent.server.close() == 0
    for secret in (key_word, table.witness.client_id, table.detective.client_id):
        assert secret not in agent.server.stderr


def test_a_seat_is_taken_in_the_game_that_waits_longest(agent: Any, register: Register, seed: int) -> None:
    first, second, third = register(agent), register(agent), register(agent)
    first.join(preferred_role="Witness", seed=seed)
    second.join(preferred_role="Witness", seed=seed)
    assert third.join(preferred_role="Detective", seed=seed)["game_id"] == first.game_id


def test_an_unknown_argument_is_refused(agent: Any, register: Register) -> None:
    text = agent.refused("join_game", client_id=register(agent).client_id, role="Witness")
    assert "role" in text
